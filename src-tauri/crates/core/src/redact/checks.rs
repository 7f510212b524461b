//! One turn's guard and its session's vault, on texts that are about to be sent: prompts,
//! instructions, tool results.
//!
//! Decides what each verdict comes to where a text stands. A prompt can be asked about and can
//! be held back; in the middle of a turn nobody is asked about a text: there `ask` takes out what
//! is secret and lets pass, told, what only tries to instruct.

use serde_json::Value;
use weir_protocol::{Detection, ErrorBody, EventBody, GuardCategory, GuardVerdict, code};

use super::Choice;
use super::vault::Vault;
use crate::guard::{Found, Guard, GuardError, Stage};
use crate::store::TakenFrom;
use crate::tool::ToolOutcome;

/// Why a prompt was not sent. Nothing of it is saved.
#[derive(Debug, thiserror::Error)]
pub enum HeldBack {
    #[error("{}.", .0.to_string().trim_end_matches('.'))]
    Failed(#[from] GuardError),
    #[error(
        "A guard holds this back: it found {what}. Take it out, or change the rule in Settings, Guards."
    )]
    Blocked { what: String },
    #[error("A guard found {what} and asks before it is sent.")]
    Asks { what: String },
    #[error(
        "A guard holds this back: {place} has {what}. Take it out there, or change the rule in Settings, Guards."
    )]
    Beforehand { place: &'static str, what: String },
}

impl HeldBack {
    pub fn body(&self) -> ErrorBody {
        let code = match self {
            Self::Failed(_) | Self::Blocked { .. } | Self::Beforehand { .. } => code::BLOCKED,
            Self::Asks { .. } => code::GUARD_ASKS,
        };
        ErrorBody::new(code, self.to_string())
    }
}

/// What a guard found in a text that went on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Noticed {
    pub(crate) verdict: GuardVerdict,
    pub(crate) detections: Vec<Detection>,
}

impl Noticed {
    pub(super) fn of(detections: Vec<(GuardVerdict, Detection)>) -> Option<Self> {
        let verdict = detections.iter().map(|(verdict, _)| *verdict).max()?;
        Some(Self {
            verdict,
            detections: detections.into_iter().map(|(_, it)| it).collect(),
        })
    }

    /// Whether the text tried to instruct the model: what it asks for is not the user's wish.
    pub(crate) fn is_injection(&self) -> bool {
        let tries = |it: &Detection| it.category == GuardCategory::Injection;
        self.detections.iter().any(tries)
    }

    fn parts(self) -> (GuardVerdict, Vec<String>, Vec<Detection>, u32) {
        let mut plugins: Vec<String> = Vec::new();
        for detection in &self.detections {
            let plugin = category_name(detection.category);
            if !plugins.iter().any(|known| known == plugin) {
                plugins.push(plugin.to_owned());
            }
        }
        let count = u32::try_from(self.detections.len()).unwrap_or(u32::MAX);
        (self.verdict, plugins, self.detections, count)
    }

    /// The event that tells of a prompt, or of the result of a call.
    pub(crate) fn input_event(self, tool_call_id: Option<String>) -> EventBody {
        let (verdict, plugins, detections, count) = self.parts();
        EventBody::GuardrailsTriggered {
            verdict,
            plugins,
            detections,
            count,
            tool_call_id,
        }
    }

    pub(super) fn output_event(self) -> EventBody {
        let (verdict, plugins, detections, count) = self.parts();
        EventBody::OutputGuardrailsTriggered {
            verdict,
            plugins,
            detections,
            count,
        }
    }
}

/// What becomes of a text that `ask` is said of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnAsk {
    Pass,
    Redact,
    /// Taken out, unless it only tries to instruct.
    RedactSecrets,
}

/// What becomes of one thing that was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nobody needs to know.
    Ignored,
    Passes,
    TakenOut,
    Blocks,
}

pub(super) fn fate(found: &Found, on_ask: OnAsk) -> Fate {
    match (found.action, on_ask) {
        (GuardVerdict::Allow, _) => Fate::Ignored,
        // A text that is too long has nothing in it to take out.
        (GuardVerdict::Redact, _) if found.span.is_empty() => Fate::Passes,
        (GuardVerdict::Redact, _) => Fate::TakenOut,
        (GuardVerdict::Warn, _) => Fate::Passes,
        (GuardVerdict::Block, _) => Fate::Blocks,
        (GuardVerdict::Ask, OnAsk::Pass) => Fate::Passes,
        (GuardVerdict::Ask, OnAsk::Redact) => Fate::TakenOut,
        (GuardVerdict::Ask, OnAsk::RedactSecrets) => match found.category {
            GuardCategory::Injection => Fate::Passes,
            GuardCategory::Secret | GuardCategory::Personal | GuardCategory::Custom => {
                Fate::TakenOut
            }
        },
    }
}

/// Clones share the vault.
#[derive(Clone)]
pub(crate) struct Checks {
    pub(super) guard: Guard,
    pub(crate) vault: Vault,
}

impl Checks {
    pub(crate) fn new(guard: Guard, vault: Vault) -> Self {
        Self { guard, vault }
    }

    /// The prompt as it is stored and sent, and what was found in it.
    pub(crate) fn prompt(
        &self,
        text: String,
        choice: Choice,
    ) -> Result<(String, Option<Noticed>), HeldBack> {
        let found = self.guard.check(Stage::Input, &text);
        let with = |action: GuardVerdict| found.iter().filter(move |it| it.action == action);
        if with(GuardVerdict::Block).next().is_some() {
            let what = named(with(GuardVerdict::Block));
            return Err(HeldBack::Blocked { what });
        }
        let on_ask = match choice {
            Choice::Unasked if with(GuardVerdict::Ask).next().is_some() => {
                let what = named(with(GuardVerdict::Ask));
                return Err(HeldBack::Asks { what });
            }
            Choice::Unasked | Choice::AsItIs => OnAsk::Pass,
            Choice::Redact => OnAsk::Redact,
        };
        Ok(self.take_out(text, &found, on_ask))
    }

    /// What the model is told beforehand: the user's own words, and a project's.
    pub(crate) fn system(
        &self,
        text: String,
        place: &'static str,
    ) -> Result<(String, Option<Noticed>), HeldBack> {
        let found = self.guard.check(Stage::Input, &text);
        let blocking = || found.iter().filter(|it| it.action == GuardVerdict::Block);
        if blocking().next().is_some() {
            let what = named(blocking());
            return Err(HeldBack::Beforehand { place, what });
        }
        Ok(self.take_out(text, &found, OnAsk::RedactSecrets))
    }

    fn take_out(&self, text: String, found: &[Found], on_ask: OnAsk) -> (String, Option<Noticed>) {
        self.vault.keep_literal(&text);
        let mut noticed = Vec::new();
        let text = self.changed(text, found, on_ask, TakenFrom::Input, &mut noticed);
        (text, Noticed::of(noticed))
    }

    /// A tool's result as it is stored and sent. One that a rule blocks is not sent at all.
    pub(crate) fn result(&self, mut outcome: ToolOutcome) -> (ToolOutcome, Option<Noticed>) {
        let mut noticed = Vec::new();
        self.value(&mut outcome.result, Stage::Input, &mut noticed);
        let noticed = Noticed::of(noticed);
        if let Some(Noticed {
            verdict: GuardVerdict::Block,
            detections,
        }) = &noticed
        {
            let rules: Vec<_> = detections.iter().map(|it| it.rule.as_str()).collect();
            let reason = format!(
                "The result of this call was held back by a guard of the user's ({}).",
                rules.join(", ")
            );
            outcome = ToolOutcome::failed(reason);
        }
        (outcome, noticed)
    }

    /// Changes a value in its place.
    pub(super) fn value(
        &self,
        value: &mut Value,
        stage: Stage,
        noticed: &mut Vec<(GuardVerdict, Detection)>,
    ) {
        self.value_under("", value, stage, noticed);
    }

    /// A value that stands under a name: what only the name tells to be secret is found as well.
    /// An item of an array stands under the array's.
    fn value_under(
        &self,
        name: &str,
        value: &mut Value,
        stage: Stage,
        noticed: &mut Vec<(GuardVerdict, Detection)>,
    ) {
        match value {
            Value::String(text) => {
                *text = self.given(name, std::mem::take(text), stage, noticed);
            }
            Value::Number(number) => {
                let before = number.to_string();
                let after = self.given(name, before.clone(), stage, noticed);
                if after != before {
                    *value = Value::String(after);
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.value_under(name, item, stage, noticed);
                }
            }
            Value::Object(fields) => {
                for (name, mut value) in std::mem::take(fields) {
                    let checked = self.whole(name.clone(), stage, noticed);
                    self.value_under(&name, &mut value, stage, noticed);
                    fields.insert(checked, value);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn given(
        &self,
        name: &str,
        text: String,
        stage: Stage,
        noticed: &mut Vec<(GuardVerdict, Detection)>,
    ) -> String {
        let found = if name.is_empty() {
            self.guard.check(stage, &text)
        } else {
            self.guard.check_named(stage, name, &text)
        };
        self.changed_whole(text, &found, stage, noticed)
    }

    /// A text that came whole, in the middle of a turn. What blocks is only noticed.
    pub(super) fn whole(
        &self,
        text: String,
        stage: Stage,
        noticed: &mut Vec<(GuardVerdict, Detection)>,
    ) -> String {
        let found = self.guard.check(stage, &text);
        self.changed_whole(text, &found, stage, noticed)
    }

    fn changed_whole(
        &self,
        text: String,
        found: &[Found],
        stage: Stage,
        noticed: &mut Vec<(GuardVerdict, Detection)>,
    ) -> String {
        let (on_ask, taken_from) = match stage {
            Stage::Input => {
                self.vault.keep_literal(&text);
                (OnAsk::RedactSecrets, TakenFrom::Input)
            }
            Stage::Output => (OnAsk::Pass, TakenFrom::Output),
        };
        self.changed(text, found, on_ask, taken_from, noticed)
    }

    /// A sentence of Weir's or of a source's about something that went wrong, without what a
    /// guard takes out or blocks. Nobody is told: the sentence is no part of the conversation.
    pub(crate) fn covered(&self, text: String) -> String {
        self.cover(text, Stage::Output, OnAsk::Pass, TakenFrom::Output)
    }

    /// The same for words that go along with what is sent: what a hook says.
    pub(crate) fn covered_to_send(&self, text: String) -> String {
        let on_ask = OnAsk::RedactSecrets;
        self.cover(text, Stage::Input, on_ask, TakenFrom::Input)
    }

    /// What stands in the log for a value that a hook gave.
    pub(crate) fn covered_value(&self, mut value: Value) -> Value {
        // The hook was told the originals: what is not to be sent is not to be stored either.
        let mut noticed = Vec::new();
        self.value(&mut value, Stage::Input, &mut noticed);
        if noticed
            .iter()
            .any(|(verdict, _)| *verdict == GuardVerdict::Block)
        {
            return Value::String("A guard held back what was said here.".to_owned());
        }
        value
    }

    /// An id, a model or a tool as a source names it, without secrets. Other rules, and words of
    /// the user's own, are about what is said.
    pub(crate) fn covered_name(&self, name: String) -> String {
        let mut found = self.guard.check(Stage::Output, &name);
        found.retain(|it| it.category == GuardCategory::Secret);
        if found.iter().any(|it| fate(it, OnAsk::Pass) == Fate::Blocks) {
            return "held-back".to_owned();
        }
        self.changed(
            name,
            &found,
            OnAsk::Pass,
            TakenFrom::Output,
            &mut Vec::new(),
        )
    }

    fn cover(&self, text: String, stage: Stage, on_ask: OnAsk, taken_from: TakenFrom) -> String {
        let found = self.guard.check(stage, &text);
        let blocks = |it: &Found| fate(it, on_ask) == Fate::Blocks;
        if found.iter().any(blocks) {
            return "A guard held back what was said here.".to_owned();
        }
        self.changed(text, &found, on_ask, taken_from, &mut Vec::new())
    }

    fn changed(
        &self,
        text: String,
        found: &[Found],
        on_ask: OnAsk,
        taken_from: TakenFrom,
        noticed: &mut Vec<(GuardVerdict, Detection)>,
    ) -> String {
        if found.is_empty() {
            return text;
        }
        let mut changed = String::with_capacity(text.len());
        let mut from = 0;
        for found in found {
            let fate = fate(found, on_ask);
            let placeholder = match fate {
                Fate::Ignored => continue,
                Fate::Passes | Fate::Blocks => None,
                Fate::TakenOut => {
                    let value = &text[found.span.clone()];
                    let placeholder = self.vault.take_out(&found.label, value, taken_from);
                    changed.push_str(&text[from..found.span.start]);
                    changed.push_str(&placeholder);
                    from = found.span.end;
                    Some(placeholder)
                }
            };
            noticed.push((verdict_of(found, fate), detection(found, placeholder)));
        }
        changed.push_str(&text[from..]);
        changed
    }
}

/// What is told of it: a question that was answered by taking it out is a redaction.
pub(super) fn verdict_of(found: &Found, fate: Fate) -> GuardVerdict {
    match fate {
        Fate::TakenOut => GuardVerdict::Redact,
        Fate::Ignored | Fate::Passes | Fate::Blocks => found.action,
    }
}

pub(super) fn detection(found: &Found, placeholder: Option<String>) -> Detection {
    Detection {
        rule: found.rule.to_string(),
        category: found.category,
        start: found.span.start as u64,
        end: found.span.end as u64,
        placeholder,
    }
}

pub(super) fn category_name(category: GuardCategory) -> &'static str {
    match category {
        GuardCategory::Secret => "secret",
        GuardCategory::Personal => "personal",
        GuardCategory::Injection => "injection",
        GuardCategory::Custom => "custom",
    }
}

/// The rules that found something, each once, for a person.
fn named<'f>(found: impl Iterator<Item = &'f Found>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for found in found {
        if !names.contains(&&*found.rule) {
            names.push(&found.rule);
        }
    }
    names.join(", ")
}

#[cfg(test)]
pub(super) mod tests;
