//! Writes a script in the `anthropic` dialect.
//!
//! Owns the shape of each event and the pace. Must not know the words of any reply.

use serde_json::{Value, json};

/// A reply: how many milliseconds to wait, then which bytes come.
pub(super) type Script = Vec<(u32, Vec<u8>)>;

/// A word with its space is about one and a third tokens: some seventy tokens a second.
const WORD_MS: u32 = 18;
const FIRST_WORD_MS: u32 = 350;
const SEARCH_MS: u32 = 700;

/// About how many tokens a word is, in thirds, so that counting stays whole.
const TOKEN_THIRDS_PER_WORD: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Human,
    /// No pauses: for scripts and tests.
    Fast,
}

/// A page that the made-up search finds.
#[derive(Clone, Copy)]
pub(super) struct Page {
    pub(super) url: &'static str,
    pub(super) title: &'static str,
    pub(super) cited: &'static str,
}

/// What a tool of the source's own answers.
pub(super) enum Answer {
    Value(Value),
    /// One of the provider's error codes.
    Failure(&'static str),
}

/// The tokens that the message says it took in.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub(super) fresh: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
}

pub(super) struct Writer {
    steps: Script,
    pace: Pace,
    /// Makes this message's ids differ from another's.
    seed: u64,
    index: u32,
    calls: u32,
    words: u64,
    input: Input,
}

impl Writer {
    pub(super) fn start(model: &str, seed: u64, input: Input, pace: Pace) -> Self {
        let mut writer = Self {
            steps: Vec::new(),
            pace,
            seed,
            index: 0,
            calls: 0,
            words: 0,
            input,
        };
        let event = json!({ "type": "message_start", "message": {
            "id": format!("msg_demo_{seed:016x}"), "type": "message", "role": "assistant",
            "model": model, "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": writer.usage(),
        }});
        writer.send(FIRST_WORD_MS, &event);
        writer.send(0, &json!({ "type": "ping" }));
        writer
    }

    pub(super) fn thinking(&mut self, text: &str, signature: &str) {
        self.open(
            0,
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
        );
        self.spell(
            text,
            |word| json!({ "type": "thinking_delta", "thinking": word }),
        );
        self.delta(
            0,
            json!({ "type": "signature_delta", "signature": signature }),
        );
        self.close();
    }

    pub(super) fn redacted_thinking(&mut self, sealed: &str) {
        self.open(
            WORD_MS,
            json!({ "type": "redacted_thinking", "data": sealed }),
        );
        self.close();
    }

    pub(super) fn text(&mut self, text: &str) {
        self.open(0, json!({ "type": "text", "text": "" }));
        self.spell(text, |word| json!({ "type": "text_delta", "text": word }));
        self.close();
    }

    /// Text in a block that the source never closes.
    pub(super) fn unfinished_text(&mut self, text: &str) {
        self.open(0, json!({ "type": "text", "text": "" }));
        self.spell(text, |word| json!({ "type": "text_delta", "text": word }));
    }

    pub(super) fn cited_text(&mut self, text: &str, page: Page) {
        self.open(0, json!({ "type": "text", "text": "", "citations": [] }));
        let citation = json!({
            "type": "web_search_result_location", "url": page.url, "title": page.title,
            "encrypted_index": "demo", "cited_text": page.cited,
        });
        self.delta(
            0,
            json!({ "type": "citations_delta", "citation": citation }),
        );
        self.spell(text, |word| json!({ "type": "text_delta", "text": word }));
        self.close();
    }

    /// A call of one of the source's own tools and, after a while, its result.
    pub(super) fn tool(&mut self, name: &str, input: &[&str], answer: Answer) {
        self.calls += 1;
        let id = format!("srvtoolu_demo_{:016x}_{}", self.seed, self.calls);
        let call = json!({ "type": "server_tool_use", "id": id, "name": name, "input": {} });
        self.open(0, call);
        for piece in input {
            let delta = json!({ "type": "input_json_delta", "partial_json": piece });
            self.delta(2 * WORD_MS, delta);
            self.words += 1;
        }
        self.close();
        let content = match answer {
            Answer::Value(value) => value,
            Answer::Failure(code) => {
                json!({ "type": format!("{name}_tool_result_error"), "error_code": code })
            }
        };
        let kind = format!("{name}_tool_result");
        let result = json!({ "type": kind, "tool_use_id": id, "content": content });
        self.open(SEARCH_MS, result);
        self.close();
    }

    /// An error inside the stream, after which nothing follows.
    pub(super) fn fail(mut self, kind: &str, message: &str) -> Script {
        let error = json!({ "type": kind, "message": message });
        self.send(WORD_MS, &json!({ "type": "error", "error": error }));
        self.steps
    }

    /// Nothing more, and no word that it is over.
    pub(super) fn cut(self) -> Script {
        self.steps
    }

    pub(super) fn stop(mut self) -> Script {
        let delta = json!({ "stop_reason": "end_turn", "stop_sequence": null });
        let usage = self.usage();
        let event = json!({ "type": "message_delta", "delta": delta, "usage": usage });
        self.send(WORD_MS, &event);
        self.send(0, &json!({ "type": "message_stop" }));
        self.steps
    }

    fn usage(&self) -> Value {
        json!({
            "input_tokens": self.input.fresh,
            "cache_read_input_tokens": self.input.cache_read,
            "cache_creation_input_tokens": self.input.cache_write,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.input.cache_write,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": 1 + self.words * TOKEN_THIRDS_PER_WORD / 3,
            "service_tier": "standard",
        })
    }

    fn open(&mut self, delay_ms: u32, block: Value) {
        let event =
            json!({ "type": "content_block_start", "index": self.index, "content_block": block });
        self.send(delay_ms, &event);
    }

    fn close(&mut self) {
        let event = json!({ "type": "content_block_stop", "index": self.index });
        self.send(0, &event);
        self.index += 1;
    }

    fn spell(&mut self, text: &str, delta: impl Fn(&str) -> Value) {
        for word in text.split_inclusive(char::is_whitespace) {
            self.delta(WORD_MS, delta(word));
            self.words += 1;
        }
    }

    fn delta(&mut self, delay_ms: u32, delta: Value) {
        let event = json!({ "type": "content_block_delta", "index": self.index, "delta": delta });
        self.send(delay_ms, &event);
    }

    fn send(&mut self, delay_ms: u32, event: &Value) {
        let name = event["type"].as_str().unwrap_or_default();
        let delay_ms = match self.pace {
            Pace::Human => delay_ms,
            Pace::Fast => 0,
        };
        let bytes = format!("event: {name}\ndata: {event}\n\n").into_bytes();
        self.steps.push((delay_ms, bytes));
    }
}
