//! What OpenAI and its relatives call things, as data.
//!
//! One wire format, some thirty servers: what differs between them is a name here and there,
//! so each difference is a row. Must not hold code that branches on a provider.

use weir_protocol::StopReason;

/// Fields of a delta that carry thinking in plain text. Some servers send two of them with
/// the same words: the first that says something counts.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// Fields of a delta that list the parts of the thinking with their seals, beside the text.
pub(super) const REASONING_PARTS: [&str; 2] = [REASONING_DETAILS, "thinking_blocks"];

/// The one whose parts are sent back as they came.
pub(super) const REASONING_DETAILS: &str = "reasoning_details";

/// A seal of the thinking that comes as a field of its own.
pub(super) const REASONING_SEAL: &str = "reasoning_opaque";

/// Fields of a delta that say nothing a reader could want.
pub(super) const SILENT: [&str; 8] = [
    "role",
    "name",
    "index",
    "channel",
    "token_id",
    "token_ids",
    "reasoning_encrypted",
    "provider_specific_fields",
];

/// Marks around thinking inside the text, for servers that do not take it out themselves.
pub(super) const THINKING_MARKS: [(&str, &str); 6] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
];

/// Why a choice ended.
pub(crate) fn stop_reason(word: &str) -> Option<StopReason> {
    let row = STOP_REASONS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name));
    row.map(|(_, reason)| *reason)
}

const STOP_REASONS: [(&str, StopReason); 23] = [
    ("stop", StopReason::EndTurn),
    ("end_turn", StopReason::EndTurn),
    ("eos", StopReason::EndTurn),
    ("complete", StopReason::EndTurn),
    ("stop_sequence", StopReason::StopSequence),
    ("length", StopReason::MaxTokens),
    ("max_tokens", StopReason::MaxTokens),
    ("model_length", StopReason::MaxTokens),
    ("model_context_window_exceeded", StopReason::MaxTokens),
    ("tool_calls", StopReason::ToolUse),
    ("tool_call", StopReason::ToolUse),
    ("tool_use", StopReason::ToolUse),
    ("function_call", StopReason::ToolUse),
    ("pause_turn", StopReason::PauseTurn),
    ("refusal", StopReason::Refusal),
    ("content_filter", StopReason::ContentFilter),
    ("sensitive", StopReason::ContentFilter),
    ("safety", StopReason::ContentFilter),
    ("recitation", StopReason::ContentFilter),
    ("error", StopReason::Error),
    ("abort", StopReason::Error),
    ("network_error", StopReason::Error),
    ("insufficient_system_resource", StopReason::Error),
];

/// A count in a usage report: the object it sits in, empty for the report itself, and its
/// name. Where several rows are filled in they are the same count, or parts of the largest.
pub(super) type Row = (&'static str, &'static str);

pub(super) const INPUT: [Row; 2] = [("", "prompt_tokens"), ("", "input_tokens")];

pub(super) const OUTPUT: [Row; 2] = [("", "completion_tokens"), ("", "output_tokens")];

pub(super) const CACHE_READ: [Row; 6] = [
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("", "prompt_cache_hit_tokens"),
    ("", "cached_tokens"),
    ("", "num_cached_tokens"),
    ("", "cache_read_input_tokens"),
];

pub(super) const CACHE_WRITE: [Row; 5] = [
    ("prompt_tokens_details", "cache_write_tokens"),
    ("prompt_tokens_details", "cache_creation_tokens"),
    ("prompt_tokens_details", "cache_creation_input_tokens"),
    ("", "cache_write_tokens"),
    ("", "cache_creation_input_tokens"),
];

pub(super) const CACHE_WRITE_5M: [Row; 2] = [
    ("cache_creation", "ephemeral_5m_input_tokens"),
    ("cache_creation", "ephemeral_5m_tokens"),
];

pub(super) const CACHE_WRITE_1H: [Row; 2] = [
    ("cache_creation", "ephemeral_1h_input_tokens"),
    ("cache_creation", "ephemeral_1h_tokens"),
];

pub(super) const REASONING_TOKENS: [Row; 3] = [
    ("completion_tokens_details", "reasoning_tokens"),
    ("output_tokens_details", "reasoning_tokens"),
    ("", "reasoning_tokens"),
];
