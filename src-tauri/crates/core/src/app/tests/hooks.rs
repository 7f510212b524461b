//! Hooks at the points of a turn, as real processes.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;
use weir_protocol::{
    DecidedBy, Decision, DecisionScope, Event, EventBody, HookEvent, HookOutcome, StopReason, code,
};

use super::budget::{dollars, priced};
use super::scripted::*;
use super::{fixture, prompt};
use crate::hook::{Definition, Handler, Hook, HookInput, HookReply, Hooks};
use crate::source::{Block, SourceError};
use crate::tool::Access;
use crate::tool::permission::{Permissions, RuleFile, Rules, read_rules};

fn hooks(folder: &Path, all: &[(HookEvent, &str)]) -> Hooks {
    let all: Vec<_> = all
        .iter()
        .map(|(event, command)| Definition {
            event: *event,
            matcher: String::new(),
            handler: Handler {
                command: (*command).to_owned(),
                args: None,
                timeout_ms: Some(300_000),
                fail_closed: None,
                ..Handler::default()
            },
        })
        .collect();
    Hooks::of_project(&all, folder)
}

async fn stage(replies: impl IntoIterator<Item = Reply>, all: &[(HookEvent, &str)]) -> Stage {
    let (turn, _) = watch::channel(false);
    let stage = Stage::new(replies).await;
    let folder = stage.folder();
    let mut stage = stage
        .with("look", Access::ReadOnly, Does::Answer(json!("there")))
        .with("write", Access::Changes, Does::Answer(json!("written")))
        .with("echo", Access::ReadOnly, Does::Then(turn.clone()));
    // The other end stays open, so that the tool may say what it was told.
    std::mem::forget(turn.subscribe());
    stage.hooks = hooks(folder.path(), all);
    stage
}

fn asks(name: &str) -> [Reply; 2] {
    [
        reply(&[call("a", name)], "tool_use"),
        reply(&[text("Well.")], "end_turn"),
    ]
}

/// The hooks that ran: where, and what came of it.
fn ran(events: &[Event]) -> Vec<(HookEvent, HookOutcome)> {
    let ran = events.iter().filter_map(|event| {
        if let EventBody::Hook {
            hook_event,
            outcome,
            ..
        } = &event.body
        {
            Some((*hook_event, *outcome))
        } else {
            None
        }
    });
    ran.collect()
}

fn deciders(events: &[Event]) -> Vec<(Decision, DecidedBy)> {
    let decisions = events.iter().filter_map(|event| {
        if let EventBody::PermissionDecision {
            decision,
            decided_by,
            ..
        } = &event.body
        {
            Some((*decision, *decided_by))
        } else {
            None
        }
    });
    decisions.collect()
}

fn sent(stage: &Stage, request: usize) -> String {
    let asked = stage.script.asked();
    let blocks = asked[request].messages.iter().flat_map(|it| &it.blocks);
    let words = blocks.map(|block| match block {
        Block::Text { text, .. } => text.clone(),
        Block::ToolResult { result, .. } => crate::source::plain(result),
        Block::Image { .. }
        | Block::Thinking { .. }
        | Block::ThinkingItem { .. }
        | Block::Redacted(_)
        | Block::Reasoning(_)
        | Block::ToolUse { .. } => String::new(),
    });
    words.collect::<Vec<_>>().join("\n")
}

fn permission(word: &str) -> String {
    format!(
        r#"echo '{{"hookSpecificOutput": {{"permissionDecision": "{word}", "permissionDecisionReason": "so"}}}}'"#
    )
}

fn rules(folder: &Path, text: &Value) -> Permissions {
    let (rules, _) = read_rules(RuleFile {
        name: "rules",
        text: &text.to_string(),
        project: folder,
    });
    Permissions::new(Arc::new(Rules::new(folder, rules)))
}

/// What a hook says, which tool is asked for, what the rules say, and what becomes of it: how
/// often the tool ran, and who decided.
#[tokio::test(flavor = "multi_thread")]
async fn before_a_call_the_stricter_word_counts() {
    use DecidedBy::{Hook, Rule, User};
    use Decision::{Allow, Deny};
    let none = json!({});
    let deny = json!({"permissions": {"deny": ["write"]}});
    let ask = json!({"permissions": {"ask": ["write"]}});
    let rows = [
        ("allow", "look", &none, 1, vec![]),
        ("allow", "write", &none, 1, vec![(Allow, Hook)]),
        ("allow", "write", &deny, 0, vec![(Deny, Rule)]),
        ("allow", "write", &ask, 1, vec![(Allow, User)]),
        ("ask", "look", &none, 1, vec![(Allow, User)]),
        ("defer", "look", &none, 1, vec![(Allow, User)]),
        ("ask", "write", &deny, 0, vec![(Deny, Rule)]),
        ("deny", "look", &none, 0, vec![(Deny, Hook)]),
        ("deny", "write", &ask, 0, vec![(Deny, Hook)]),
    ];
    for (word, tool, rule, runs, decided) in rows {
        let command = permission(word);
        let mut stage = stage(asks(tool), &[(HookEvent::PreToolUse, &command)]).await;
        stage.permissions = rules(stage.folder().path(), rule);
        let session = stage.start().await;
        if decided.iter().any(|(_, by)| *by == User) {
            stage.until("permission_request", 1).await;
            let events = stage.stored(session).await;
            let turn = events.iter().find_map(|event| event.turn_id).unwrap();
            let decide = stage
                .app
                .decide(session, turn, "a", Allow, DecisionScope::Once);
            decide.await.unwrap();
        }
        stage.app.wait(session).await;
        let events = stage.stored(session).await;
        let row = format!("{word} {tool} {rule}");
        assert_eq!(ended(&events), StopReason::EndTurn, "{row}");
        assert_eq!(stage.runs(), runs, "{row}");
        assert_eq!(deciders(&events), decided, "{row}");
        assert_eq!(ran(&events)[0].0, HookEvent::PreToolUse);
        if word == "deny" {
            assert_eq!(results(&events), [("a".into(), true, "so".into())]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hook_made_of_the_input_is_judged_and_run() {
    let command = r#"echo '{"hookSpecificOutput": {"updatedInput": {"at": "elsewhere"}}}'"#;
    let stage = stage(asks("echo"), &[(HookEvent::PreToolUse, command)]).await;
    let events = stage.run().await;
    let result = r#"{"at":"elsewhere"}"#.to_owned();
    assert_eq!(results(&events), [("a".into(), false, result)]);

    let command = r#"echo '{"hookSpecificOutput": {"updatedInput": {"path": "private"}, "permissionDecision": "allow"}}'"#;
    let mut stage = self::stage(asks("write"), &[(HookEvent::PreToolUse, command)]).await;
    let deny = json!({"permissions": {"deny": ["write(private)"]}});
    stage.permissions = rules(stage.folder().path(), &deny);
    let events = stage.run().await;
    assert_eq!(stage.runs(), 0);
    assert_eq!(deciders(&events), [(Decision::Deny, DecidedBy::Rule)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_call_hooks_see_the_result_first() {
    let rows = [
        (
            r#"echo '{"hookSpecificOutput": {"updatedToolOutput": "less"}}'"#,
            "less",
            None,
        ),
        (
            r#"echo '{"hookSpecificOutput": {"additionalContext": "more"}}'"#,
            "there",
            Some("adds, at PostToolUse: more]"),
        ),
        (
            "echo wrong >&2; exit 2",
            "there",
            Some("adds, at PostToolUse: wrong]"),
        ),
        (
            "grep -q '\"tool_response\":\"there\"' && exit 0; echo unseen >&2; exit 2",
            "there",
            None,
        ),
    ];
    for (command, result, context) in rows {
        let stage = stage(asks("look"), &[(HookEvent::PostToolUse, command)]).await;
        let events = stage.run().await;
        assert_eq!(results(&events), [("a".into(), false, result.into())]);
        let sent = sent(&stage, 1);
        assert!(sent.contains(result), "{sent}");
        match context {
            Some(context) => assert!(sent.contains(context), "{sent}"),
            None => assert!(!sent.contains("adds"), "{sent}"),
        }
        assert_eq!(ended(&events), StopReason::EndTurn);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_keep_a_turn_going_eight_times_at_most() {
    let replies = (0..12).map(|_| reply(&[text("Done.")], "end_turn"));
    let command = "cat >> told; echo again >&2; exit 2";
    let stage = stage(replies, &[(HookEvent::Stop, command)]).await;
    let events = stage.run().await;
    assert_eq!(ended(&events), StopReason::EndTurn);
    assert_eq!(stage.script.asked().len(), 9);
    assert_eq!(ran(&events).len(), 9);
    assert!(sent(&stage, 8).contains("adds, at Stop: again]"));
    let told = std::fs::read_to_string(stage.folder().path().join("told")).unwrap();
    let active = told.lines().map(|line| {
        let told: Value = serde_json::from_str(line).unwrap();
        told["stop_hook_active"].as_bool().unwrap()
    });
    let active: Vec<bool> = active.collect();
    assert_eq!(active, [[false].as_slice(), &[true; 8]].concat());

    // Its steps count like any other's.
    let replies = (0..12).map(|_| reply(&[text("Done.")], "end_turn"));
    let mut stage = self::stage(replies, &[(HookEvent::Stop, "exit 2")]).await;
    stage.max_turns = 3;
    let events = stage.run().await;
    assert_eq!(ended(&events), StopReason::MaxTurns);
    assert_eq!(stage.script.asked().len(), 3);
}

/// Wherever a hook says so, the turn ends there and every call has a result.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_can_end_the_turn() {
    let command = r#"echo '{"continue": false, "stopReason": "Enough."}'"#;
    let rows = [
        (HookEvent::PreToolUse, 1, 0),
        (HookEvent::PostToolUse, 1, 1),
        (HookEvent::Stop, 2, 1),
    ];
    for (event, asked, runs) in rows {
        let stage = stage(asks("look"), &[(event, command)]).await;
        let events = stage.run().await;
        assert_eq!(ended(&events), StopReason::Blocked, "{event:?}");
        assert_eq!(stage.script.asked().len(), asked, "{event:?}");
        assert_eq!(stage.runs(), runs, "{event:?}");
        assert_eq!(results(&events).len(), 1, "{event:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_may_keep_a_conversation_as_long_as_it_is() {
    let too_long = || {
        Reply::Refuse(SourceError::Refused {
            status: 400,
            code: "context_too_long".into(),
            message: "prompt is too long: 207535 tokens > 200000 maximum".into(),
            retry_after: None,
            details: None,
        })
    };
    let command = "exit 2";
    let first = || reply(&[text("Yes.")], "end_turn");
    let stage = stage([first(), too_long()], &[(HookEvent::PreCompact, command)]).await;
    let events = stage.run_twice().await;
    assert_eq!(
        ran(&events),
        [(HookEvent::PreCompact, HookOutcome::Blocked)]
    );
    assert!(kinds(&events).ends_with(&["hook", "error"]), "{events:?}");
    let command = r#"echo '{"continue": false}'"#;
    let stage = self::stage([first(), too_long()], &[(HookEvent::PreCompact, command)]).await;
    assert_eq!(ended(&stage.run_twice().await), StopReason::Blocked);
    // One that is all prompt cannot be made shorter, so no hook is asked about it.
    let stage = self::stage([too_long()], &[(HookEvent::PreCompact, command)]).await;
    assert_eq!(ran(&stage.run().await), []);
    let replies = [
        first(),
        too_long(),
        reply(&[text("In short.")], "end_turn"),
        reply(&[text("Here.")], "end_turn"),
    ];
    let stage = self::stage(replies, &[(HookEvent::PreCompact, "exit 0")]).await;
    let events = stage.run_twice().await;
    assert_eq!(ended(&events), StopReason::EndTurn);
    assert!(kinds(&events).contains(&"compaction"));
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_hear_of_questions_and_hold_nobody_up() {
    let command = "cat > told";
    let mut stage = stage(asks("write"), &[(HookEvent::Notification, command)]).await;
    let session = stage.start().await;
    stage.until("permission_request", 1).await;
    let events = stage.stored(session).await;
    let turn = events.iter().find_map(|event| event.turn_id).unwrap();
    let decide = stage
        .app
        .decide(session, turn, "a", Decision::Deny, DecisionScope::Once);
    decide.await.unwrap();
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(
        ran(&events),
        [(HookEvent::Notification, HookOutcome::Passed)]
    );
    let told = std::fs::read_to_string(stage.folder().path().join("told")).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    let message = "write waits for permission: No rule says whether it may.";
    assert_eq!(told["message"], message);
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_hear_of_a_budget_that_is_nearly_spent() {
    let replies = (0..2).map(|_| reply(&[text("Yes.")], "end_turn"));
    let stage = stage(replies, &[(HookEvent::Notification, "cat > told")]).await;
    let stage = priced(stage).await;
    stage.app.set_budget(dollars(0.0045)).await.unwrap();
    let events = stage.run().await;
    let notified = [(HookEvent::Notification, HookOutcome::Passed)];
    assert_eq!(ran(&events), notified);
    let told = std::fs::read_to_string(stage.folder().path().join("told")).unwrap();
    assert!(told.contains("is nearly spent"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_hear_of_helpers_that_came_back() {
    let lines = |again: bool| {
        let mut lines =
            vec![json!({"type": "subagent_start", "data": {"agent": "a", "task": "t"}})];
        lines.push(json!({"type": "subagent_complete", "data": {"agent": "a", "summary": "s"}}));
        lines.retain(|_| again);
        lines.push(json!({"type": "done", "data": {}}));
        let lines = lines.iter().map(|line| format!("{line}\n"));
        Reply::Say(lines.collect())
    };
    let replies = [lines(true), lines(false)];
    let command = "echo not yet >&2; exit 2";
    let mut stage = stage(replies, &[(HookEvent::SubagentStop, command)]).await;
    stage.dialect = &crate::source::agent_lines::mapper::DIALECT;
    let events = stage.run().await;
    assert_eq!(
        ran(&events),
        [(HookEvent::SubagentStop, HookOutcome::Blocked)]
    );
    assert_eq!(ended(&events), StopReason::EndTurn);
    assert_eq!(stage.script.asked().len(), 2);
    assert!(sent(&stage, 1).contains("adds, at SubagentStop: not yet]"));
}

/// A hook that hangs over a call holds up neither the stop nor another session.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_the_hooks_of_the_turn() {
    for event in [
        HookEvent::PreToolUse,
        HookEvent::PostToolUse,
        HookEvent::Stop,
    ] {
        let command = "touch here; sleep 600";
        let mut stage = stage(asks("look"), &[(event, command)]).await;
        let session = stage.start().await;
        stage.until("tool_use", 1).await;
        let here = stage.folder().path().join("here");
        while !here.exists() {
            tokio::task::yield_now().await;
        }
        let other = stage.start_demo().await;
        stage.app.wait(other).await;
        stage.app.stop(session).await.unwrap();
        let events = stage.stored(session).await;
        let expected = match event {
            HookEvent::Stop => StopReason::EndTurn,
            HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::UserPromptSubmit
            | HookEvent::Notification
            | HookEvent::SubagentStop
            | HookEvent::PreCompact
            | HookEvent::SessionStart => StopReason::Cancelled,
        };
        assert_eq!(ended(&events), expected, "{event:?}");
        assert_eq!(results(&events).len(), 1);
    }
}

struct Says(HookReply);

impl Hook for Says {
    fn name(&self) -> String {
        "says".into()
    }

    fn run(&self, _: HookInput) -> futures_util::future::BoxFuture<'static, HookReply> {
        Box::pin(std::future::ready(self.0.clone()))
    }
}

#[tokio::test]
async fn a_prompt_that_is_held_back_leaves_no_trace() {
    let fixture = fixture().await;
    let reply = HookReply::blocked(HookEvent::UserPromptSubmit, "Not like this.");
    let callback = Arc::new(Says(reply));
    fixture
        .app
        .register_hook(HookEvent::UserPromptSubmit, "", callback);
    let held = fixture.app.send(prompt("fast")).await.unwrap_err().body();
    assert_eq!(held.code, code::BLOCKED);
    assert_eq!(held.message, "A hook held this prompt back: Not like this.");
    assert_eq!(fixture.app.store().sessions().await.unwrap(), []);
}

/// Startup and resume are heard once each; what hooks say stands behind the prompt.
#[tokio::test]
async fn a_session_starts_once_and_what_hooks_say_follows_the_prompt() {
    let fixture = fixture().await;
    let mut reply = HookReply::passed();
    reply.context = Some("It rains.".into());
    for event in [HookEvent::SessionStart, HookEvent::UserPromptSubmit] {
        let callback = Arc::new(Says(reply.clone()));
        fixture.app.register_hook(event, "", callback);
    }
    let session = fixture.app.send(prompt("fast")).await.unwrap();
    fixture.app.wait(session).await;
    let mut again = prompt("fast");
    again.session = Some(session);
    fixture.app.send(again).await.unwrap();
    fixture.app.wait(session).await;
    let events = fixture.app.store().events_since(session, 0).await.unwrap();
    let expected = [
        HookEvent::SessionStart,
        HookEvent::UserPromptSubmit,
        HookEvent::UserPromptSubmit,
    ];
    assert_eq!(
        ran(&events),
        expected.map(|event| (event, HookOutcome::Passed))
    );
    let names: Vec<_> = events.iter().map(|event| event.body.name()).collect();
    assert_eq!(
        names[..4],
        ["session_start", "user_message", "hook", "hook"]
    );
}
