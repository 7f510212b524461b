//! One turn's guard and its session's vault, on texts that are about to be sent: prompts,
//! instructions, tool results.
//!
//! Decides what each verdict comes to where a text stands. A prompt can be asked about and can
//! be held back. In the middle of a turn nobody is asked about a text, and `ask` redacts: the
//! only text that passes after a question is a prompt that the user said may go as it is.

use std::sync::Arc;

use serde_json::Value;
use weir_protocol::{Detection, ErrorBody, EventBody, GuardCategory, GuardVerdict, code};

use super::Choice;
use super::vault::Vault;
use crate::guard::{Found, Guard, GuardError, SIZE, Stage};
use crate::secret::SourceSecrets;
use crate::store::TakenFrom;
use crate::tool::ToolOutcome;
use crate::value_search::{Extent, KnownValues};

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
    /// The user was asked, and said so.
    AsItIs,
    Redact,
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
        (GuardVerdict::Warn, _) | (GuardVerdict::Ask, OnAsk::AsItIs) => Fate::Passes,
        // A text that is too long has nothing in it to redact.
        (GuardVerdict::Redact | GuardVerdict::Ask, _) if found.span.is_empty() => Fate::Blocks,
        (GuardVerdict::Redact, _) | (GuardVerdict::Ask, OnAsk::Redact) => Fate::TakenOut,
        (GuardVerdict::Block, _) => Fate::Blocks,
    }
}

/// Clones share the vault.
#[derive(Clone)]
pub(crate) struct Checks {
    pub(super) guard: Guard,
    pub(crate) vault: Vault,
    /// The source's own key, and what is made of it.
    pub(super) secrets: SourceSecrets,
    /// The same when a reply began; absent outside of replies.
    pub(super) frozen_key: Option<Arc<KnownValues>>,
    /// The originals that were known when a reply began; absent outside of replies.
    pub(super) frozen: Option<Arc<KnownValues>>,
}

impl Checks {
    pub(crate) fn new(guard: Guard, vault: Vault) -> Self {
        Self {
            guard,
            vault,
            secrets: SourceSecrets::default(),
            frozen_key: None,
            frozen: None,
        }
    }

    /// The prompt as it is stored and sent, and what was found in it.
    pub(crate) fn prompt(
        &self,
        text: String,
        choice: Choice,
    ) -> Result<(String, Option<Noticed>), HeldBack> {
        let found = self.guard.check(Stage::Input, &text);
        let on_ask = match choice {
            Choice::Unasked | Choice::AsItIs => OnAsk::AsItIs,
            Choice::Redact => OnAsk::Redact,
        };
        let blocks = |it: &&Found| fate(it, on_ask) == Fate::Blocks;
        if found.iter().any(|it| blocks(&it)) {
            let what = named(found.iter().filter(blocks));
            return Err(HeldBack::Blocked { what });
        }
        let asks = |it: &&Found| it.asks();
        if choice == Choice::Unasked && found.iter().any(|it| asks(&it)) {
            let what = named(found.iter().filter(asks));
            return Err(HeldBack::Asks { what });
        }
        Ok(self.take_out(text, &found, on_ask))
    }

    /// What the model is told beforehand: the user's own words, and a project's.
    pub(crate) fn system(
        &self,
        text: String,
        place: &'static str,
    ) -> Result<(String, Option<Noticed>), HeldBack> {
        let found = self.guard.check(Stage::Input, &text);
        let blocks = |it: &&Found| fate(it, OnAsk::Redact) == Fate::Blocks;
        let blocking = || found.iter().filter(blocks);
        if blocking().next().is_some() {
            let what = named(blocking());
            return Err(HeldBack::Beforehand { place, what });
        }
        Ok(self.take_out(text, &found, OnAsk::Redact))
    }

    fn take_out(&self, text: String, found: &[Found], on_ask: OnAsk) -> (String, Option<Noticed>) {
        self.vault.keep_literal(&text);
        let mut noticed = Vec::new();
        let text = self.changed(text, found, on_ask, TakenFrom::Input, &mut noticed);
        (
            self.without_known(text, Extent::Whole),
            Noticed::of(noticed),
        )
    }

    /// A tool's result as it is stored and sent. One that a rule blocks is not sent at all. It is
    /// shortened once it has been checked, and has to keep to the limit on its size as it is then.
    pub(crate) fn result(
        &self,
        mut outcome: ToolOutcome,
        shorten: impl FnOnce(ToolOutcome) -> ToolOutcome,
    ) -> (ToolOutcome, Option<Noticed>) {
        let mut noticed = Vec::new();
        self.value(&mut outcome.result, Stage::Input, &mut noticed);
        noticed.retain(|(_, it)| it.rule != SIZE);
        outcome = shorten(outcome);
        let length = crate::source::plain(&outcome.result).len();
        if let Some(found) = self.guard.too_long(Stage::Input, length) {
            let fate = fate(&found, OnAsk::Redact);
            noticed.push((verdict_of(&found, fate), detection(&found, None)));
        }
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
        let extent = extent(stage);
        self.value_without_key(value);
        self.value_under("", value, stage, noticed);
        self.value_without_known(value, extent);
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
                    let checked = self.by_rules(name.clone(), stage, noticed);
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
        let text = self.without_key(text);
        let text = self.by_rules(text, stage, noticed);
        self.without_known(text, extent(stage))
    }

    fn by_rules(
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
        let taken_from = match stage {
            Stage::Input => {
                self.vault.keep_literal(&text);
                TakenFrom::Input
            }
            Stage::Output => TakenFrom::Output,
        };
        self.changed(text, found, OnAsk::Redact, taken_from, noticed)
    }

    /// A sentence of Weir's or of a source's about something that went wrong, without what a
    /// guard takes out or blocks. Nobody is told: the sentence is no part of the conversation.
    pub(crate) fn covered(&self, text: String) -> String {
        self.cover(text, Stage::Output, TakenFrom::Output)
    }

    /// The same for words that go along with what is sent: what a hook says.
    pub(crate) fn covered_to_send(&self, text: String) -> String {
        self.cover(text, Stage::Input, TakenFrom::Input)
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

    /// What stands in the log for something of a source's that nobody understands.
    pub(super) fn covered_raw(&self, mut value: Value) -> Value {
        let mut noticed = Vec::new();
        self.value(&mut value, Stage::Output, &mut noticed);
        if noticed
            .iter()
            .any(|(verdict, _)| *verdict == GuardVerdict::Block)
        {
            return Value::String("A guard held back what was said here.".to_owned());
        }
        self.value_without_known(&mut value, Extent::Pieces);
        value
    }

    /// An id, a model or a tool as a source names it, without secrets. Other rules, and words of
    /// the user's own, are about what is said.
    pub(crate) fn covered_name(&self, name: String) -> String {
        let name = self.without_key(name);
        let mut found = self.guard.check(Stage::Output, &name);
        found.retain(|it| it.category == GuardCategory::Secret);
        if found
            .iter()
            .any(|it| fate(it, OnAsk::Redact) == Fate::Blocks)
        {
            return "held-back".to_owned();
        }
        let (on_ask, taken_from) = (OnAsk::Redact, TakenFrom::Output);
        let name = self.changed(name, &found, on_ask, taken_from, &mut Vec::new());
        self.without_known(name, Extent::Whole)
    }

    fn cover(&self, text: String, stage: Stage, taken_from: TakenFrom) -> String {
        let text = self.without_key(text);
        let found = self.guard.check(stage, &text);
        let blocks = |it: &Found| fate(it, OnAsk::Redact) == Fate::Blocks;
        if found.iter().any(blocks) {
            return "A guard held back what was said here.".to_owned();
        }
        let text = self.changed(text, &found, OnAsk::Redact, taken_from, &mut Vec::new());
        self.without_known(text, Extent::Pieces)
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

/// What goes to a model may hold pieces of originals that a program was given; a model was given
/// none.
pub(super) fn extent(stage: Stage) -> Extent {
    match stage {
        Stage::Input => Extent::Pieces,
        Stage::Output => Extent::Whole,
    }
}

/// What is reported of it: a question that was answered by redacting it is a redaction.
pub(super) fn verdict_of(found: &Found, fate: Fate) -> GuardVerdict {
    match fate {
        Fate::TakenOut => GuardVerdict::Redact,
        Fate::Blocks => GuardVerdict::Block,
        Fate::Ignored | Fate::Passes => found.action,
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
