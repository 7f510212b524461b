//! How much a model of Ollama's takes in: what the server says of it, and the length to ask for.
//!
//! A server cuts off silently what does not fit into `num_ctx`, so it is set to fit what is sent.
//! Another length makes it load the model anew, so lengths double: a conversation that grows
//! changes it a few times at most.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::{Value, json};

use super::call;
use crate::source::dialect::json::items;
use crate::source::{Block, Connection, Count, SourceError, StepRequest, plain};
use weir_protocol::code;

/// What is short by a few tokens loses its beginning.
pub(super) const COUNT: Count = Count::AtMost;

/// The shortest length, which every model has or is given less of by the server.
const SHORTEST: u64 = 8_192;
/// Room for the answer, where the user sets none.
const ANSWER: u64 = 4_096;
/// The tokens of a picture, whatever it shows.
const PICTURE: u64 = 1_500;

/// What a server says of a model; empty where it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// The tokens it takes at most.
    pub(super) longest: Option<u64>,
    /// What its own file sets.
    pub(super) set: Option<u64>,
    pub(super) takes_images: Option<bool>,
}

/// By address and model: what a server says of a model does not change while it runs.
static KNOWN: LazyLock<Mutex<HashMap<(String, String), Shown>>> = LazyLock::new(Mutex::default);

/// Asks for a model, once, and only where it matters: for pictures and for long conversations.
pub(super) async fn shown(connection: &Connection, request: &StepRequest) -> Shown {
    let has_images = blocks(request).any(|block| matches!(block, Block::Image { .. }));
    if !has_images && needed(request) <= SHORTEST {
        return Shown::default();
    }
    ask(connection, &request.model).await.unwrap_or_default()
}

/// What the server says of a model; none where it says nothing.
pub(super) async fn ask(connection: &Connection, model: &str) -> Option<Shown> {
    let key = (connection.base_url.clone(), model.to_owned());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(shown) = known().get(&key) {
        return Some(*shown);
    }
    let call = call(connection, "/show").ok()?;
    let answer = call.post(&json!({ "model": model })).await.ok()?;
    let shown = read(&answer);
    known().insert(key, shown);
    Some(shown)
}

fn read(answer: &Value) -> Shown {
    let info = answer["model_info"].as_object();
    let longest = info.into_iter().flatten().find_map(|(name, value)| {
        let is_length = name.ends_with(".context_length");
        is_length.then(|| value.as_u64()).flatten()
    });
    // One setting a line: its name, blanks, its value.
    let set = answer["parameters"].as_str().and_then(|lines| {
        let mut lines = lines.lines().map(str::split_whitespace);
        let value = lines.find_map(|mut words| {
            let is_length = words.next() == Some("num_ctx");
            is_length.then(|| words.next()).flatten()
        })?;
        value.parse().ok()
    });
    let able = &answer["capabilities"];
    let takes_images = able
        .is_array()
        .then(|| items(able).iter().any(|it| it == "vision"));
    Shown {
        longest: longest.filter(|length| *length > 0),
        set,
        takes_images,
    }
}

/// The length to ask for: twice and twice again the shortest until everything fits, no less than
/// the model's own file says and no more than the model takes.
pub(super) fn length(request: &StepRequest, shown: &Shown) -> u64 {
    let needed = needed(request).max(shown.set.unwrap_or_default());
    let mut length = SHORTEST;
    while length < needed {
        length = length.saturating_mul(2);
    }
    length.min(shown.longest.unwrap_or(u64::MAX))
}

/// Refuses what is longer than the model takes, as other servers do: this one would cut it.
pub(super) fn check(request: &StepRequest, shown: &Shown) -> Result<(), SourceError> {
    let (sent, longest) = (sent(request), shown.longest.unwrap_or(u64::MAX));
    if sent <= longest {
        return Ok(());
    }
    Err(SourceError::Refused {
        status: 0,
        code: code::CONTEXT_TOO_LONG.into(),
        message: format!(
            "This has up to {sent} tokens, and {} takes {longest}. Ollama would leave out its beginning, so it was not sent.",
            request.model
        ),
        retry_after: None,
        details: None,
    })
}

/// The tokens of a request and of its answer.
fn needed(request: &StepRequest) -> u64 {
    let answer = request.options.max_tokens.map_or(ANSWER, u64::from);
    answer + sent(request)
}

fn sent(request: &StepRequest) -> u64 {
    let tokens = |text: &str| COUNT.tokens(text);
    let system = request.system.as_deref().map_or(0, tokens);
    let tools = request.tools.iter().map(|tool| {
        tokens(&tool.name) + tokens(&tool.description) + tokens(&tool.schema.to_string())
    });
    let said = blocks(request).map(|block| match block {
        Block::Text { text, .. } | Block::Reasoning(text) => tokens(text),
        Block::Image { .. } => PICTURE,
        Block::ToolUse { name, input, .. } => tokens(name) + tokens(&input.to_string()),
        Block::ToolResult { result, .. } => tokens(&plain(result)),
        Block::Thinking { .. } | Block::ThinkingItem { .. } | Block::Redacted(_) => 0,
    });
    // What stands around each message.
    let around = 16 * request.messages.len() as u64;
    system + tools.sum::<u64>() + said.sum::<u64>() + around
}

fn blocks(request: &StepRequest) -> impl Iterator<Item = &Block> {
    request.messages.iter().flat_map(|message| &message.blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::request::example;

    fn of_length(letters: usize) -> StepRequest {
        let mut request = example("llama");
        request.messages[0].blocks = vec![Block::text("x".repeat(letters))];
        request
    }

    #[test]
    fn the_length_fits_what_is_sent_and_grows_by_doubling() {
        let shown = Shown::default();
        let lengths: Vec<u64> = [0, 10_000, 30_000, 60_000, 300_000]
            .map(|letters| length(&of_length(letters), &shown))
            .to_vec();
        assert_eq!(lengths, [8_192, 8_192, 16_384, 32_768, 131_072]);
        let mut request = of_length(0);
        request.options.max_tokens = Some(20_000);
        assert_eq!(length(&request, &shown), 32_768, "room for the answer");
        let most = Shown {
            longest: Some(40_960),
            ..shown
        };
        assert_eq!(length(&of_length(300_000), &most), 40_960);
        let set = Shown {
            set: Some(20_000),
            ..shown
        };
        assert_eq!(length(&of_length(0), &set), 32_768);
    }

    #[test]
    fn what_is_longer_than_the_model_takes_is_refused_and_not_cut() {
        let shown = Shown {
            longest: Some(8_192),
            ..Shown::default()
        };
        assert!(check(&of_length(24_000), &shown).is_ok());
        let refused = check(&of_length(25_000), &shown);
        assert!(
            matches!(&refused, Err(SourceError::Refused { code, .. }) if code == code::CONTEXT_TOO_LONG),
            "{refused:?}"
        );
        assert!(check(&of_length(900_000), &Shown::default()).is_ok());
    }

    #[test]
    fn reads_what_a_server_says_of_a_model() {
        let answer = json!({
            "parameters": "stop  \"<|end|>\"\nnum_ctx                        16384",
            "model_info": {"general.architecture": "llama", "llama.context_length": 131072},
            "capabilities": ["completion", "tools"],
        });
        let expected = Shown {
            longest: Some(131_072),
            set: Some(16_384),
            takes_images: Some(false),
        };
        assert_eq!(read(&answer), expected);
        assert_eq!(read(&json!({"error": "what?"})), Shown::default());
        assert_eq!(read(&json!([1])), Shown::default());
    }
}
