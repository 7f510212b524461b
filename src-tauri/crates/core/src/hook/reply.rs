//! What a hook's end means: its exit code, its JSON, and what becomes of one that failed. Pure.
//!
//! Exit 0: JSON decides, other text is context where the point has any. Exit 2 blocks, whatever
//! else it wrote. Any other code: JSON still decides, else it is an error that blocks nothing,
//! unless `failClosed` is set by hand. A hook that gave no answer at all (late, crashed, flooding,
//! not to be started, unreadable) blocks where it fails closed, and at a point that guards that
//! is so unless its definition says otherwise.

use serde::Deserialize;
use serde_json::{Map, Value};
use weir_protocol::{HookEvent, HookOutcome};

use super::process::{End, Ended, MOST_OUTPUT};
use super::{Cover, guards};
use crate::value_search::check_beginning;

/// What of a text is used at most, in characters. A reply is cut after it was covered.
pub(super) const LONGEST: usize = 10_000;

/// What a hook has to say.
#[derive(Clone, Debug, PartialEq)]
pub struct HookReply {
    pub outcome: HookOutcome,
    pub exit_code: Option<i32>,
    /// What the point is about is held back, and why.
    pub block: Option<String>,
    /// The turn ends here, and why.
    pub end_turn: Option<String>,
    /// On a tool call, with the reason.
    pub permission: Option<(Permission, String)>,
    /// For the user.
    pub message: Option<String>,
    /// For the model.
    pub context: Option<String>,
    pub updated_input: Option<Value>,
    pub updated_output: Option<Value>,
    /// It was to look at a result and could not: nobody reads that one, whatever others make of it.
    pub withheld: Option<String>,
}

/// A hook's word on a tool call, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    Allow,
    Ask,
    /// Somebody else is to say: the user is.
    Defer,
    Deny,
}

impl HookReply {
    /// It has nothing to say.
    pub fn passed() -> Self {
        Self::ended(HookOutcome::Passed)
    }

    pub(super) fn ended(outcome: HookOutcome) -> Self {
        Self {
            outcome,
            exit_code: None,
            block: None,
            end_turn: None,
            permission: None,
            message: None,
            context: None,
            updated_input: None,
            updated_output: None,
            withheld: None,
        }
    }

    /// The user did not wait for it. What it was to look at first does not happen any more; what
    /// it was to look at afterwards is there, and nobody reads it unchecked.
    pub(super) fn stopped(event: HookEvent, fail_closed: Option<bool>) -> Self {
        let mut reply = Self::ended(HookOutcome::Stopped);
        if event == HookEvent::PostToolUse && fail_closed == Some(true) {
            let held = "A hook that guards this was stopped before it answered.";
            reply.withheld = Some(held.to_owned());
        }
        reply
    }

    /// It holds back what the point is about, as far as the point allows.
    pub fn blocked(event: HookEvent, reason: &str) -> Self {
        let mut reply = Self::ended(HookOutcome::Blocked);
        reply.block(event, reason.to_owned());
        reply
    }

    fn block(&mut self, event: HookEvent, reason: String) {
        self.outcome = HookOutcome::Blocked;
        match event {
            HookEvent::PreToolUse => {
                self.permission = Some((Permission::Deny, reason.clone()));
            }
            HookEvent::UserPromptSubmit | HookEvent::PreCompact => {
                self.block = Some(reason.clone());
            }
            // What it says is for the model, which goes on with it.
            HookEvent::PostToolUse | HookEvent::Stop | HookEvent::SubagentStop => {
                self.block = Some(reason.clone());
                self.context = Some(match self.context.take() {
                    Some(context) => format!("{reason}\n{context}"),
                    None => reason.clone(),
                });
            }
            // There is nothing to hold back: the user reads it.
            HookEvent::Notification | HookEvent::SessionStart => {
                self.outcome = HookOutcome::Failed;
            }
        }
        self.say(reason);
    }

    /// Puts what `cover` makes of it in the place of every text but a call's new input: that is
    /// run, not sent.
    pub(crate) fn cover(&mut self, cover: &Cover) {
        self.each_text(&|text| check_beginning(text, &|text| cover(text)));
    }

    /// Cuts every text to what is used of it. Only after it was covered: half an original looks
    /// like none.
    pub(crate) fn cut(&mut self) {
        self.each_text(&|text| cut(&text));
    }

    fn each_text(&mut self, change: &dyn Fn(String) -> String) {
        let texts = [
            &mut self.block,
            &mut self.end_turn,
            &mut self.message,
            &mut self.context,
            &mut self.withheld,
        ];
        for text in texts.into_iter().flatten() {
            *text = change(std::mem::take(text));
        }
        if let Some((_, reason)) = &mut self.permission {
            *reason = change(std::mem::take(reason));
        }
        if let Some(output) = &mut self.updated_output {
            each_text(output, change);
        }
    }

    fn say(&mut self, message: String) {
        self.message = Some(match self.message.take() {
            Some(before) if before != message => format!("{before}\n{message}"),
            Some(_) | None => message,
        });
    }
}

/// How a hook failed to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It is not what the user agreed to, as this says, and was not started.
    NotVouched(String),
    NotStarted(String),
    Crashed(String),
    TimedOut,
    Flooded,
    /// Its answer is no JSON that anybody could read.
    Unreadable(String),
    /// With a code that says nothing, and what it wrote to stderr.
    Exit {
        code: i32,
        stderr: String,
    },
}

impl Failure {
    fn why(&self) -> String {
        match self {
            Self::NotVouched(why) => why.clone(),
            Self::NotStarted(why) => format!("It could not be started: {why}."),
            Self::Crashed(why) => format!("It crashed: {why}."),
            Self::TimedOut => "It took too long and was ended.".to_owned(),
            Self::Flooded => format!(
                "It wrote more than {} KiB and was ended.",
                MOST_OUTPUT / 1024
            ),
            Self::Unreadable(why) => format!("Its answer could not be read: {why}."),
            Self::Exit { code, stderr } if stderr.is_empty() => {
                format!("It ended with exit code {code}.")
            }
            Self::Exit { code, stderr } => format!("It ended with exit code {code}: {stderr}"),
        }
    }

    fn outcome(&self) -> HookOutcome {
        match self {
            Self::TimedOut => HookOutcome::TimedOut,
            Self::NotVouched(_)
            | Self::NotStarted(_)
            | Self::Crashed(_)
            | Self::Flooded
            | Self::Unreadable(_)
            | Self::Exit { .. } => HookOutcome::Failed,
        }
    }

    fn is_closed(&self, event: HookEvent, fail_closed: Option<bool>) -> bool {
        match self {
            Self::Exit { .. } => fail_closed == Some(true),
            Self::NotVouched(_)
            | Self::NotStarted(_)
            | Self::Crashed(_)
            | Self::TimedOut
            | Self::Flooded
            | Self::Unreadable(_) => fail_closed.unwrap_or(guards(event)),
        }
    }

    /// Why something is held back by it.
    fn held(&self) -> String {
        match self {
            Self::NotVouched(why) => why.clone(),
            Self::NotStarted(_)
            | Self::Crashed(_)
            | Self::TimedOut
            | Self::Flooded
            | Self::Unreadable(_)
            | Self::Exit { .. } => {
                format!("A hook that guards this gave no answer. {}", self.why())
            }
        }
    }

    pub(super) fn reply(&self, event: HookEvent, fail_closed: Option<bool>) -> HookReply {
        let mut reply = HookReply::ended(self.outcome());
        let why = self.why();
        if self.is_closed(event, fail_closed) {
            let held = self.held();
            if let Self::NotVouched(_) = self {
                reply.outcome = HookOutcome::Blocked;
            }
            match event {
                HookEvent::PreToolUse => reply.permission = Some((Permission::Deny, held)),
                HookEvent::UserPromptSubmit | HookEvent::PreCompact => reply.block = Some(held),
                HookEvent::SessionStart => reply.end_turn = Some(held),
                // What nobody checked, nobody reads.
                HookEvent::PostToolUse => reply.withheld = Some(held),
                // To go on because a hook failed would be to go on for nothing.
                HookEvent::Notification | HookEvent::Stop | HookEvent::SubagentStop => {}
            }
        }
        reply.message = Some(why);
        reply
    }
}

/// Who starts the program: a shell tells by its exit code that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Starter {
    Shell,
    Program,
}

const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;
const BLOCKS: i32 = 2;

pub(super) fn read(
    event: HookEvent,
    fail_closed: Option<bool>,
    starter: Starter,
    ended: &Ended,
) -> HookReply {
    let fail = |failure: Failure| failure.reply(event, fail_closed);
    let code = match &ended.end {
        End::Exited(code) => *code,
        End::Killed(why) => return fail(Failure::Crashed(why.clone())),
        End::TimedOut => return fail(Failure::TimedOut),
        End::Flooded => return fail(Failure::Flooded),
        End::NotStarted(why) => return fail(Failure::NotStarted(why.clone())),
    };
    let (stdout, stderr) = (whole_text(&ended.stdout), whole_text(&ended.stderr));
    let mut reply = if code == BLOCKS {
        let reason = if stderr.is_empty() {
            "A hook said no and did not say why.".to_owned()
        } else {
            stderr
        };
        HookReply::blocked(event, &reason)
    } else if is_json(&ended.stdout) {
        match (Output::read(&ended.stdout), code) {
            (Ok(output), _) => output.reply(event),
            (Err(why), 0) => fail(Failure::Unreadable(why)),
            (Err(_), code) => fail(Failure::Exit { code, stderr }),
        }
    } else if code == 0 {
        let mut reply = HookReply::passed();
        reply.context = Some(stdout)
            .filter(|text| !text.is_empty())
            .filter(|_| is_context(event));
        reply
    } else if starter == Starter::Shell && (NOT_EXECUTABLE..=NOT_FOUND).contains(&code) {
        let why = if stderr.is_empty() {
            "there is no such program".to_owned()
        } else {
            stderr
        };
        fail(Failure::NotStarted(why))
    } else {
        fail(Failure::Exit { code, stderr })
    };
    reply.exit_code = Some(code);
    reply
}

/// Where plain text on stdout is for the model.
fn is_context(event: HookEvent) -> bool {
    match event {
        HookEvent::UserPromptSubmit | HookEvent::SessionStart => true,
        HookEvent::PreToolUse
        | HookEvent::PostToolUse
        | HookEvent::Notification
        | HookEvent::Stop
        | HookEvent::SubagentStop
        | HookEvent::PreCompact => false,
    }
}

fn is_json(stdout: &[u8]) -> bool {
    stdout.trim_ascii_start().first() == Some(&b'{')
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    #[serde(rename = "continue")]
    goes_on: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    decision: Option<Decision>,
    reason: Option<String>,
    hook_specific_output: Option<Specific>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Block,
    /// An older word that decides nothing here.
    Approve,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Specific {
    permission_decision: Option<PermissionDecision>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Map<String, Value>>,
    additional_context: Option<String>,
    updated_tool_output: Option<Value>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PermissionDecision {
    Allow,
    Deny,
    Ask,
    Defer,
}

impl PermissionDecision {
    fn permission(self) -> Permission {
        match self {
            Self::Allow => Permission::Allow,
            Self::Deny => Permission::Deny,
            Self::Ask => Permission::Ask,
            Self::Defer => Permission::Defer,
        }
    }
}

impl Output {
    fn read(stdout: &[u8]) -> Result<Self, String> {
        // Without the place and the words that it quotes: they may be anything.
        let unreadable = |error: serde_json::Error| match error.classify() {
            serde_json::error::Category::Data => {
                "a field has a value that Weir does not know".to_owned()
            }
            serde_json::error::Category::Io
            | serde_json::error::Category::Syntax
            | serde_json::error::Category::Eof => "it is no JSON".to_owned(),
        };
        serde_json::from_slice(stdout).map_err(unreadable)
    }

    fn reply(self, event: HookEvent) -> HookReply {
        let mut reply = HookReply::passed();
        let specific = self.hook_specific_output.unwrap_or_default();
        reply.message = self.system_message.clone();
        let context = specific.additional_context.clone();
        let context = context.filter(|text| !text.is_empty());
        match event {
            HookEvent::PreToolUse => {
                reply.context = context;
                reply.updated_input = specific.updated_input.map(Value::Object);
                if let Some(word) = specific.permission_decision {
                    let reason = specific.permission_decision_reason.or(self.reason.clone());
                    reply.rule(word.permission(), reason.unwrap_or_default());
                }
            }
            HookEvent::PostToolUse => {
                reply.context = context;
                reply.updated_output = specific.updated_tool_output;
            }
            HookEvent::UserPromptSubmit | HookEvent::SessionStart => reply.context = context,
            HookEvent::Notification
            | HookEvent::Stop
            | HookEvent::SubagentStop
            | HookEvent::PreCompact => {}
        }
        if self.decision == Some(Decision::Block) {
            let reason = self.reason.clone();
            let reason = reason.filter(|reason| !reason.is_empty());
            let unsaid = "A hook said no and did not say why.".to_owned();
            reply.block(event, reason.unwrap_or(unsaid));
        }
        if self.goes_on == Some(false) {
            let reason = self.stop_reason.clone();
            let reason = reason.filter(|reason| !reason.is_empty());
            let reason = reason.unwrap_or_else(|| "A hook ended the turn.".to_owned());
            reply.outcome = HookOutcome::Blocked;
            reply.say(reason.clone());
            reply.end_turn = Some(reason);
        }
        reply
    }
}

impl HookReply {
    /// The word of a hook on a tool call.
    fn rule(&mut self, permission: Permission, reason: String) {
        match permission {
            Permission::Deny if reason.is_empty() => {
                let unsaid = "A hook said no and did not say why.".to_owned();
                self.block(HookEvent::PreToolUse, unsaid);
            }
            Permission::Deny => self.block(HookEvent::PreToolUse, reason),
            Permission::Ask | Permission::Defer | Permission::Allow => {
                self.permission = Some((permission, reason));
            }
        }
    }
}

fn each_text(value: &mut Value, change: &dyn Fn(String) -> String) {
    match value {
        Value::String(text) => *text = change(std::mem::take(text)),
        Value::Array(values) => values.iter_mut().for_each(|it| each_text(it, change)),
        Value::Object(fields) => fields.values_mut().for_each(|it| each_text(it, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What was written, as text that is used.
pub(super) fn text(bytes: &[u8]) -> String {
    cut(&whole_text(bytes))
}

fn whole_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}
