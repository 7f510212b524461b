//! Anthropic's Messages API: the request. What comes back is [`mapper`]'s business.

pub(crate) mod mapper;
pub(crate) mod thinking;

use futures_util::FutureExt;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, ProviderTool};

use super::adapt::{self, Part};
use super::dialect::json::text;
use super::http::{self, Call};
use super::request::plain;
use super::{
    Api, Block, Connection, KeyNeed, Listing, Location, Message, Offers, Opening, Role, Source,
    SourceError, StepRequest, ToolDefinition, call_ids, offers,
};

pub(crate) static SOURCE: Source = Source {
    name: "anthropic",
    label: "Anthropic",
    dialect: &mapper::DIALECT,
    models: &[
        "claude-sonnet-5-5",
        "claude-opus-5-5",
        "claude-haiku-5-5",
        "claude-sonnet-4-6",
    ],
    base_url: "https://api.anthropic.com",
    location: Location::Cloud,
    key: KeyNeed::Wanted {
        account: "anthropic",
        variable: "ANTHROPIC_API_KEY",
    },
    offers: Offers {
        tools: &[ProviderTool::WebSearch, ProviderTool::CodeExecution],
        schema: true,
    },
    api: &Messages,
};

const API_VERSION: &str = "2023-06-01";

struct Messages;

impl Api for Messages {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let call = |_: &[u8]| call(&connection, "/messages");
            let mut request = request;
            call_ids::fit(&mut request.messages, call_ids::ANTHROPIC);
            let mut notes = Vec::new();
            let body = body(&request, &mut notes);
            connection.exchange.note_all(notes);
            let framing = mapper::DIALECT.framing;
            adapt::stream(&connection, &request.model, call, body, framing, PARTS).await
        }
        .boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move {
            let mut call = call(&connection, "/models")?;
            call.url.set_query(Some("limit=1000"));
            let listed = call.list("data").await?;
            Ok(listed
                .iter()
                .map(|model| text(model, "id").to_owned())
                .collect())
        }
        .boxed()
    }
}

fn call<'a>(connection: &'a Connection, path: &str) -> Result<Call<'a>, SourceError> {
    let base_url = connection.base_url.trim_end_matches('/');
    let base_url = base_url.strip_suffix("/v1").unwrap_or(base_url);
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", HeaderValue::from_static(API_VERSION));
    if let Some(key) = &connection.key {
        headers.insert("x-api-key", http::sensitive(key)?);
    }
    Ok(Call {
        connection,
        url: http::endpoint(base_url, &format!("/v1{path}"))?,
        headers,
    })
}

/// What is given up where a server refuses it.
pub(crate) const PARTS: &[Part] = &[
    Part::Effort("/output_config/effort"),
    Part::Field("temperature"),
    Part::Field("top_p"),
    Part::SignedThinking,
];

/// The request as it is sent. Cache breakpoints stand on the system prompt and on the last
/// two messages of the user: the older one finds what the previous turn wrote, the newer one
/// writes for the next.
pub(crate) fn body(request: &StepRequest, notes: &mut Vec<String>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    body.insert("stream".into(), true.into());
    thinking::insert(&mut body, request, notes);
    if let Some(system) = &request.system {
        let system = json!([{"type": "text", "text": system, "cache_control": breakpoint()}]);
        body.insert("system".into(), system);
    }
    let own = request.options.provider_tools.iter().filter_map(own_tool);
    let tools: Vec<Value> = request.tools.iter().map(tool).chain(own).collect();
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    thinking::insert_options(&mut body, request, notes);
    if let Some(schema) = &request.options.schema {
        let format = json!({"type": "json_schema", "schema": offers::closed(schema)});
        // Beside how hard to think, where that is said.
        let output = body.entry("output_config").or_insert_with(|| json!({}));
        output["format"] = format;
    }
    let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
    if thinking::is_loop_without_thinking(&messages) {
        thinking::drop_budget(&mut body, &request.model, notes);
    }
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
    let content: Vec<Value> = message.blocks.iter().filter_map(block).collect();
    json!({"role": role, "content": content})
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema})
}

/// A tool that Anthropic runs. These versions are the newest that every model takes.
fn own_tool(tool: &ProviderTool) -> Option<Value> {
    match tool {
        ProviderTool::WebSearch => {
            Some(json!({"type": "web_search_20250305", "name": "web_search"}))
        }
        ProviderTool::CodeExecution => {
            Some(json!({"type": "code_execution_20250825", "name": "code_execution"}))
        }
        ProviderTool::FileSearch | ProviderTool::ImageGeneration => None,
    }
}

fn block(block: &Block) -> Option<Value> {
    Some(match block {
        Block::Text { text, .. } => json!({"type": "text", "text": text}),
        Block::Image { media_type, data } => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": media_type, "data": data},
        }),
        Block::ToolUse {
            tool_call_id,
            name,
            input,
            executed_by,
            detail,
            ..
        } => {
            let kind = json!({"type": match executed_by {
                ExecutedBy::Weir => "tool_use",
                ExecutedBy::Source => "server_tool_use",
            }});
            // An input that was no JSON is kept as a string; the API takes objects only.
            let input = if input.is_object() {
                input
            } else {
                &json!({"input": input})
            };
            let call = json!({"id": tool_call_id, "name": name, "input": input});
            joined([&kind, detail.as_ref().unwrap_or(&Value::Null), &call])
        }
        Block::ToolResult {
            tool_call_id,
            result,
            is_error,
            executed_by: ExecutedBy::Weir,
            ..
        } => json!({
            "type": "tool_result",
            "tool_use_id": tool_call_id,
            "content": plain(result),
            "is_error": is_error,
        }),
        Block::ToolResult {
            tool_call_id,
            result,
            detail,
            ..
        } => {
            let answer = json!({"tool_use_id": tool_call_id, "content": result});
            joined([detail.as_ref().unwrap_or(&Value::Null), &answer])
        }
        Block::Thinking { content, signature } => {
            json!({"type": "thinking", "thinking": content, "signature": signature})
        }
        Block::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
        // Without a signature it is refused.
        Block::Reasoning(_) | Block::ThinkingItem { .. } => return None,
    })
}

/// The fields of all of them, later ones last.
fn joined<const N: usize>(objects: [&Value; N]) -> Value {
    let fields = objects.into_iter().filter_map(Value::as_object).flatten();
    Value::Object(
        fields
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use weir_protocol::Thinking;

    use super::*;

    /// What a model writes at most is what the catalogue says; a limit above it is lowered.
    #[test]
    fn a_limit_of_tokens_that_the_model_cannot_reach_is_lowered_and_said() {
        let cases = [
            ("claude-sonnet-5-5", 100_000, 100_000, 0),
            ("claude-sonnet-5-5", 500_000, 128_000, 1),
            ("claude-haiku-4-5", 500_000, 64_000, 1),
            ("claude-of-tomorrow", 500_000, 64_000, 1),
        ];
        for (model, asked, sent, count) in cases {
            let mut request = request(model, Thinking::Medium);
            request.options.max_tokens = Some(asked);
            let mut notes = Vec::new();
            assert_eq!(body(&request, &mut notes)["max_tokens"], sent, "{model}");
            assert_eq!(notes.len(), count, "{model}: {notes:?}");
        }
    }

    /// With a budget, calls come after the thinking that led to them, or without any.
    #[test]
    fn a_loop_whose_thinking_stayed_behind_goes_on_without() {
        let thinks = |keeps: bool, model: &str| {
            let mut request = crate::source::request::example(model);
            request.messages[2].blocks.truncate(1);
            if !keeps {
                request.messages[1].blocks.drain(..2);
            }
            body(&request, &mut Vec::new())["thinking"]["type"].clone()
        };
        assert_eq!(thinks(true, "claude-sonnet-4-5"), "enabled");
        assert_eq!(thinks(false, "claude-sonnet-4-5"), Value::Null);
        assert_eq!(thinks(false, "claude-sonnet-5-5"), "adaptive");
    }

    fn request(model: &str, thinking: Thinking) -> StepRequest {
        let user = |text: &str| Message {
            role: Role::User,
            blocks: vec![Block::text(text)],
        };
        StepRequest {
            model: model.into(),
            system: Some("Be brief.".into()),
            thinking,
            thinking_by: crate::source::ChosenBy::User,
            messages: vec![
                user("one"),
                Message {
                    role: Role::Assistant,
                    blocks: vec![
                        Block::Thinking {
                            content: "hm".into(),
                            signature: "sig".into(),
                        },
                        Block::text("two"),
                    ],
                },
                user("three"),
            ],
            ..StepRequest::default()
        }
    }

    #[test]
    fn sends_history_with_breakpoints() {
        let mark = json!({"type": "ephemeral"});
        assert_eq!(
            body(
                &request("claude-sonnet-4-5", Thinking::Tokens(2_000)),
                &mut Vec::new()
            ),
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
    fn sends_pictures_tools_and_what_the_source_ran_itself() {
        let body = body(
            &crate::source::request::example("claude-sonnet-5-5"),
            &mut Vec::new(),
        );
        let mark = json!({"type": "ephemeral"});
        assert_eq!(
            body["tools"],
            json!([{"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}])
        );
        assert_eq!(
            body["messages"],
            json!([
                {"role": "user", "content": [
                    {"type": "image",
                     "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
                    {"type": "text", "text": "one", "cache_control": mark},
                ]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "seal"},
                    {"type": "redacted_thinking", "data": "sealed"},
                    {"type": "server_tool_use", "id": "s1", "name": "look", "input": {"at": "x"}},
                    {"type": "look_tool_result", "tool_use_id": "s1", "content": {"seen": 1}},
                    {"type": "text", "text": "two"},
                    {"type": "tool_use", "id": "w1", "name": "look", "input": {"at": "x"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "w1", "content": "{\"seen\":1}",
                     "is_error": false},
                    {"type": "text", "text": "three", "cache_control": mark},
                ]},
            ])
        );
    }

    fn with_options(model: &str, thinking: Thinking) -> StepRequest {
        StepRequest {
            options: crate::source::request::example_options(),
            tools: crate::source::request::example(model).tools,
            ..request(model, thinking)
        }
    }

    #[test]
    fn options_go_where_the_model_takes_them() {
        let fields = [
            "max_tokens",
            "temperature",
            "top_p",
            "stop_sequences",
            "tool_choice",
        ];
        let cases = [
            (
                "claude-sonnet-4-5",
                Thinking::Off,
                json!([500, 0.5, null, ["END"], {"type": "tool", "name": "look"}]),
                1,
            ),
            // Thinking rules out the rest, and does not fit into so few tokens.
            (
                "claude-sonnet-4-5",
                Thinking::High,
                json!([500, 0.5, null, ["END"],
                {"type": "tool", "name": "look"}]),
                2,
            ),
            (
                "claude-opus-4-6",
                Thinking::High,
                json!([500, null, null, ["END"], null]),
                3,
            ),
            (
                "claude-opus-5-5",
                Thinking::Off,
                json!([500, null, null, ["END"], null]),
                4,
            ),
            // The newest refuse to be forced to a tool without thinking, too.
            (
                "claude-haiku-5-5",
                Thinking::Off,
                json!([500, null, null, ["END"], null]),
                3,
            ),
            (
                "claude-sonnet-5-5",
                Thinking::Off,
                json!([500, null, null, ["END"], null]),
                4,
            ),
            (
                "claude-sonnet-5",
                Thinking::Off,
                json!([500, null, null, ["END"], {"type": "tool", "name": "look"}]),
                2,
            ),
        ];
        for (model, thinking, expected, count) in cases {
            let mut notes = Vec::new();
            let body = body(&with_options(model, thinking), &mut notes);
            let sent: Vec<&Value> = fields.iter().map(|field| &body[*field]).collect();
            assert_eq!(json!(sent), expected, "{model} {thinking:?}");
            assert_eq!(notes.len(), count, "{model} {thinking:?}: {notes:?}");
        }
    }

    #[test]
    fn a_budget_is_less_than_all_that_may_be_written() {
        for most in [1, 1_024, 1_025, 1_500, 2_048, 9_000, 1_000_000] {
            for thinking in [Thinking::Minimal, Thinking::Max, Thinking::Tokens(3_000)] {
                let mut request = with_options("claude-haiku-4-5", thinking);
                request.options.max_tokens = Some(most);
                let body = body(&request, &mut Vec::new());
                let all = body["max_tokens"].as_u64().unwrap();
                assert!(all <= u64::from(most));
                if let Some(budget) = body["thinking"]["budget_tokens"].as_u64() {
                    assert!(
                        (1_024..all).contains(&budget),
                        "{most} {thinking:?}: {budget}"
                    );
                }
            }
        }
    }
}
