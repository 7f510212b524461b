//! Ollama's own API: the request. What comes back is [`mapper`]'s business.

pub(crate) mod mapper;

use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, Thinking};

use super::dialect::json::text;
use super::http::{self, Call};
use super::request::{effort, function, plain};
use super::{
    Api, Block, Connection, KeyNeed, Listing, Message, Opening, Place, Role, Source, SourceError,
    StepRequest,
};

pub(crate) static SOURCE: Source = Source {
    name: "ollama",
    label: "Ollama",
    dialect: &mapper::DIALECT,
    models: &[],
    base_url: "http://127.0.0.1:11434",
    place: Place::Here,
    key: KeyNeed::Optional {
        account: "ollama",
        variable: "OLLAMA_API_KEY",
    },
    api: &Chat,
};

struct Chat;

impl Api for Chat {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let call = call(&connection, "/chat")?;
            call.stream(&body(&request), mapper::DIALECT.framing).await
        }
        .boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move {
            let listed = call(&connection, "/tags")?.list("models").await?;
            let name = |model: &Value| text(model, "name").to_owned();
            Ok(listed.iter().map(name).collect())
        }
        .boxed()
    }
}

fn call<'a>(connection: &'a Connection, path: &str) -> Result<Call<'a>, SourceError> {
    // The address of its other API is often the one at hand.
    let base_url = connection.base_url.trim_end_matches('/');
    let base_url = base_url.strip_suffix("/v1").unwrap_or(base_url);
    Ok(Call {
        connection,
        url: http::api(base_url, "/api", path)?,
        headers: http::bearer(connection.key.as_ref())?,
    })
}

fn body(request: &StepRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    body.insert("stream".into(), true.into());
    if let Some(think) = think(request) {
        body.insert("think".into(), think);
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(function).collect();
        body.insert("tools".into(), tools.into());
    }
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({"role": "system", "content": system}));
    }
    for message in &request.messages {
        write(message, &mut messages);
    }
    body.insert("messages".into(), messages.into());
    body.into()
}

/// Models that can think do so unless told not to, and those that cannot refuse to be asked:
/// so it is only said when it is to be off, or when the model knows degrees.
fn think(request: &StepRequest) -> Option<Value> {
    match request.thinking {
        Thinking::Off => Some(false.into()),
        level if request.model.contains("gpt-oss") => effort(level).map(Value::from),
        Thinking::Low | Thinking::Medium | Thinking::High | Thinking::Tokens(_) => None,
    }
}

fn write(message: &Message, out: &mut Vec<Value>) {
    let mut said = String::new();
    let mut images = Vec::new();
    let mut calls = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text { text, .. } => said.push_str(text),
            Block::Image { data, .. } => images.push(Value::from(data.clone())),
            Block::ToolUse {
                name,
                input,
                executed_by: ExecutedBy::Weir,
                ..
            } => calls.push(json!({"function": {"name": name, "arguments": input}})),
            Block::ToolResult {
                name,
                result,
                executed_by: ExecutedBy::Weir,
                ..
            } => out.push(json!({
                "role": "tool", "tool_name": name, "content": plain(result),
            })),
            Block::Thinking { .. }
            | Block::Redacted(_)
            | Block::Reasoning(_)
            | Block::ToolUse { .. }
            | Block::ToolResult { .. } => {}
        }
    }
    if said.is_empty() && images.is_empty() && calls.is_empty() {
        return;
    }
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let mut written = json!({"role": role, "content": said});
    if !images.is_empty() {
        written["images"] = images.into();
    }
    if !calls.is_empty() {
        written["tool_calls"] = calls.into();
    }
    out.push(written);
}

#[cfg(test)]
mod tests;
