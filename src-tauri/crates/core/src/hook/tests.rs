//! Hooks as real processes: what each end means at each point, who runs, and who is left.
#![allow(
    clippy::print_stdout,
    reason = "it prints the figures that a person reads"
)]

mod hostile;
mod inputs;
mod replies;
mod words;

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;
use uuid::Uuid;
use weir_protocol::{HookEvent, HookOutcome};

use super::{
    CommandHook, Definition, Handler, HookInput, HookReply, Hooks, Notification, Permission, Point,
    PointOutcome, SessionSource,
};

impl Hooks {
    /// Commands that nobody has to vouch for.
    pub(crate) fn of_project(definitions: &[Definition], folder: &Path) -> Self {
        let mut hooks = Self::default();
        for definition in definitions {
            hooks.add(definition, CommandHook::new(definition, folder));
        }
        hooks
    }
}

const EVENTS: [HookEvent; 8] = [
    HookEvent::UserPromptSubmit,
    HookEvent::PreToolUse,
    HookEvent::PostToolUse,
    HookEvent::Notification,
    HookEvent::Stop,
    HookEvent::SubagentStop,
    HookEvent::PreCompact,
    HookEvent::SessionStart,
];

fn point(event: HookEvent) -> Point {
    let (tool_name, tool_use_id) = ("read_file".to_owned(), "call_1".to_owned());
    let tool_input = json!({"path": "a.txt"});
    match event {
        HookEvent::UserPromptSubmit => Point::UserPromptSubmit {
            prompt: "Hello.".into(),
        },
        HookEvent::PreToolUse => Point::PreToolUse {
            tool_name,
            tool_input,
            tool_use_id,
        },
        HookEvent::PostToolUse => Point::PostToolUse {
            tool_name,
            tool_input,
            tool_use_id,
            tool_response: json!("what stands there"),
        },
        HookEvent::Notification => Point::Notification {
            kind: Notification::PermissionPrompt,
            message: "A call waits.".into(),
        },
        HookEvent::Stop => Point::Stop {
            stop_hook_active: false,
        },
        HookEvent::SubagentStop => Point::SubagentStop {
            stop_hook_active: true,
        },
        HookEvent::PreCompact => Point::PreCompact,
        HookEvent::SessionStart => Point::SessionStart {
            source: SessionSource::Startup,
        },
    }
}

fn in_shell(command: &str) -> Handler {
    Handler {
        command: command.to_owned(),
        args: None,
        timeout_ms: Some(300_000),
        fail_closed: None,
        ..Handler::default()
    }
}

fn hook(event: HookEvent, handler: Handler) -> Definition {
    Definition {
        event,
        matcher: String::new(),
        handler,
    }
}

fn input(point: Point, folder: &Path) -> HookInput {
    HookInput {
        session: Uuid::nil(),
        cwd: folder.to_owned(),
        point,
    }
}

/// Runs what a point has, with nobody to stop it.
async fn run_at(definitions: &[Definition], point: Point, folder: &TempDir) -> PointOutcome {
    let hooks = Hooks::of_project(definitions, folder.path());
    let (_stop, mut stopped) = watch::channel(false);
    hooks.run(input(point, folder.path()), &mut stopped).await
}

async fn run_one(event: HookEvent, handler: Handler, folder: &TempDir) -> HookReply {
    let said = run_at(&[hook(event, handler)], point(event), folder).await;
    assert_eq!(said.runs.len(), 1);
    said.runs[0].reply.clone()
}

/// A reply in a few words: how it ended, and what it wants.
fn told(reply: &HookReply) -> String {
    let outcome = match reply.outcome {
        HookOutcome::Passed => "passed",
        HookOutcome::Blocked => "blocked",
        HookOutcome::Failed => "failed",
        HookOutcome::TimedOut => "timed out",
        HookOutcome::Stopped => "stopped",
    };
    let mut words = vec![outcome.to_owned()];
    let mut say = |name: &str, text: Option<&str>| {
        if let Some(text) = text {
            words.push(format!("{name} {text}"));
        }
    };
    say("holds", reply.block.as_deref());
    say("ends", reply.end_turn.as_deref());
    if let Some((permission, reason)) = &reply.permission {
        let word = match permission {
            Permission::Allow => "allows",
            Permission::Ask => "asks",
            Permission::Defer => "defers",
            Permission::Deny => "denies",
        };
        say(word, Some(reason));
    }
    say("tells", reply.context.as_deref());
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    say("with", text(&reply.updated_input).as_deref());
    let shown = reply.updated_output.clone();
    let shown = shown.or(reply.withheld.clone().map(Value::from));
    say("shows", text(&shown).as_deref());
    say("says", reply.message.as_deref());
    words.join(", ")
}
