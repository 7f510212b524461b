//! Writes Amazon's event stream, for servers that stand in Bedrock's place. The same bytes are
//! held against botocore's decoder.

use serde_json::{Value, json};

use crate::replies::{FIRST, SECOND};

pub const CONTENT_TYPE: &str = "application/vnd.amazon.eventstream";

/// One message with headers of text.
pub fn message(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    for (name, value) in headers {
        written.push(u8::try_from(name.len()).expect("a name is short"));
        written.extend_from_slice(name.as_bytes());
        written.push(7);
        let length = u16::try_from(value.len()).expect("a value is short");
        written.extend_from_slice(&length.to_be_bytes());
        written.extend_from_slice(value.as_bytes());
    }
    let number = |length: usize| {
        u32::try_from(length)
            .expect("a message is short")
            .to_be_bytes()
    };
    let mut bytes = number(16 + written.len() + payload.len()).to_vec();
    bytes.extend_from_slice(&number(written.len()));
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
    bytes.extend_from_slice(&written);
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
    bytes
}

pub fn event(name: &str, payload: &Value) -> Vec<u8> {
    let headers = [
        (":event-type", name),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ];
    message(&headers, payload.to_string().as_bytes())
}

pub fn exception(name: &str, message: &str) -> Vec<u8> {
    let headers = [
        (":exception-type", name),
        (":content-type", "application/json"),
        (":message-type", "exception"),
    ];
    self::message(&headers, json!({"message": message}).to_string().as_bytes())
}

pub fn words(words: &str) -> Vec<u8> {
    event(
        "contentBlockDelta",
        &json!({"contentBlockIndex": 0, "delta": {"text": words}, "p": "abcdefgh"}),
    )
}

/// The first half of the reply of `replies`.
pub fn half() -> Vec<u8> {
    let start = event("messageStart", &json!({"role": "assistant"}));
    [start, words(FIRST)].concat()
}

/// The whole of it, of 11 tokens in and 23 out.
pub fn whole() -> Vec<u8> {
    let usage = json!({"inputTokens": 11, "outputTokens": 23, "totalTokens": 34});
    [
        half(),
        words(SECOND),
        event("contentBlockStop", &json!({"contentBlockIndex": 0})),
        event("messageStop", &json!({"stopReason": "end_turn"})),
        event(
            "metadata",
            &json!({"usage": usage, "metrics": {"latencyMs": 1}}),
        ),
    ]
    .concat()
}
