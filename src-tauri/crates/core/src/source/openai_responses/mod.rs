//! OpenAI's Responses API: the request. What comes back is [`mapper`]'s business.
//!
//! Nothing is stored on the other side (`store: false`); a model's reasoning comes back
//! encrypted, is kept with the thinking it belongs to, and goes out again from here.

pub(crate) mod mapper;
pub(crate) mod relatives;

use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, ProviderTool, ToolChoice};

use super::adapt::{self, Part};
use super::request::{note_left_out, plain, tool_choice};
use super::{
    Api, Block, ByteStream, Connection, KeyNeed, Listing, Location, Message, Offers, Opening, Role,
    Source, SourceError, StepRequest, ToolDefinition, call_ids, effort, offers, openai_chat,
};

pub(crate) static SOURCE: Source = Source {
    name: "openai",
    label: "OpenAI",
    dialect: &mapper::DIALECT,
    models: openai_chat::relatives::OPENAI_MODELS,
    base_url: openai_chat::relatives::OPENAI_URL,
    location: Location::Cloud,
    key: KeyNeed::Wanted {
        account: "openai",
        variable: "OPENAI_API_KEY",
    },
    offers: Offers {
        tools: &[
            ProviderTool::WebSearch,
            ProviderTool::CodeExecution,
            ProviderTool::FileSearch,
            ProviderTool::ImageGeneration,
        ],
        schema: true,
    },
    api: &Responses,
};

struct Responses;

impl Api for Responses {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move { open(&connection, request).await }.boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move { openai_chat::list_models(&connection).await }.boxed()
    }
}

pub(crate) async fn open(
    connection: &Connection,
    mut request: StepRequest,
) -> Result<ByteStream, SourceError> {
    let call = |_: &[u8]| openai_chat::call(connection, "/responses");
    call_ids::fit(&mut request.messages, call_ids::RESPONSES);
    let mut notes = Vec::new();
    let body = body(&request, &mut notes);
    connection.exchange.note_all(notes);
    let framing = mapper::DIALECT.framing;
    adapt::stream(connection, &request.model, call, body, framing, PARTS).await
}

/// What is given up where a server refuses it.
const PARTS: &[Part] = &[
    Part::Summary,
    Part::Effort("/reasoning/effort"),
    Part::Field("temperature"),
    Part::Field("top_p"),
];

fn body(request: &StepRequest, notes: &mut Vec<String>) -> Value {
    let model = request.model.as_str();
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    if let Some(system) = &request.system {
        body.insert("instructions".into(), system.clone().into());
    }
    if !request.cache_key.is_empty() {
        body.insert("prompt_cache_key".into(), request.cache_key.clone().into());
    }
    let levels = effort::openai(model);
    let effort = effort::choose(request, levels, notes);
    if let Some(effort) = effort {
        let reasoning = json!({"effort": effort, "summary": "auto"});
        body.insert("reasoning".into(), reasoning);
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    let own = request.options.provider_tools.iter();
    let own = own.map(|tool| own_tool(*tool, &request.options.file_stores));
    let tools: Vec<Value> = request.tools.iter().map(tool).chain(own).collect();
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    if let Some(schema) = &request.options.schema {
        let mut format = offers::json_schema(schema);
        format["type"] = "json_schema".into();
        body.insert("text".into(), json!({"format": format}));
    }
    write_options(request, effort, notes, &mut body);
    let mut input: Vec<Value> = request.messages.iter().flat_map(items).collect();
    drop_unfollowed_reasoning(&mut input);
    body.insert("input".into(), input.into());
    body.into()
}

fn write_options(
    request: &StepRequest,
    effort: Option<&str>,
    notes: &mut Vec<String>,
    body: &mut Map<String, Value>,
) {
    let options = &request.options;
    if let Some(most) = options.max_tokens {
        // The API takes no fewer.
        body.insert("max_output_tokens".into(), most.max(16).into());
    }
    openai_chat::write_sampling(request, effort, notes, body);
    if !options.stop.is_empty() {
        note_left_out(&request.model, "stop", notes);
    }
    if let Some(choice) = tool_choice(request, notes) {
        let choice = match choice {
            ToolChoice::Auto => "auto".into(),
            ToolChoice::None => "none".into(),
            ToolChoice::Required => "required".into(),
            ToolChoice::Tool(name) => json!({"type": "function", "name": name}),
        };
        body.insert("tool_choice".into(), choice);
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.description,
        "parameters": tool.schema, "strict": false,
    })
}

/// A tool that the provider runs.
fn own_tool(tool: ProviderTool, file_stores: &[String]) -> Value {
    match tool {
        ProviderTool::WebSearch => json!({"type": "web_search"}),
        ProviderTool::CodeExecution => {
            json!({"type": "code_interpreter", "container": {"type": "auto"}})
        }
        ProviderTool::FileSearch => {
            json!({"type": "file_search", "vector_store_ids": file_stores})
        }
        ProviderTool::ImageGeneration => json!({"type": "image_generation"}),
    }
}

/// A message as items: what was thought, said, asked for and answered, each on its own, in
/// its order; neighbouring parts of one message stay together.
fn items(message: &Message) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text { text, detail, .. } => match message.role {
                Role::User => {
                    push_part(&mut items, json!({"type": "input_text", "text": text}));
                }
                Role::Assistant => push_said(&mut items, text, detail.as_ref()),
            },
            Block::Image { media_type, data } => {
                let url = format!("data:{media_type};base64,{data}");
                let part = json!({"type": "input_image", "image_url": url, "detail": "auto"});
                push_part(&mut items, part);
            }
            Block::ThinkingItem {
                content,
                signature: Some(sealed),
                detail,
            } => items.extend(reasoning(content, sealed, detail)),
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
            Block::ToolUse {
                tool_call_id,
                input,
                detail: Some(detail),
                ..
            } => items.push(own_call(detail, input, result_of(message, tool_call_id))),
            // An item without its id is refused, and so is one without its seal.
            Block::Thinking { .. }
            | Block::ThinkingItem { .. }
            | Block::Redacted(_)
            | Block::Reasoning(_)
            | Block::ToolUse { .. }
            | Block::ToolResult { .. } => {}
        }
    }
    items
}

/// What came of a call that the provider ran.
fn result_of<'a>(message: &'a Message, call: &str) -> &'a Value {
    let mut results = message.blocks.iter().filter_map(|block| match block {
        Block::ToolResult {
            tool_call_id,
            result,
            executed_by: ExecutedBy::Source,
            ..
        } if tool_call_id == call => Some(result),
        Block::ToolResult { .. }
        | Block::ToolUse { .. }
        | Block::Text { .. }
        | Block::Thinking { .. }
        | Block::ThinkingItem { .. }
        | Block::Redacted(_)
        | Block::Reasoning(_)
        | Block::Image { .. } => None,
    });
    results.next().unwrap_or(&Value::Null)
}

/// A call that the provider ran goes back as the item it was, because the reasoning before it
/// refers to it. Null where that item cannot be written: a picture is not kept with its call.
fn own_call(detail: &Value, input: &Value, result: &Value) -> Value {
    let Some(id) = item_id(detail) else {
        return Value::Null;
    };
    let some = |value: &Value| {
        if value.is_array() {
            value.clone()
        } else {
            Value::Null
        }
    };
    match detail["type"].as_str() {
        Some(kind @ "web_search_call") if input["type"].is_string() => {
            json!({"type": kind, "id": id, "status": "completed", "action": input})
        }
        Some(kind @ "code_interpreter_call") if detail["container_id"].is_string() => json!({
            "type": kind, "id": id, "status": "completed", "code": input["code"],
            "container_id": detail["container_id"], "outputs": some(result),
        }),
        Some(kind @ "file_search_call") if input["queries"].is_array() => json!({
            "type": kind, "id": id, "status": "completed", "queries": input["queries"],
            "results": some(result),
        }),
        Some(_) | None => Value::Null,
    }
}

/// The API refuses reasoning without the item that it led to: the reply may have been stopped
/// before that, or the item cannot be sent back.
fn drop_unfollowed_reasoning(items: &mut Vec<Value>) {
    let is_followed = |next: Option<&Value>| {
        next.is_some_and(|it| {
            it["role"] != "user" && !it.is_null() && it["type"] != "function_call_output"
        })
    };
    for at in (0..items.len()).rev() {
        if items[at]["type"] == "reasoning" && !is_followed(items.get(at + 1)) {
            items.remove(at);
        }
    }
    items.retain(|item| !item.is_null());
}

fn reasoning(content: &str, sealed: &str, detail: &Value) -> Option<Value> {
    let summary = match content {
        "" => json!([]),
        text => json!([{"type": "summary_text", "text": text}]),
    };
    Some(json!({
        "type": "reasoning", "id": item_id(detail)?, "summary": summary,
        "encrypted_content": sealed,
    }))
}

/// The id of an item, if it is one that the API takes.
fn item_id(detail: &Value) -> Option<&str> {
    const LONGEST: usize = 64;
    let id = detail["id"].as_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (!id.is_empty() && id.len() <= LONGEST && id.chars().all(plain)).then_some(id)
}

/// What the model said goes back as the item it was. What another model said is a plain message:
/// an item has an id, and none can be made up.
fn push_said(items: &mut Vec<Value>, text: &str, detail: Option<&Value>) {
    let Some((id, detail)) = detail.and_then(|it| Some((item_id(it)?, it))) else {
        items.push(json!({"type": "message", "role": "assistant", "content": text}));
        return;
    };
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    if let Some(last) = items.last_mut()
        && last["type"] == "message"
        && last["id"] == id
        && let Some(Value::Array(parts)) = last.get_mut("content")
    {
        parts.push(part);
        return;
    }
    let mut item = json!({
        "type": "message", "id": id, "status": "completed", "role": "assistant",
        "content": [part],
    });
    // Without it a reply that came in several messages is taken for several replies.
    if let Some(phase) = detail["phase"].as_str() {
        item["phase"] = phase.into();
    }
    items.push(item);
}

/// Neighbouring parts of what the user says are one message.
fn push_part(items: &mut Vec<Value>, part: Value) {
    if let Some(last) = items.last_mut()
        && last["role"] == "user"
        && let Some(Value::Array(parts)) = last.get_mut("content")
    {
        parts.push(part);
        return;
    }
    items.push(json!({"type": "message", "role": "user", "content": [part]}));
}

#[cfg(test)]
mod tests;
