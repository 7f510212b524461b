//! Errors inside streams that began well, in every dialect.

use weir_protocol::StreamEvent;
use weir_protocol::code::*;

use crate::source;
use crate::source::dialect::Reader;

type Row = (&'static str, &'static str, &'static str);

#[rustfmt::skip]
const STREAMS: &[Row] = &[
    ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", OVERLOADED),
    ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Too fast\"}}\n\n", RATE_LIMITED),
    ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Internal server error\"}}\n\n", SERVER_ERROR),
    ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}\n\n", CONTEXT_TOO_LONG),
    ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}\n\n", INVALID_KEY),
    ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"billing_error\",\"message\":\"No money.\"}}\n\n", NO_CREDIT),
    ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"timeout_error\",\"message\":\"Too slow.\"}}\n\n", TIMEOUT),
    ("anthropic", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"not_found_error\",\"message\":\"model: x\"}}\n\n", MODEL_NOT_FOUND),
    ("openai-chat", "data: {\"error\":{\"message\":\"The server had an error.\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n", SERVER_ERROR),
    ("openai-chat", "data: {\"error\":{\"message\":\"Quota.\",\"type\":\"insufficient_quota\",\"param\":null,\"code\":\"insufficient_quota\"}}\n\n", NO_CREDIT),
    ("openai-chat", "data: {\"error\":{\"message\":\"Too fast.\",\"type\":\"requests\",\"param\":null,\"code\":\"rate_limit_exceeded\"}}\n\n", RATE_LIMITED),
    ("openai-chat", "data: {\"error\":{\"code\":429,\"message\":\"Provider returned error\",\"metadata\":{\"provider_name\":\"X\",\"raw\":\"slow down\"}}}\n\n", RATE_LIMITED),
    ("openai-chat", "data: {\"id\":\"g\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}],\"error\":{\"code\":502,\"message\":\"Provider disconnected\"}}\n\n", SERVER_ERROR),
    ("openai-chat", "data: {\"error\":{\"code\":\"server_error\",\"message\":\"Provider disconnected unexpectedly\"}}\n\n", SERVER_ERROR),
    ("openai-chat", "data: {\"error\":{\"code\":400,\"message\":\"This endpoint's maximum context length is 8192 tokens.\"}}\n\n", CONTEXT_TOO_LONG),
    ("openai-chat", "data: {\"error\":{\"code\":403,\"message\":\"Your chosen model requires moderation and your input was flagged\"}}\n\n", REFUSED),
    ("openai-chat", "data: {\"error\":{\"code\":402,\"message\":\"Insufficient credits\"}}\n\n", NO_CREDIT),
    ("openai-chat", "error: {\"code\":500}\ndata: {\"error\":{\"code\":500,\"message\":\"context shift is disabled\",\"type\":\"server_error\"}}\n\n", SERVER_ERROR),
    ("openai-chat", "data: {\"error\":{\"message\":\"Failed to call a function.\",\"type\":\"invalid_request_error\",\"code\":\"tool_use_failed\"}}\n\n", INVALID_REQUEST),
    ("openai-responses", "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"Too fast.\",\"param\":null,\"sequence_number\":1}\n\n", RATE_LIMITED),
    ("openai-responses", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window of this model.\",\"param\":\"input\"}}\n\n", CONTEXT_TOO_LONG),
    ("openai-responses", "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\",\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"The model had an error.\"}}}\n\n", SERVER_ERROR),
    ("openai-responses", "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\",\"status\":\"failed\",\"error\":{\"code\":\"insufficient_quota\",\"message\":\"No money.\"}}}\n\n", NO_CREDIT),
    ("openai-responses", "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\",\"status\":\"failed\",\"error\":{\"code\":\"invalid_prompt\",\"message\":\"Flagged.\"}}}\n\n", REFUSED),
    ("openai-responses", "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\",\"status\":\"failed\",\"error\":{\"code\":\"server_is_overloaded\",\"message\":\"Busy.\"}}}\n\n", OVERLOADED),
    ("gemini", "data: {\"error\":{\"code\":429,\"message\":\"You exceeded your current quota.\",\"status\":\"RESOURCE_EXHAUSTED\"}}\n\n", RATE_LIMITED),
    ("gemini", "data: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}\n\n", OVERLOADED),
    ("gemini", "data: {\"error\":{\"code\":500,\"message\":\"Internal error encountered.\",\"status\":\"INTERNAL\"}}\n\n", SERVER_ERROR),
    ("gemini", "data: {\"error\":{\"code\":504,\"message\":\"Late.\",\"status\":\"DEADLINE_EXCEEDED\"}}\n\n", TIMEOUT),
    ("gemini", "data: {\"error\":{\"code\":400,\"message\":\"The input token count exceeds the maximum number of tokens allowed 1048576.\",\"status\":\"INVALID_ARGUMENT\"}}\n\n", CONTEXT_TOO_LONG),
    ("gemini", "data: {\"error\":{\"code\":403,\"message\":\"No.\",\"status\":\"PERMISSION_DENIED\"}}\n\n", INVALID_KEY),
    ("ollama", "{\"error\":\"model 'x' not found\"}\n", MODEL_NOT_FOUND),
    ("ollama", "{\"error\":\"an error was encountered while running the model: unexpected EOF\"}\n", SOURCE_FAILED),
    ("ollama", "{\"error\":\"prompt too long; exceeded max context length by 4 tokens\"}\n", CONTEXT_TOO_LONG),
    ("ollama", "{\"error\":\"server overloaded, please retry shortly\"}\n", OVERLOADED),
    ("ollama", "{\"error\":\"context deadline exceeded\"}\n", TIMEOUT),
    ("claude-code", "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"API Error: 529 {\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"type\\\":\\\"overloaded_error\\\",\\\"message\\\":\\\"Overloaded\\\"}}\",\"session_id\":\"s\"}\n", OVERLOADED),
    ("claude-code", "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"Credit balance is too low\",\"session_id\":\"s\"}\n", NO_CREDIT),
    ("claude-code", "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"Invalid API key · Please run /login\",\"session_id\":\"s\"}\n", INVALID_KEY),
    ("claude-code", "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"Prompt is too long\",\"session_id\":\"s\"}\n", CONTEXT_TOO_LONG),
    ("claude-code", "{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"is_error\":true,\"session_id\":\"s\"}\n", SOURCE_FAILED),
    ("codex", "{\"type\":\"turn.failed\",\"error\":{\"message\":\"You've hit your usage limit. Try again later.\"}}\n", RATE_LIMITED),
    ("codex", "{\"type\":\"turn.failed\",\"error\":{\"message\":\"unexpected status 401 Unauthorized: Missing bearer\"}}\n", INVALID_KEY),
    ("codex", "{\"type\":\"turn.failed\",\"error\":{\"message\":\"stream disconnected before completion: Transport error\"}}\n", NETWORK),
    ("codex", "{\"type\":\"turn.failed\",\"error\":{\"message\":\"Codex ran out of room in the model's context window. Start a new thread.\"}}\n", CONTEXT_TOO_LONG),
    ("gemini-cli", "{\"type\":\"result\",\"status\":\"error\",\"error\":{\"type\":\"FatalAuthenticationError\",\"message\":\"Log in.\",\"code\":41}}\n", INVALID_KEY),
    ("gemini-cli", "{\"type\":\"result\",\"status\":\"error\",\"error\":{\"type\":\"ApiError\",\"message\":\"{\\\"error\\\":{\\\"code\\\":429,\\\"status\\\":\\\"RESOURCE_EXHAUSTED\\\",\\\"message\\\":\\\"Rate limit exceeded\\\"}}\"}}\n", RATE_LIMITED),
    ("agent-lines", "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n", OVERLOADED),
    ("langchain", "{\"event\":\"on_chain_error\",\"name\":\"agent\",\"run_id\":\"r\",\"parent_ids\":[],\"data\":{\"error\":{\"name\":\"RateLimitError\",\"message\":\"Too fast.\"}}}\n", RATE_LIMITED),
];

fn errors(name: &str, stream: &str) -> Vec<weir_protocol::ErrorBody> {
    let mut reader = Reader::new(source::dialect(name).unwrap());
    let mut events = Vec::new();
    reader.push(stream.as_bytes(), &mut events);
    reader.finish(&mut events);
    let errors = events.into_iter().filter_map(|event| {
        if let StreamEvent::Error { error } = event {
            Some(error)
        } else {
            None
        }
    });
    errors.collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are the result")]
fn every_error_in_a_stream_has_its_code_and_the_sources_words() {
    let mut wrong = Vec::new();
    for (name, stream, expected) in STREAMS {
        let errors = errors(name, stream);
        let found = errors
            .first()
            .map_or("nothing", |error| error.code.as_str());
        if found != *expected {
            wrong.push(format!("{name} is {found}, not {expected}: {stream}"));
            continue;
        }
        let details = errors[0].details.as_ref().unwrap();
        assert!(details.message.is_some(), "{stream}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!(
        "{} errors inside streams, each with its code",
        STREAMS.len()
    );
}

/// The same refusal is one code in an answer and in every dialect's stream.
#[test]
fn a_429_is_one_code_everywhere() {
    let streams = [
        (
            "anthropic",
            "data: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"429\"}}\n\n",
        ),
        (
            "openai-chat",
            "data: {\"error\":{\"code\":429,\"message\":\"429\"}}\n\n",
        ),
        (
            "openai-chat",
            "data: {\"error\":{\"code\":\"429\",\"message\":\"429\"}}\n\n",
        ),
        (
            "openai-responses",
            "data: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"429\"}\n\n",
        ),
        (
            "gemini",
            "data: {\"error\":{\"code\":429,\"message\":\"429\",\"status\":\"RESOURCE_EXHAUSTED\"}}\n\n",
        ),
        ("ollama", "{\"error\":\"429 Too Many Requests\"}\n"),
    ];
    for (name, stream) in streams {
        assert_eq!(errors(name, stream)[0].code, RATE_LIMITED, "{name}");
    }
}
