//! The same short reply in every dialect that is spoken over HTTP, in pieces.

use serde_json::{Value, json};

use crate::sse;

/// Ends in a letter that no key has: nothing of it is held back as the beginning of an echoed one.
pub const FIRST: &str = "Grüße, ж ";
pub const SECOND: &str = "*42*.";
pub const ANSWER: &str = "Grüße, ж *42*.";

pub const DIALECTS: [&str; 5] = [
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "ollama",
];

/// A reply of 11 tokens in and 23 out, each piece whole frames.
pub struct Pieces {
    /// What comes before the first word.
    pub opening: String,
    /// `FIRST`.
    pub first: String,
    /// `SECOND`.
    pub second: String,
    /// The source says that it is done.
    pub ending: String,
    /// In place of a word: a whole call of the tool `look`.
    pub call: String,
    /// In place of a word: there is too much to do just now.
    pub overloaded: String,
    /// What keeps a line open and says nothing.
    pub keep_alive: &'static str,
}

impl Pieces {
    pub fn whole(&self) -> String {
        [&*self.opening, &self.first, &self.second, &self.ending].concat()
    }

    pub fn half(&self) -> String {
        [&*self.opening, &self.first].concat()
    }
}

pub fn content_type(dialect: &str) -> &'static str {
    match dialect {
        "ollama" => "application/x-ndjson",
        "bedrock" => crate::eventstream::CONTENT_TYPE,
        _ => "text/event-stream",
    }
}

pub fn pieces(dialect: &str) -> Pieces {
    match dialect {
        "anthropic" => anthropic(),
        "openai-chat" => openai_chat(),
        "openai-responses" => openai_responses(),
        "gemini" => gemini(),
        "ollama" => ollama(),
        other => panic!("no reply is written for {other}"),
    }
}

const OVERLOADED: &str = "Overloaded just now.";
const COMMENT: &str = ": still here\n\n";

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn anthropic() -> Pieces {
    let stop = |index: u32| sse::event(&json!({"type": "content_block_stop", "index": index}));
    let call = sse::event(&json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "tool_use", "id": "call_1", "name": "look", "input": {}}}));
    let input = sse::event(&json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": "{\"at\": \"it\"}"}}));
    Pieces {
        opening: sse::message_start(),
        first: sse::text_start(0) + &sse::text_delta(0, FIRST),
        second: sse::text_delta(0, SECOND),
        ending: stop(0) + &sse::message_stop(),
        call: call + &input + &stop(0),
        overloaded: sse::event(&json!({"type": "error",
            "error": {"type": "overloaded_error", "message": OVERLOADED}})),
        keep_alive: "event: ping\ndata: {\"type\": \"ping\"}\n\n",
    }
}

fn openai_chat() -> Pieces {
    let choice = |delta: Value, finish: Value| {
        data(
            &json!({"id": "c1", "model": "scripted", "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}),
        )
    };
    let usage = data(&json!({"id": "c1", "model": "scripted", "choices": [],
        "usage": {"prompt_tokens": 11, "completion_tokens": 23, "total_tokens": 34}}));
    let call = json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
        "function": {"name": "look", "arguments": "{\"at\": \"it\"}"}}]});
    Pieces {
        opening: choice(json!({"role": "assistant", "content": ""}), json!(null)),
        first: choice(json!({"content": FIRST}), json!(null)),
        second: choice(json!({"content": SECOND}), json!(null)),
        ending: choice(json!({}), json!("stop")) + &usage + "data: [DONE]\n\n",
        call: choice(call, json!(null)),
        overloaded: data(&json!({"error": {"code": 529, "message": OVERLOADED}})),
        keep_alive: COMMENT,
    }
}

fn openai_responses() -> Pieces {
    let event = |value: Value| {
        let name = value["type"].as_str().unwrap_or_default().to_owned();
        format!("event: {name}\n") + &data(&value)
    };
    let response = json!({"id": "r1", "model": "scripted", "status": "completed",
        "output": [], "usage": {"input_tokens": 11, "output_tokens": 23,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0}}});
    let delta = |delta: &str| {
        event(
            json!({"type": "response.output_text.delta", "item_id": "m1",
            "output_index": 0, "content_index": 0, "delta": delta}),
        )
    };
    let message = event(
        json!({"type": "response.output_item.added", "output_index": 0,
        "item": {"id": "m1", "type": "message", "content": []}}),
    );
    let call = |kind: &str, arguments: &str| {
        event(json!({"type": kind, "output_index": 0,
            "item": {"id": "f1", "type": "function_call", "call_id": "call_1", "name": "look",
                "arguments": arguments}}))
    };
    Pieces {
        opening: event(json!({"type": "response.created",
            "response": {"id": "r1", "model": "scripted"}})),
        first: message + &delta(FIRST),
        second: delta(SECOND),
        ending: event(json!({"type": "response.completed", "response": response})),
        call: call("response.output_item.added", "")
            + &call("response.output_item.done", "{\"at\": \"it\"}"),
        overloaded: event(json!({"type": "error", "code": "server_error",
            "message": OVERLOADED})),
        keep_alive: COMMENT,
    }
}

fn gemini() -> Pieces {
    let says = |part: Value| {
        data(&json!({"modelVersion": "scripted",
            "candidates": [{"content": {"role": "model", "parts": [part]}}]}))
    };
    let ending = data(&json!({"modelVersion": "scripted",
        "candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 23,
            "totalTokenCount": 34}}));
    let call = json!({"functionCall": {"id": "call_1", "name": "look", "args": {"at": "it"}}});
    Pieces {
        opening: String::new(),
        first: says(json!({"text": FIRST})),
        second: says(json!({"text": SECOND})),
        ending,
        call: says(call),
        overloaded: data(&json!({"error": {"code": 503, "status": "UNAVAILABLE",
            "message": OVERLOADED}})),
        keep_alive: COMMENT,
    }
}

fn ollama() -> Pieces {
    let line = |value: Value| format!("{value}\n");
    let says = |text: &str| {
        line(json!({"model": "scripted", "done": false,
            "message": {"role": "assistant", "content": text}}))
    };
    let call = json!([{"function": {"name": "look", "arguments": {"at": "it"}}}]);
    Pieces {
        opening: String::new(),
        first: says(FIRST),
        second: says(SECOND),
        ending: line(
            json!({"model": "scripted", "done": true, "done_reason": "stop",
            "message": {"role": "assistant", "content": ""},
            "prompt_eval_count": 11, "eval_count": 23}),
        ),
        call: line(json!({"model": "scripted", "done": false,
            "message": {"role": "assistant", "content": "", "tool_calls": call}})),
        overloaded: line(json!({"error": {"type": "overloaded_error", "message": OVERLOADED}})),
        keep_alive: "\n",
    }
}
