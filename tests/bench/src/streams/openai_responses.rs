//! Responses: named events with a number each, items inside items, and the whole response
//! again at the end.

use serde_json::{Value, json};

use super::{Call, OUTPUT_TOKENS, REASONING_TOKENS, Reply, Stream, padding, quoted};

#[derive(Default)]
struct Writer {
    out: String,
    number: usize,
    /// The finished items, for the response at the end.
    items: Vec<Value>,
}

pub(super) fn write(reply: &Reply) -> Stream {
    let mut writer = Writer::default();
    writer.response("response.created", "in_progress", &Value::Null);
    writer.response("response.in_progress", "in_progress", &Value::Null);
    if !reply.thinking.is_empty() {
        writer.reasoning(&reply.thinking);
    }
    writer.message(&reply.text);
    for call in &reply.calls {
        writer.call(call);
    }
    let usage = json!({
        "input_tokens": 2469,
        "input_tokens_details": { "cached_tokens": 2048 },
        "output_tokens": OUTPUT_TOKENS,
        "output_tokens_details": { "reasoning_tokens": REASONING_TOKENS },
        "total_tokens": 2469 + OUTPUT_TOKENS,
    });
    writer.response("response.completed", "completed", &usage);
    Stream {
        dialect: "openai-responses",
        bytes: writer.out.into(),
        deltas: reply.deltas(),
        says: reply.says(),
    }
}

impl Writer {
    fn reasoning(&mut self, pieces: &[String]) {
        let text = pieces.concat();
        let part = |text: &str| json!({ "type": "summary_text", "text": text });
        let item =
            |summary: Value| json!({ "id": "rs_bench", "type": "reasoning", "summary": summary });
        let at = self.add_item(&item(json!([])));
        let place = format!(r#""item_id":"rs_bench","output_index":{at},"summary_index":0"#);
        self.part("response.reasoning_summary_part.added", &place, &part(""));
        for piece in pieces {
            self.delta("response.reasoning_summary_text.delta", &place, piece);
        }
        self.done(
            "response.reasoning_summary_text.done",
            &place,
            "text",
            &text,
        );
        self.part("response.reasoning_summary_part.done", &place, &part(&text));
        self.finish_item(item(json!([part(&text)])));
    }

    fn message(&mut self, pieces: &[String]) {
        let text = pieces.concat();
        let part = |text: &str| json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": text });
        let item = |status: &str, content: Value| {
            json!({ "id": "msg_bench", "type": "message", "status": status, "role": "assistant",
                "content": content })
        };
        let at = self.add_item(&item("in_progress", json!([])));
        let place = format!(r#""item_id":"msg_bench","output_index":{at},"content_index":0"#);
        self.part("response.content_part.added", &place, &part(""));
        for piece in pieces {
            let place = format!(r#"{place},"logprobs":[]"#);
            self.delta("response.output_text.delta", &place, piece);
        }
        let logprobs = format!(r#"{place},"logprobs":[]"#);
        self.done("response.output_text.done", &logprobs, "text", &text);
        self.part("response.content_part.done", &place, &part(&text));
        self.finish_item(item("completed", json!([part(&text)])));
    }

    fn call(&mut self, call: &Call) {
        let id = format!("fc_{}", call.id);
        let arguments = call.pieces.concat();
        let item = |status: &str, arguments: &str| {
            json!({ "id": id, "type": "function_call", "status": status, "call_id": call.id,
                "name": call.name, "arguments": arguments })
        };
        let at = self.add_item(&item("in_progress", ""));
        let place = format!(r#""item_id":"{id}","output_index":{at}"#);
        for piece in &call.pieces {
            self.delta("response.function_call_arguments.delta", &place, piece);
        }
        let named = format!(r#"{place},"name":"{}""#, call.name);
        let done = "response.function_call_arguments.done";
        self.done(done, &named, "arguments", &arguments);
        self.finish_item(item("completed", &arguments));
    }

    fn add_item(&mut self, item: &Value) -> usize {
        let at = self.items.len();
        let rest = format!(r#""output_index":{at},"item":{item}"#);
        self.event("response.output_item.added", &rest);
        at
    }

    fn finish_item(&mut self, item: Value) {
        let at = self.items.len();
        let rest = format!(r#""output_index":{at},"item":{item}"#);
        self.event("response.output_item.done", &rest);
        self.items.push(item);
    }

    fn part(&mut self, kind: &str, place: &str, part: &Value) {
        self.event(kind, &format!(r#"{place},"part":{part}"#));
    }

    /// With the padding that hides how long the words are.
    fn delta(&mut self, kind: &str, place: &str, piece: &str) {
        let padding = padding(piece.len());
        let piece = quoted(piece);
        let rest = format!(r#"{place},"delta":{piece},"obfuscation":"{padding}""#);
        self.event(kind, &rest);
    }

    fn done(&mut self, kind: &str, place: &str, field: &str, whole: &str) {
        let whole = quoted(whole);
        self.event(kind, &format!(r#"{place},"{field}":{whole}"#));
    }

    fn response(&mut self, kind: &str, status: &str, usage: &Value) {
        let output = if usage.is_null() {
            json!([])
        } else {
            json!(self.items)
        };
        let response = json!({
            "id": "resp_bench", "object": "response", "created_at": 1_767_225_600,
            "status": status, "background": false, "error": null, "incomplete_details": null,
            "instructions": null, "max_output_tokens": null, "model": "gpt-bench",
            "output": output, "parallel_tool_calls": true, "previous_response_id": null,
            "reasoning": { "effort": "medium", "summary": "detailed" },
            "service_tier": "default", "store": false, "temperature": 1.0,
            "text": { "format": { "type": "text" }, "verbosity": "medium" },
            "tool_choice": "auto", "tools": [], "top_p": 1.0, "truncation": "disabled",
            "usage": usage, "metadata": {},
        });
        self.event(kind, &format!(r#""response":{response}"#));
    }

    fn event(&mut self, kind: &str, rest: &str) {
        let number = self.number;
        self.number += 1;
        self.out.push_str(&format!(
            "event: {kind}\ndata: {{\"type\":\"{kind}\",\"sequence_number\":{number},{rest}}}\n\n"
        ));
    }
}
