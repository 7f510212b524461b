//! The items of a response: where each begins, where it ends, and what the end of the
//! response adds to them.

use serde_json::Value;
use weir_protocol::StreamEvent;

use super::call::{is_call, is_output};
use super::open::At;
use super::{Known, ResponsesMapper};
use crate::source::dialect::json::{some_text, text};

impl ResponsesMapper {
    pub(super) fn start_item(
        &mut self,
        index: Option<u64>,
        item: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let kind = text(item, "type");
        let at = At {
            id: text(item, "id"),
            index,
        };
        if self.seen.has(at.id) {
            return Known::Yes;
        }
        match kind {
            "message" => {
                let item = self.seen.announce(at, kind);
                self.messages.put(item);
            }
            "reasoning" => self.start_thought(at, out),
            _ if is_call(kind) => self.start_call(at, item, out),
            // Their ends say it all.
            _ if is_output(kind) => {}
            "mcp_list_tools" => {
                let message = format!("Asking {} for its tools.", server(item));
                out.push(StreamEvent::Status { message });
            }
            "mcp_approval_request" => {
                let tool = text(item, "name");
                let message = format!("{} asks for leave to run {tool}.", server(item));
                out.push(StreamEvent::Status { message });
            }
            _ => return Known::No,
        }
        Known::Yes
    }

    pub(super) fn end_item(
        &mut self,
        index: Option<u64>,
        whole: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let kind = text(whole, "type");
        let at = At {
            id: text(whole, "id"),
            index,
        };
        match kind {
            "message" => match self.messages.take(at, &self.seen) {
                Some(item) => return self.finish_message(item, whole, out),
                None if self.seen.has(at.id) => {}
                None => {
                    let item = self.seen.announce(at, kind);
                    return self.finish_message(item, whole, out);
                }
            },
            "reasoning" => match self.thoughts.take(at, &self.seen) {
                Some(item) => self.finish_thought(item, whole, out),
                None if self.seen.has(at.id) => {}
                None => {
                    let item = self.seen.announce(at, kind);
                    self.finish_thought(item, whole, out);
                }
            },
            _ if is_call(kind) => self.end_call(at, whole, out),
            _ if is_output(kind) => {
                if self.seen.note(at.id, kind) {
                    return self.take_output(kind, whole, out);
                }
            }
            // Unknown, or of no use yet and wanted back one day: kept as it came.
            _ => {
                if self.seen.note(at.id, kind) {
                    return Known::No;
                }
            }
        }
        Known::Yes
    }

    /// What the response came to, item by item: most of it has been told.
    pub(super) fn fill_items(&mut self, list: &[Value], out: &mut Vec<StreamEvent>) -> Known {
        let mut known = Known::Yes;
        let mut nameless = self.seen.nameless(list);
        for (index, item) in (0..).zip(list) {
            let at = At {
                id: text(item, "id"),
                index: Some(index),
            };
            if !self.seen.has(at.id)
                && let Some(count) = nameless.get_mut(text(item, "type"))
                && *count > 0
            {
                *count -= 1;
                if !self.is_open(at, item) {
                    continue;
                }
            }
            if self.end_item(at.index, item, out) == Known::No {
                known = Known::No;
            }
        }
        known
    }

    fn is_open(&mut self, at: At<'_>, item: &Value) -> bool {
        match text(item, "type") {
            "message" => self.messages.find(at, &self.seen).is_some(),
            "reasoning" => self.thoughts.find(at, &self.seen).is_some(),
            _ => self.open_calls.find(at, &self.seen).is_some(),
        }
    }
}

fn server(item: &Value) -> String {
    some_text(item, "server_label").unwrap_or_else(|| "A server".to_owned())
}
