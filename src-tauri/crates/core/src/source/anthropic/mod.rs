//! Anthropic's Messages API: the request. What comes back is [`mapper`]'s business.

pub(crate) mod mapper;

use futures_util::FutureExt;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};
use weir_protocol::Thinking;

use super::http;
use super::{Block, Connection, KeyNeed, Message, Opening, Role, Source, StepRequest};

pub(crate) static SOURCE: Source = Source {
    name: "anthropic",
    label: "Anthropic",
    dialect: &mapper::DIALECT,
    models: &[
        "claude-sonnet-4-6",
        "claude-opus-4-8",
        "claude-haiku-4-5",
        "claude-sonnet-4-5",
    ],
    base_url: "https://api.anthropic.com",
    key: KeyNeed::Wanted {
        variable: "ANTHROPIC_API_KEY",
    },
    open,
};

const API_VERSION: &str = "2023-06-01";
/// Room for the answer itself, beside what a thinking budget takes.
const ANSWER_TOKENS: u32 = 16_000;
/// The least the API takes for a budget.
const SMALLEST_BUDGET: u32 = 1_024;

fn open(connection: Connection, request: StepRequest) -> Opening {
    async move {
        let url = http::endpoint(&connection.base_url, "/v1/messages")?;
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", HeaderValue::from_static(API_VERSION));
        if let Some(key) = &connection.key {
            headers.insert("x-api-key", http::sensitive(key)?);
        }
        let body = body(&request);
        http::post(
            &connection.http,
            url,
            headers,
            connection.key.as_ref(),
            &body,
        )
        .await
    }
    .boxed()
}

/// The request as it is sent. Cache breakpoints stand on the system prompt and on the last
/// two messages of the user: the older one finds what the previous turn wrote, the newer one
/// writes for the next.
fn body(request: &StepRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    body.insert("stream".into(), true.into());
    let budget = insert_thinking(&mut body, request);
    body.insert(
        "max_tokens".into(),
        budget.saturating_add(ANSWER_TOKENS).into(),
    );
    if let Some(system) = &request.system {
        let system = json!([{"type": "text", "text": system, "cache_control": breakpoint()}]);
        body.insert("system".into(), system);
    }
    let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
    messages
        .iter_mut()
        .rev()
        .filter(|message| message["role"] == "user")
        .take(2)
        .for_each(mark_last_block);
    body.insert("messages".into(), messages.into());
    body.into()
}

fn breakpoint() -> Value {
    json!({"type": "ephemeral"})
}

fn mark_last_block(message: &mut Value) {
    if let Some(Value::Object(block)) = message["content"]
        .as_array_mut()
        .and_then(|blocks| blocks.last_mut())
    {
        block.insert("cache_control".into(), breakpoint());
    }
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let content: Vec<Value> = message.blocks.iter().map(block).collect();
    json!({"role": role, "content": content})
}

fn block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Thinking { content, signature } => {
            json!({"type": "thinking", "thinking": content, "signature": signature})
        }
        Block::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
    }
}

/// How a model is told to think; answers the tokens that this takes from the answer.
fn insert_thinking(body: &mut Map<String, Value>, request: &StepRequest) -> u32 {
    match (ThinkingKind::of(&request.model), request.thinking) {
        (_, Thinking::Off) | (ThinkingKind::None, _) => 0,
        (ThinkingKind::Budget, thinking) => {
            let budget = match thinking {
                Thinking::Off => 0,
                Thinking::Low => 4_000,
                Thinking::Medium => 10_000,
                Thinking::High => 24_000,
                Thinking::Tokens(tokens) => tokens.max(SMALLEST_BUDGET),
            };
            let enabled = json!({"type": "enabled", "budget_tokens": budget});
            body.insert("thinking".into(), enabled);
            budget
        }
        (ThinkingKind::Adaptive, thinking) => {
            let effort = match thinking {
                Thinking::Off | Thinking::Low => "low",
                Thinking::Medium => "medium",
                Thinking::High => "high",
                Thinking::Tokens(tokens) if tokens <= 4_000 => "low",
                Thinking::Tokens(tokens) if tokens <= 10_000 => "medium",
                Thinking::Tokens(_) => "high",
            };
            let adaptive = json!({"type": "adaptive", "display": "summarized"});
            body.insert("thinking".into(), adaptive);
            body.insert("output_config".into(), json!({"effort": effort}));
            ANSWER_TOKENS
        }
    }
}

enum ThinkingKind {
    /// Up to Claude 3.5.
    None,
    /// From 3.7 to 4.5: so many tokens.
    Budget,
    /// From 4.6 on: the model decides, within an effort.
    Adaptive,
}

impl ThinkingKind {
    fn of(model: &str) -> Self {
        const NONE: [&str; 5] = [
            "claude-2",
            "claude-instant",
            "claude-3-opus",
            "claude-3-haiku",
            "claude-3-5",
        ];
        const BUDGET: [&str; 12] = [
            "claude-3-7",
            "claude-sonnet-4-0",
            "claude-sonnet-4-2025",
            "claude-sonnet-4-5",
            "claude-opus-4-0",
            "claude-opus-4-1",
            "claude-opus-4-2025",
            "claude-opus-4-5",
            "claude-haiku-4-5",
            "claude-haiku-4-2025",
            "claude-4-sonnet",
            "claude-4-opus",
        ];
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
        if starts(&NONE) || model == "claude-3-sonnet-20240229" {
            Self::None
        } else if starts(&BUDGET) || !model.starts_with("claude") {
            Self::Budget
        } else {
            Self::Adaptive
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(model: &str, thinking: Thinking) -> StepRequest {
        let user = |text: &str| Message {
            role: Role::User,
            blocks: vec![Block::Text(text.into())],
        };
        StepRequest {
            model: model.into(),
            system: Some("Be brief.".into()),
            thinking,
            messages: vec![
                user("one"),
                Message {
                    role: Role::Assistant,
                    blocks: vec![
                        Block::Thinking {
                            content: "hm".into(),
                            signature: "sig".into(),
                        },
                        Block::Text("two".into()),
                    ],
                },
                user("three"),
            ],
        }
    }

    #[test]
    fn sends_history_with_breakpoints() {
        let mark = json!({"type": "ephemeral"});
        assert_eq!(
            body(&request("claude-sonnet-4-5", Thinking::Tokens(2_000))),
            json!({
                "model": "claude-sonnet-4-5",
                "stream": true,
                "max_tokens": 18_000,
                "thinking": {"type": "enabled", "budget_tokens": 2_000},
                "system": [{"type": "text", "text": "Be brief.", "cache_control": mark}],
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "one", "cache_control": mark}]},
                    {"role": "assistant", "content": [
                        {"type": "thinking", "thinking": "hm", "signature": "sig"},
                        {"type": "text", "text": "two"},
                    ]},
                    {"role": "user", "content": [{"type": "text", "text": "three", "cache_control": mark}]},
                ],
            })
        );
    }

    #[test]
    fn asks_each_model_for_thinking_in_its_own_way() {
        let cases = [
            ("claude-3-5-haiku-20241022", Thinking::High, json!(null)),
            ("claude-sonnet-4-5", Thinking::Off, json!(null)),
            (
                "claude-haiku-4-5-20251001",
                Thinking::Low,
                json!({"type": "enabled", "budget_tokens": 4_000}),
            ),
            (
                "claude-opus-4-1",
                Thinking::Tokens(5),
                json!({"type": "enabled", "budget_tokens": 1_024}),
            ),
            (
                "claude-opus-4-8",
                Thinking::Medium,
                json!({"type": "adaptive", "display": "summarized"}),
            ),
            (
                "claude-sonnet-5",
                Thinking::High,
                json!({"type": "adaptive", "display": "summarized"}),
            ),
        ];
        for (model, thinking, expected) in cases {
            let body = body(&request(model, thinking));
            assert_eq!(body["thinking"], expected, "{model}");
        }
    }
}
