//! Calls of the user's own functions.
//!
//! Owns their ids and the growing of a call whose arguments come in pieces. A whole call is
//! one part. Of a growing one only the first part has a name; each says whether more will
//! come, and the last may be empty. Pieces name the place of each value ([`args`]), in no
//! order that JSON text could follow, so the input is told when it is whole.

use std::collections::HashMap;

use serde_json::{Value, json};
use weir_protocol::{ExecutedBy, StreamEvent};

use super::{GeminiMapper, Key, args};
use crate::source::dialect::json::{items, text};
use crate::source::dialect::{Found, Known, ToolUse};

/// The longest part of a message's id that goes into those of its calls.
const MOST_OF_ID: usize = 40;

#[derive(Default)]
pub(super) struct Calls {
    growing: Option<Growing>,
    numbered: u64,
    whole: u64,
    /// Every call by its id: its name, and its input if it came whole.
    told: HashMap<String, (String, Value)>,
}

struct Growing {
    /// The source's own id, if it gave one.
    id: String,
    input: Value,
    signature: String,
}

impl Calls {
    pub(super) fn were_made(&self) -> bool {
        self.whole > 0
    }

    /// Whether this very call came before: its id, its name and all of its input.
    fn is_told(&self, call: &Value) -> bool {
        let told = self.told.get(text(call, "id"));
        told.is_some_and(|(name, input)| {
            name == text(call, "name") && input.is_object() && *input == call["args"]
        })
    }
}

impl GeminiMapper {
    pub(super) fn map_call(
        &mut self,
        call: &Value,
        signature: &str,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let name = text(call, "name");
        let more = call["willContinue"].as_bool().unwrap_or_default();
        let pieces = items(&call["partialArgs"]);
        let input = &call["args"];
        if !self.goes_on(call) {
            if name.is_empty() {
                // The end of a call that has ended already says nothing.
                let empty = pieces.is_empty() && input.is_null() && signature.is_empty();
                return if empty { Known::Yes } else { Known::No };
            }
            if self.calls.is_told(call) {
                return Known::Yes;
            }
            self.end_call(out);
            self.pause(out);
            if !more && pieces.is_empty() {
                self.add_call(call, signature, out);
                return Known::Yes;
            }
            self.start_call(call, Value::Null, out);
            self.calls.growing = Some(Growing {
                id: text(call, "id").to_owned(),
                input: Value::Null,
                signature: String::new(),
            });
        }
        let known = self.grow_call(input, pieces, signature);
        if !more {
            self.end_call(out);
        }
        known
    }

    /// Whether this is a further part of the call that is growing.
    fn goes_on(&self, call: &Value) -> bool {
        let id = text(call, "id");
        self.calls.growing.as_ref().is_some_and(|growing| {
            text(call, "name").is_empty() || (!id.is_empty() && id == growing.id)
        })
    }

    fn grow_call(&mut self, input: &Value, pieces: &[Value], signature: &str) -> Known {
        let Some(growing) = &mut self.calls.growing else {
            return Known::No;
        };
        if input.is_object() {
            growing.input.clone_from(input);
        }
        // One call, one seal: a second one has no place here.
        let sealed = growing.signature.is_empty() || signature.is_empty();
        if sealed {
            growing.signature.push_str(signature);
        }
        let put = |piece| args::put(&mut growing.input, piece);
        let known = super::all(pieces.iter().map(put));
        if sealed { known } else { Known::No }
    }

    fn add_call(&mut self, call: &Value, signature: &str, out: &mut Vec<StreamEvent>) {
        self.start_call(call, call["args"].clone(), out);
        self.blocks.sign(&Key::Call, signature);
        self.blocks.close(&Key::Call, out);
        self.calls.whole += 1;
    }

    fn start_call(&mut self, call: &Value, input: Value, out: &mut Vec<StreamEvent>) {
        let name = text(call, "name").to_owned();
        let given = text(call, "id");
        // It wants its own id back, and none that was made up here.
        let detail = (!given.is_empty()).then(|| json!({ "id": given }));
        let tool_call_id = match given {
            "" => self.next_id("call"),
            // One id for two calls is none.
            given if self.calls.told.contains_key(given) => self.next_id("call"),
            given => given.to_owned(),
        };
        let told = (name.clone(), input.clone());
        self.calls.told.insert(tool_call_id.clone(), told);
        let call = ToolUse {
            tool_call_id,
            name,
            executed_by: ExecutedBy::Weir,
            input,
            detail,
        };
        self.blocks.start_tool_use(Key::Call, call, out);
    }

    /// The growing call is whole.
    pub(super) fn end_call(&mut self, out: &mut Vec<StreamEvent>) {
        let Some(growing) = self.calls.growing.take() else {
            return;
        };
        if !growing.input.is_null() {
            let input = growing.input.to_string();
            let (Found::There | Found::Missing) =
                self.blocks.add_input(&Key::Call, input.into(), out);
        }
        self.blocks.sign(&Key::Call, &growing.signature);
        self.blocks.close(&Key::Call, out);
        self.calls.whole += 1;
    }

    /// The growing call never became whole: what came of it looks like an input, and nobody
    /// may run it.
    pub(super) fn drop_call(&mut self, out: &mut Vec<StreamEvent>) {
        if self.calls.growing.take().is_some() {
            self.blocks.abandon_all(out);
        }
    }

    /// An id for what the source did not name: the same for the same bytes, and another in
    /// every message, for a turn has several.
    pub(super) fn next_id(&mut self, kind: &str) -> String {
        let message = self.message_id.as_deref().unwrap_or_default();
        let plain = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        let message: String = message.chars().filter(plain).take(MOST_OF_ID).collect();
        loop {
            let number = self.calls.numbered;
            self.calls.numbered += 1;
            let id = if message.is_empty() {
                format!("{kind}_{number}")
            } else {
                format!("{kind}_{message}_{number}")
            };
            if !self.calls.told.contains_key(&id) {
                return id;
            }
        }
    }
}
