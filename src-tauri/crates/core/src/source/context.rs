//! How much a model takes in, and how a source says that it was too much.
//!
//! Only what is sure stands here: for any other model the source's own refusal tells.

use weir_protocol::ErrorBody;

/// The tokens that a request and its reply may have together, where that is known. A name on
/// another server may mean anything.
pub(crate) fn window(source: &str, model: &str) -> Option<u64> {
    let rows: &[(&str, u64)] = match source {
        "anthropic" => &[
            ("claude-3", 200_000),
            ("claude-sonnet-4", 200_000),
            ("claude-opus-4", 200_000),
            ("claude-haiku-4", 200_000),
        ],
        "openai" | "openai-chat" => &[
            ("gpt-4o", 128_000),
            ("gpt-4.1", 1_047_576),
            ("gpt-5", 400_000),
            ("o1", 200_000),
            ("o3", 200_000),
            ("o4-mini", 200_000),
        ],
        "gemini" => &[("gemini-2.5", 1_048_576), ("gemini-2.0", 1_048_576)],
        _ => &[],
    };
    let row = rows.iter().find(|(name, _)| model.starts_with(name))?;
    Some(row.1)
}

/// Whether a source refused because the conversation was too long, in any provider's words.
pub(crate) fn is_too_long(error: &ErrorBody) -> bool {
    const CODES: [&str; 3] = [
        "context_length_exceeded",
        "exceed_context_size_error",
        "model_max_prompt_tokens_exceeded",
    ];
    const WORDS: [&str; 7] = [
        "prompt is too long",
        "maximum context length",
        "exceeds the context window",
        "exceed the context window",
        "exceed context limit",
        "exceeds the available context size",
        "exceeds the maximum number of tokens",
    ];
    let said = error.message.to_lowercase();
    CODES.contains(&error.code.as_str()) || WORDS.iter().any(|words| said.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_is_sure_and_nothing_else() {
        let cases = [
            ("anthropic", "claude-sonnet-4-5", Some(200_000)),
            ("openai", "gpt-5-mini", Some(400_000)),
            ("ollama", "gpt-5", None),
            ("anthropic", "claude-of-tomorrow", None),
        ];
        for (source, model, expected) in cases {
            assert_eq!(window(source, model), expected, "{source} {model}");
        }
    }

    #[test]
    fn hears_that_it_was_too_long_in_every_tongue() {
        let cases = [
            (
                "invalid_request_error",
                "prompt is too long: 207535 tokens > 200000 maximum",
                true,
            ),
            ("context_length_exceeded", "Your input exceeds it.", true),
            (
                "invalid_request_error",
                "This model's maximum context length is 8192 tokens.",
                true,
            ),
            (
                "400",
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                true,
            ),
            (
                "exceed_context_size_error",
                "the request exceeds the available context size",
                true,
            ),
            ("rate_limit_error", "Too many tokens a minute.", false),
            ("overloaded_error", "Overloaded", false),
        ];
        for (code, message, expected) in cases {
            assert_eq!(
                is_too_long(&ErrorBody::new(code, message)),
                expected,
                "{message}"
            );
        }
    }
}
