//! The items of a response: where each begins, where it ends, and what the end of the
//! response adds to them.

use serde_json::Value;
use weir_protocol::StreamEvent;

use super::call::{is_call, is_output};
use super::open::{Announced, At};
use super::{Known, ResponsesMapper};
use crate::source::dialect::json::{items, some_text, text};
use crate::source::dialect::score;

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
        if self.seen.has(at) && !self.is_new_call(item) {
            return Known::Yes;
        }
        match kind {
            "message" => self.start_message(at, item),
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
        let at = At {
            id: text(whole, "id"),
            index,
        };
        if self.is_open(at, whole) || !self.seen.has(at) || self.is_new_call(whole) {
            self.finish_item(at, whole, out)
        } else {
            Known::Yes
        }
    }

    /// An item that is open, or new.
    fn finish_item(&mut self, at: At<'_>, whole: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let kind = text(whole, "type");
        if kind == "file_search_call" {
            self.learn_scores(whole);
        }
        match kind {
            "message" => {
                let open = self.messages.take(at, &self.seen);
                let item = open.unwrap_or_else(|| self.seen.announce(at, kind));
                return self.finish_message(item, whole, out);
            }
            "reasoning" => {
                let open = self.thoughts.take(at, &self.seen);
                let item = open.unwrap_or_else(|| self.seen.announce(at, kind));
                self.finish_thought(item, whole, out);
            }
            _ if is_call(kind) => self.end_call(at, whole, out),
            _ if is_output(kind) => {
                self.seen.note(at, kind);
                return self.take_output(kind, whole, out);
            }
            _ => {
                self.seen.note(at, kind);
                // What is unknown, or of no use yet and wanted back one day, is kept as it came.
                return self.answer_call(at, whole, out);
            }
        }
        Known::Yes
    }

    /// Of several passages of one file the best counts: which of them is cited, nobody says.
    fn learn_scores(&mut self, search: &Value) {
        for result in items(&search["results"]) {
            if let Some(score) = score::relevance(result) {
                let file = text(result, "file_id").to_owned();
                let best = self.file_scores.entry(file).or_insert(score);
                *best = best.max(score);
            }
        }
    }

    /// What the response came to, item by item: most of it has been told.
    pub(super) fn fill_items(&mut self, list: &[Value], out: &mut Vec<StreamEvent>) -> Known {
        let mut known = Known::Yes;
        let told = self.seen.told(list);
        for ((index, item), told) in (0..).zip(list).zip(told) {
            let at = At {
                id: text(item, "id"),
                // A server may count otherwise here; an id that it keeps is the better sign.
                index: (told != Announced::ById).then_some(index),
            };
            if (told == Announced::No || self.is_open(at, item))
                && self.finish_item(at, item, out) == Known::No
            {
                known = Known::No;
            }
        }
        known
    }

    fn is_open(&mut self, at: At<'_>, item: &Value) -> bool {
        match text(item, "type") {
            "message" => self.messages.find(at, &self.seen).is_some(),
            "reasoning" => self.thoughts.find(at, &self.seen).is_some(),
            kind => is_call(kind) && self.open_calls.find(at, &self.seen).is_some(),
        }
    }
}

fn server(item: &Value) -> String {
    some_text(item, "server_label").unwrap_or_else(|| "A server".to_owned())
}
