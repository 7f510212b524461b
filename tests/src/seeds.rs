//! Small streams to start from, written for this: most of what each dialect knows, in a few
//! lines. A dialect may have several; one without any fails a test.

pub const SEEDS: &[(&str, &[u8])] = &[
    ("anthropic", include_bytes!("seeds/anthropic.sse")),
    ("anthropic", include_bytes!("seeds/anthropic-failed.sse")),
    ("openai-chat", include_bytes!("seeds/openai-chat.sse")),
    (
        "openai-responses",
        include_bytes!("seeds/openai-responses.sse"),
    ),
    (
        "openai-responses",
        include_bytes!("seeds/openai-responses-failed.sse"),
    ),
    ("gemini", include_bytes!("seeds/gemini.sse")),
    ("ollama", include_bytes!("seeds/ollama.ndjson")),
    ("claude-code", include_bytes!("seeds/claude-code.jsonl")),
    ("codex", include_bytes!("seeds/codex.jsonl")),
    ("codex", include_bytes!("seeds/codex-first.jsonl")),
    ("gemini-cli", include_bytes!("seeds/gemini-cli.jsonl")),
    ("agent-lines", include_bytes!("seeds/agent-lines.jsonl")),
    ("langchain", include_bytes!("seeds/langchain.jsonl")),
    ("bedrock", include_bytes!("seeds/bedrock.eventstream")),
];

pub fn of(dialect: &str) -> Vec<&'static [u8]> {
    let seeds = SEEDS.iter().filter(|(name, _)| *name == dialect);
    seeds.map(|(_, bytes)| *bytes).collect()
}
