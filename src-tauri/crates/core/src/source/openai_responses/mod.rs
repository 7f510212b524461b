//! OpenAI's Responses API: the request. What comes back is [`mapper`]'s business.
//!
//! Nothing is stored on the other side (`store: false`); a model's reasoning comes back
//! encrypted, is kept with the thinking it belongs to, and goes out again from here.

pub(crate) mod mapper;

use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use weir_protocol::ExecutedBy;

use super::openai_chat::{self, reasoning_effort};
use super::request::plain;
use super::{
    Api, Block, Connection, KeyNeed, Listing, Message, Opening, Place, Role, Source, StepRequest,
    ToolDefinition,
};

pub(crate) static SOURCE: Source = Source {
    name: "openai",
    label: "OpenAI",
    dialect: &mapper::DIALECT,
    models: openai_chat::relatives::OPENAI_MODELS,
    base_url: openai_chat::relatives::OPENAI_URL,
    place: Place::Cloud,
    key: KeyNeed::Wanted {
        account: "openai",
        variable: "OPENAI_API_KEY",
    },
    api: &Responses,
};

struct Responses;

impl Api for Responses {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let call = openai_chat::call(&connection, "/responses")?;
            call.stream(&body(&request), mapper::DIALECT.framing).await
        }
        .boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move { openai_chat::list_models(&connection).await }.boxed()
    }
}

fn body(request: &StepRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    if let Some(system) = &request.system {
        body.insert("instructions".into(), system.clone().into());
    }
    if !request.cache_key.is_empty() {
        body.insert("prompt_cache_key".into(), request.cache_key.clone().into());
    }
    if let Some(effort) = reasoning_effort(&request.model, request.thinking) {
        let reasoning = json!({"effort": effort, "summary": "auto"});
        body.insert("reasoning".into(), reasoning);
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body.insert("tools".into(), tools.into());
    }
    let input: Vec<Value> = request.messages.iter().flat_map(items).collect();
    body.insert("input".into(), input.into());
    body.into()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description,
        "parameters": tool.schema, "strict": false,
    })
}

/// A message as items: what was thought, said, asked for and answered, each on its own, in
/// its order; neighbouring parts of one message stay together.
fn items(message: &Message) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text { text, .. } => {
                let part = match message.role {
                    Role::User => json!({"type": "input_text", "text": text}),
                    Role::Assistant => json!({"type": "output_text", "text": text}),
                };
                push_part(&mut items, message.role, part);
            }
            Block::Image { media_type, data } => {
                let url = format!("data:{media_type};base64,{data}");
                let part = json!({"type": "input_image", "image_url": url});
                push_part(&mut items, message.role, part);
            }
            Block::Thinking { content, signature } => {
                let summary = match content.as_str() {
                    "" => json!([]),
                    text => json!([{"type": "summary_text", "text": text}]),
                };
                items.push(json!({
                    "type": "reasoning", "summary": summary, "encrypted_content": signature,
                }));
            }
            Block::ToolUse {
                tool_call_id,
                name,
                input,
                executed_by: ExecutedBy::Weir,
                ..
            } => items.push(json!({
                "type": "function_call", "call_id": tool_call_id, "name": name,
                "arguments": plain(input),
            })),
            Block::ToolResult {
                tool_call_id,
                result,
                executed_by: ExecutedBy::Weir,
                ..
            } => items.push(json!({
                "type": "function_call_output", "call_id": tool_call_id,
                "output": plain(result),
            })),
            Block::Redacted(_)
            | Block::Reasoning(_)
            | Block::ToolUse { .. }
            | Block::ToolResult { .. } => {}
        }
    }
    items
}

fn push_part(items: &mut Vec<Value>, role: Role, part: Value) {
    if let Some(last) = items.last_mut()
        && let Some(Value::Array(parts)) = last.get_mut("content")
    {
        parts.push(part);
        return;
    }
    let role = match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    items.push(json!({"type": "message", "role": role, "content": [part]}));
}

#[cfg(test)]
mod tests;
