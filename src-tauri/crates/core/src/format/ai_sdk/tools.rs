//! Tool calls and what came back.
//!
//! Owns which calls the reader knows. Each call is told once, whatever the source repeats; a
//! result whose call was never told tells it first; a result that comes before its call's
//! input is whole waits for it, since the input would take it back.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};
use weir_protocol::{BlockId, ExecutedBy};

use super::chunk::{Call, Chunk, Plain, Weir};

/// What a tool is called that its source gives no name.
const UNNAMED: &str = "tool";
const NO_JSON: &str = "The input of this call is no JSON.";
const GIVEN_UP: &str = "The source gave this call up before its input was whole.";

#[derive(Default)]
pub(super) struct Tools {
    open: Vec<OpenCall>,
    told: HashSet<String>,
}

struct OpenCall {
    block: BlockId,
    id: String,
    name: String,
    executed_by: ExecutedBy,
    detail: Option<Value>,
    /// Its result, written already and not told yet.
    result: Vec<u8>,
}

/// What a source says of a call before its input.
pub(super) struct Asked<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) executed_by: ExecutedBy,
    pub(super) detail: Option<&'a Value>,
}

pub(super) struct Answer<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) result: &'a Value,
    pub(super) is_error: bool,
    pub(super) detail: Option<&'a Value>,
}

impl Tools {
    pub(super) fn knows(&self, id: &str) -> bool {
        self.told.contains(id)
    }

    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn start(&mut self, block: BlockId, asked: &Asked<'_>, out: &mut Vec<u8>) {
        // A block that is not open says nothing: so a repeated call stays silent.
        if !self.told.insert(asked.id.to_owned()) {
            return;
        }
        let call = asked.call(None);
        Chunk::ToolInputStart { call }.write(out);
        self.open.push(OpenCall {
            block,
            id: asked.id.to_owned(),
            name: asked.name.to_owned(),
            executed_by: asked.executed_by,
            detail: asked.detail.cloned(),
            result: Vec::new(),
        });
    }

    pub(super) fn grow(&self, block: BlockId, json: &str, out: &mut Vec<u8>) {
        if let Some(call) = self.open.iter().find(|call| call.block == block) {
            let delta = Chunk::ToolInputDelta {
                tool_call_id: &call.id,
                input_text_delta: json,
            };
            delta.write(out);
        }
    }

    pub(super) fn end(
        &mut self,
        block: BlockId,
        input: &Value,
        signature: Option<&str>,
        out: &mut Vec<u8>,
    ) {
        if let Some(at) = self.open.iter().position(|call| call.block == block) {
            let call = self.open.remove(at);
            self.tell(&call, input, signature, out);
        }
    }

    pub(super) fn answer(&mut self, answer: &Answer<'_>, out: &mut Vec<u8>) {
        if let Some(call) = self.open.iter_mut().find(|call| call.id == answer.id) {
            answer.write(&mut call.result);
            return;
        }
        if self.told.insert(answer.id.to_owned()) {
            let asked = Asked {
                id: answer.id,
                name: if answer.name.is_empty() {
                    UNNAMED
                } else {
                    answer.name
                },
                executed_by: ExecutedBy::Source,
                detail: None,
            };
            let call = asked.call(None);
            Chunk::ToolInputStart { call }.write(out);
            let call = asked.call(None);
            let input = Plain(&Value::Object(Map::new()));
            Chunk::ToolInputAvailable { call, input }.write(out);
        }
        answer.write(out);
    }

    /// Nothing more will come: what is open was given up.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        for call in std::mem::take(&mut self.open) {
            self.tell(&call, &Value::Null, None, out);
        }
    }

    fn tell(&mut self, open: &OpenCall, input: &Value, signature: Option<&str>, out: &mut Vec<u8>) {
        let call = open.asked().call(signature);
        let wrong = match (input, open.executed_by) {
            (Value::Null, _) => Some(GIVEN_UP),
            // A source may well run a tool on plain text; nobody else may on broken JSON.
            (Value::String(_), ExecutedBy::Weir) => Some(NO_JSON),
            _ => None,
        };
        // A call that was given up may be asked again.
        if input.is_null() {
            self.told.remove(&open.id);
        }
        let input = Plain(input);
        match wrong {
            Some(error_text) => Chunk::ToolInputError {
                call,
                input,
                error_text,
            },
            None => Chunk::ToolInputAvailable { call, input },
        }
        .write(out);
        out.extend_from_slice(&open.result);
    }
}

impl OpenCall {
    fn asked(&self) -> Asked<'_> {
        Asked {
            id: &self.id,
            name: &self.name,
            executed_by: self.executed_by,
            detail: self.detail.as_ref(),
        }
    }
}

impl<'a> Asked<'a> {
    fn call(&self, signature: Option<&'a str>) -> Call<'a> {
        let weir = Weir {
            signature,
            detail: self.detail.map(Plain),
            ..Weir::default()
        };
        let says = weir.signature.is_some() || weir.detail.is_some();
        Call {
            tool_call_id: self.id,
            tool_name: self.name,
            provider_executed: self.executed_by == ExecutedBy::Source,
            provider_metadata: says.then(|| weir.metadata()),
        }
    }
}

impl Answer<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        let provider_metadata = self.detail.map(|detail| {
            Weir {
                detail: Some(Plain(detail)),
                ..Weir::default()
            }
            .metadata()
        });
        if !self.is_error {
            let available = Chunk::ToolOutputAvailable {
                tool_call_id: self.id,
                output: Plain(self.result),
                provider_metadata,
            };
            return available.write(out);
        }
        let error_text = match self.result.as_str() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.result.to_string()),
        };
        let error = Chunk::ToolOutputError {
            tool_call_id: self.id,
            error_text: &error_text,
            provider_metadata,
        };
        error.write(out);
    }
}
