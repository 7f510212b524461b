//! The bytes that are read: one reply, written in the way of each provider.
//!
//! Owns what the reply says, so that what every contestant made of it can be compared with
//! what was written and not only with one another. The same at every run: no clock, and
//! chances out of a fixed seed.

mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;
mod words;

use bytes::Bytes;
use serde_json::Value;

/// One stream of one dialect.
pub struct Stream {
    pub dialect: &'static str,
    pub bytes: Bytes,
    /// How many deltas of text, thinking and input it has.
    pub deltas: usize,
    pub says: Told,
}

/// What a stream says, as far as every contestant has a word for it.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Told {
    pub text: String,
    pub thinking: String,
    pub inputs: Vec<Value>,
    pub output_tokens: u64,
}

/// What a model said, in the pieces it said it in.
struct Reply {
    thinking: Vec<String>,
    text: Vec<String>,
    calls: Vec<Call>,
}

struct Call {
    id: String,
    name: &'static str,
    /// Pieces of the input's JSON.
    pieces: Vec<String>,
}

const OUTPUT_TOKENS: u64 = 5120;
const REASONING_TOKENS: u64 = 1280;

/// The reply in every dialect; `deltas` is about how many pieces it has.
pub fn all(deltas: usize) -> Vec<Stream> {
    written(&words::reply(deltas))
}

/// How the words of a stream stand in its JSON.
#[derive(Clone, Copy, Debug)]
pub enum Spelling {
    AsTheyAre,
    WithEscapes,
}

/// Text and nothing else: what allocations are counted over.
pub fn text_only(deltas: usize, spelling: Spelling) -> Vec<Stream> {
    written(&words::text(deltas, spelling))
}

fn written(reply: &Reply) -> Vec<Stream> {
    vec![
        anthropic::write(reply),
        openai_chat::write(reply),
        openai_responses::write(reply),
        gemini::write(reply),
    ]
}

impl Reply {
    fn says(&self) -> Told {
        Told {
            text: self.text.concat(),
            thinking: self.thinking.concat(),
            inputs: self.calls.iter().map(Call::input).collect(),
            output_tokens: OUTPUT_TOKENS,
        }
    }

    fn deltas(&self) -> usize {
        let pieces = self.calls.iter().map(|call| call.pieces.len());
        self.thinking.len() + self.text.len() + pieces.sum::<usize>()
    }
}

impl Call {
    fn input(&self) -> Value {
        serde_json::from_str(&self.pieces.concat()).unwrap_or_default()
    }
}

/// A JSON string. One in sixteen is written in ASCII alone, as some gateways do.
fn quoted(text: &str) -> String {
    let plain = Value::from(text).to_string();
    if text.len() % 16 != 7 {
        return plain;
    }
    let mut ascii = String::with_capacity(plain.len());
    for letter in plain.chars() {
        if letter.is_ascii() {
            ascii.push(letter);
        } else {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                ascii.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    ascii
}

/// What OpenAI fills its chunks up with, so that their length tells nothing.
fn padding(length: usize) -> &'static str {
    &"Xq7Lw2Zr9Tb4Kd6V"[length % 16..]
}
