//! Every text of a turn, checked against the values that must not appear in it: what the
//! session's vault holds, and the key of the source.
//!
//! Rules find what looks like a secret; this finds what is known to be one, whatever it looks
//! like. Invariant: nothing is stored, shown, sent or logged of a call, a hook, an error or a
//! summary that holds a known value in any form that [`crate::value_search`] reads. What a source
//! says passes the same check in `output`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;
use weir_protocol::{ErrorBody, Event, EventBody};

use super::checks::Checks;
use super::placeholder;
use crate::secret::SourceSecrets;
use crate::source::{Block, Message};
use crate::value_search::{Extent, KnownValues};

impl Checks {
    /// Without the key of the source and without originals of the session.
    pub(super) fn without_known(&self, text: String, extent: Extent) -> String {
        let text = self.without_key(text);
        self.known().redact(text, extent)
    }

    /// Without the key of the source, or a long piece of it: servers like to show its ends.
    pub(super) fn without_key(&self, text: String) -> String {
        self.key().redact(text, Extent::Pieces)
    }

    /// Whether a text that cannot be changed holds a known value.
    pub(super) fn holds_known(&self, text: &str) -> bool {
        let holds = |known: &KnownValues, extent| !known.find(text, extent).is_empty();
        holds(&self.key(), Extent::Pieces) || holds(&self.known(), Extent::Whole)
    }

    /// The originals that are searched for: as many as were known when a reply began, so that
    /// what becomes of it does not depend on how it is cut.
    pub(super) fn known(&self) -> Arc<KnownValues> {
        match &self.frozen {
            Some(frozen) => Arc::clone(frozen),
            None => self.vault.known(),
        }
    }

    /// For one reply of a source.
    pub(super) fn frozen(mut self) -> Self {
        self.frozen = Some(self.vault.known());
        self.frozen_key = Some(self.secrets.values());
        self
    }

    /// With the key of the source, which nobody is to see either, and with whatever its source
    /// makes of it from now on.
    pub(crate) fn with_key(mut self, secrets: &SourceSecrets) -> Self {
        self.secrets = secrets.clone();
        self
    }

    /// The key of the source with all its parts; while a reply arrives, as it was when the reply
    /// began.
    pub(super) fn key(&self) -> Arc<KnownValues> {
        match &self.frozen_key {
            Some(frozen) => Arc::clone(frozen),
            None => self.secrets.values(),
        }
    }

    /// Before any rule looks: a key is nobody's to keep, not even sealed.
    pub(super) fn value_without_key(&self, value: &mut Value) {
        redact(&self.key(), Extent::Pieces, &mut |each| {
            each_text(value, each)
        });
    }

    pub(super) fn value_without_known(&self, value: &mut Value, extent: Extent) {
        self.value_without_key(value);
        redact(&self.known(), extent, &mut |each| each_text(value, each));
    }

    /// The last check before an event is stored and published. What a source said is not changed
    /// here any more: it was checked while it came, and its chunks are shown already.
    pub(crate) fn seal_event(&self, event: &mut Event) {
        for known in [&*self.key(), &*self.vault.known()] {
            redact(known, Extent::Pieces, &mut |each| {
                event_texts(&mut event.body, each);
            });
        }
    }

    /// The last check before a conversation is sent. It was checked when it was stored; but what
    /// became known later may stand in it, and memories are not part of the session.
    pub(crate) fn seal_messages(&self, messages: &mut [Message]) {
        let known = self.vault.known();
        if known.is_empty() {
            return;
        }
        for block in messages.iter_mut().flat_map(|it| &mut it.blocks) {
            let mut hasher = DefaultHasher::new();
            block_texts(block, &mut |text| text.hash(&mut hasher));
            let hash = hasher.finish();
            if self.vault.is_clean(hash, &known) {
                continue;
            }
            let changed = redact(&known, Extent::Whole, &mut |each| block_texts(block, each));
            if changed == Redacted::Nothing {
                self.vault.note_clean(hash, &known);
            }
        }
    }

    /// The placeholders of the originals that a value holds.
    pub(crate) fn originals_in(&self, value: &Value) -> Vec<String> {
        let known = self.vault.known();
        if known.is_empty() {
            return Vec::new();
        }
        let mut value = value.clone();
        let mut texts = Vec::new();
        each_text(&mut value, &mut |text| texts.push(text.clone()));
        let mut originals = Vec::new();
        for written in known.held_by(&texts.join("\n")) {
            let places = placeholder::find(&written).map(|place| written[place].to_owned());
            originals.extend(places);
        }
        originals.dedup();
        originals
    }

    pub(crate) fn seal_text(&self, text: String) -> String {
        self.without_known(text, Extent::Whole)
    }
}

/// Takes every text, one after another.
type Each<'a> = &'a mut dyn FnMut(&mut String);

/// Redacts all texts that `visit` shows, together. It is called twice and must show the same.
fn redact(known: &KnownValues, extent: Extent, visit: &mut dyn FnMut(Each<'_>)) -> Redacted {
    if known.is_empty() {
        return Redacted::Nothing;
    }
    let mut texts = Vec::new();
    visit(&mut |text| texts.push(text.clone()));
    let Some(redacted) = known.redact_together(&texts, extent) else {
        return Redacted::Nothing;
    };
    let mut redacted = redacted.into_iter();
    visit(&mut |text| {
        if let Some(redacted) = redacted.next() {
            *text = redacted;
        }
    });
    Redacted::Something
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Redacted {
    Nothing,
    Something,
}

/// Every string of a value, the names of fields and the digits of numbers.
fn each_text(value: &mut Value, each: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => each(text),
        Value::Number(number) => {
            let before = number.to_string();
            let mut after = before.clone();
            each(&mut after);
            if after != before {
                *value = Value::String(after);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, each)),
        Value::Object(fields) => {
            for (mut name, mut value) in std::mem::take(fields) {
                each(&mut name);
                each_text(&mut value, each);
                fields.insert(name, value);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn event_texts(body: &mut EventBody, each: &mut dyn FnMut(&mut String)) {
    let mut error = |error: &mut ErrorBody| {
        error.texts_mut().for_each(&mut *each);
    };
    match body {
        EventBody::ToolResult {
            tool_name,
            result,
            detail,
            ..
        } => {
            each(tool_name);
            each_text(result, each);
            if let Some(detail) = detail {
                each_text(detail, each);
            }
        }
        EventBody::PermissionRequest {
            tool_name,
            input,
            reason,
            ..
        } => {
            each(tool_name);
            each_text(input, each);
            each(reason);
        }
        EventBody::PermissionDecision { tool_name, .. } => each(tool_name),
        EventBody::Hook {
            command,
            message,
            context,
            ..
        } => {
            each(command);
            message.iter_mut().chain(context).for_each(each);
        }
        EventBody::Processing { content, .. } | EventBody::Compaction { content, .. } => {
            each(content);
        }
        EventBody::Raw { value, .. } => each_text(value, each),
        EventBody::Retry { error: body, .. } | EventBody::Error { error: body } => error(body),
        EventBody::Budget { name, model, .. } => {
            each(name);
            model.iter_mut().for_each(each);
        }
        EventBody::SessionStart { .. }
        | EventBody::UserMessage { .. }
        | EventBody::BranchChoice { .. }
        | EventBody::Thinking { .. }
        | EventBody::Message { .. }
        | EventBody::File { .. }
        | EventBody::ToolUse { .. }
        | EventBody::GuardrailsTriggered { .. }
        | EventBody::OutputGuardrailsTriggered { .. }
        | EventBody::Memories { .. }
        | EventBody::Usage { .. }
        | EventBody::Complete { .. }
        | EventBody::ThinkingChunk { .. }
        | EventBody::MessageChunk { .. }
        | EventBody::ToolUseChunk { .. }
        | EventBody::ProcessingChunk { .. } => {}
    }
}

/// Signatures and details are the source's own and go back to it alone; thinking is signed.
fn block_texts(block: &mut Block, each: &mut dyn FnMut(&mut String)) {
    match block {
        Block::Text {
            text,
            signature,
            detail,
        } => {
            let is_sealed = signature.is_some() || detail.is_some();
            let before = is_sealed.then(|| text.clone());
            each(text);
            // A signature of other words would be refused.
            if before.is_some_and(|before| before != *text) {
                *signature = None;
                *detail = None;
            }
        }
        Block::Reasoning(text) => each(text),
        Block::ToolUse { input, .. } => each_text(input, each),
        Block::ToolResult { result, .. } => each_text(result, each),
        Block::Thinking { .. }
        | Block::Redacted(_)
        | Block::ThinkingItem { .. }
        | Block::Image { .. } => {}
    }
}
