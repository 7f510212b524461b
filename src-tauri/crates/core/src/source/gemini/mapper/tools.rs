//! Tools that Gemini runs itself: code, and searches it was asked to show.
//!
//! The call is a part of the message and its outcome another one, mostly a chunk later. Both
//! are told as one result when the second has come: the model's calls are the ones it wants
//! answered, and these it has answered itself. Keeps both parts whole, as they are sent back.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};
use weir_protocol::StreamEvent;

use super::GeminiMapper;
use crate::source::dialect::Known;
use crate::source::dialect::json::text;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Shown,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Code, Self::Shown];

    /// The field of a call.
    fn call(self) -> &'static str {
        match self {
            Self::Code => "executableCode",
            Self::Shown => "toolCall",
        }
    }

    /// The field of its outcome.
    fn outcome(self) -> &'static str {
        match self {
            Self::Code => "codeExecutionResult",
            Self::Shown => "toolResponse",
        }
    }

    fn name(self, said: &Value) -> String {
        match self {
            Self::Code => "code_execution".to_owned(),
            Self::Shown => text(said, "toolType").to_ascii_lowercase(),
        }
    }
}

#[derive(Default)]
pub(super) struct SourceTools {
    /// In the order they were called; a handful at most.
    running: VecDeque<Use>,
}

/// A call, and its outcome once it is known.
struct Use {
    kind: Kind,
    id: String,
    name: String,
    told: Map<String, Value>,
    signatures: Map<String, Value>,
    is_error: bool,
}

impl GeminiMapper {
    pub(super) fn use_tool(&mut self, part: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let find = |field: fn(Kind) -> &'static str| {
            let mut kinds = Kind::ALL.into_iter();
            kinds.find(|kind| part[field(*kind)].is_object())
        };
        if let Some(kind) = find(Kind::call) {
            self.pause(out);
            let used = self.start_tool(kind, kind.call(), part);
            let message = format!("Running {}", used.name);
            self.tools.running.push_back(used);
            out.push(StreamEvent::Status { message });
        } else if let Some(kind) = find(Kind::outcome) {
            self.pause(out);
            let outcome = &part[kind.outcome()];
            let mut used = self
                .tools
                .take(kind, text(outcome, "id"))
                .unwrap_or_else(|| self.start_tool(kind, kind.outcome(), part));
            used.add(kind.outcome(), part);
            used.is_error = failed(outcome);
            out.push(used.into_result());
        } else {
            return Known::No;
        }
        Known::Yes
    }

    fn start_tool(&mut self, kind: Kind, field: &str, part: &Value) -> Use {
        let said = &part[field];
        let id = match text(said, "id") {
            "" => self.next_id("tool"),
            given => given.to_owned(),
        };
        let name = kind.name(said);
        let mut used = Use {
            kind,
            id,
            name,
            told: Map::new(),
            signatures: Map::new(),
            // Until its outcome says otherwise: a run that was never answered has failed.
            is_error: true,
        };
        used.add(field, part);
        used
    }

    /// No outcome will come any more; the calls are told without one.
    pub(super) fn end_tools(&mut self, out: &mut Vec<StreamEvent>) {
        if !self.tools.running.is_empty() {
            self.pause(out);
            out.extend(self.tools.running.drain(..).map(Use::into_result));
        }
    }
}

impl SourceTools {
    /// The call that an outcome answers: the one with its id, or else the oldest.
    fn take(&mut self, kind: Kind, id: &str) -> Option<Use> {
        let same = |used: &Use| used.kind == kind && (id.is_empty() || used.id == id);
        let at = self.running.iter().position(same)?;
        self.running.remove(at)
    }
}

impl Use {
    fn add(&mut self, field: &str, part: &Value) {
        self.told.insert(field.to_owned(), part[field].clone());
        if let Some(signature) = part.get("thoughtSignature") {
            self.signatures.insert(field.to_owned(), signature.clone());
        }
    }

    fn into_result(self) -> StreamEvent {
        let signed = !self.signatures.is_empty();
        let detail = signed.then(|| json!({ "signatures": self.signatures }));
        StreamEvent::ToolResult {
            tool_call_id: self.id,
            name: self.name,
            result: Value::Object(self.told),
            is_error: self.is_error,
            detail,
        }
    }
}

/// Code says how it went; other tools say only what they found.
fn failed(outcome: &Value) -> bool {
    !matches!(text(outcome, "outcome"), "" | "OUTCOME_OK")
}
