//! Ollama's own API: the request. What comes back is [`mapper`]'s business.

mod context;
pub(crate) mod mapper;

use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, Thinking};

use super::dialect::json::text;
use super::effort;
use super::http::{self, Call};
use super::request::{
    function, images_left_out, note_left_out, plain, replace_images, tool_choice,
};
use super::{
    Api, Block, Connection, Count, KeyNeed, Listing, Location, Message, Offers, Opening, Role,
    Source, SourceError, StepRequest, Window,
};

use context::Shown;

pub(crate) static SOURCE: Source = Source {
    name: "ollama",
    label: "Ollama",
    dialect: &mapper::DIALECT,
    models: &[],
    base_url: "http://127.0.0.1:11434",
    location: Location::Here,
    key: KeyNeed::Optional {
        account: "ollama",
        variable: "OLLAMA_API_KEY",
    },
    offers: Offers::SCHEMA,
    api: &Chat,
};

struct Chat;

impl Api for Chat {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let mut request = request;
            let mut notes = Vec::new();
            let shown = context::shown(&connection, &request).await;
            if shown.takes_images == Some(false) {
                leave_out_images(&mut request, &mut notes);
            }
            context::check(&request, &shown)?;
            let body = body(&request, &shown, &mut notes);
            connection.exchange.note_all(notes);
            let call = call(&connection, "/chat")?;
            call.stream(&body, mapper::DIALECT.framing).await
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

    fn context_window(&'static self, connection: Connection, model: String) -> Window {
        async move { context::ask(&connection, &model).await?.longest }.boxed()
    }

    fn count(&self) -> Count {
        context::COUNT
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

fn leave_out_images(request: &mut StepRequest, notes: &mut Vec<String>) {
    if replace_images(&mut request.messages) > 0 {
        notes.push(images_left_out(&request.model));
    }
}

fn body(request: &StepRequest, shown: &Shown, notes: &mut Vec<String>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    body.insert("stream".into(), true.into());
    body.insert("options".into(), options(request, shown));
    if tool_choice(request, notes).is_some() {
        note_left_out(&request.model, "a tool choice", notes);
    }
    if let Some(schema) = &request.options.schema {
        body.insert("format".into(), schema.clone());
    }
    if let Some(think) = think(request, notes) {
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

fn options(request: &StepRequest, shown: &Shown) -> Value {
    let set = &request.options;
    let mut options = json!({"num_ctx": context::length(request, shown)});
    if let Some(most) = set.max_tokens {
        options["num_predict"] = most.into();
    }
    if let Some(temperature) = set.temperature {
        options["temperature"] = temperature.into();
    }
    if let Some(top_p) = set.top_p {
        options["top_p"] = top_p.into();
    }
    if !set.stop.is_empty() {
        options["stop"] = json!(set.stop);
    }
    options
}

/// Models that can think do so unless told not to, and those that cannot refuse to be asked:
/// so it is only said when it is to be off, or when the model knows degrees.
fn think(request: &StepRequest, notes: &mut Vec<String>) -> Option<Value> {
    if request.thinking == Thinking::Off {
        return Some(false.into());
    }
    let levels = request.model.contains("gpt-oss").then_some(effort::OLLAMA);
    effort::choose(request, levels, notes).map(Value::from)
}

fn write(message: &Message, out: &mut Vec<Value>) {
    let mut said = String::new();
    let mut thought = String::new();
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
            Block::Reasoning(content) => thought.push_str(content),
            Block::Thinking { .. }
            | Block::ThinkingItem { .. }
            | Block::Redacted(_)
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
        // It goes on from what it thought when it asked for them.
        if !thought.is_empty() {
            written["thinking"] = thought.into();
        }
    }
    out.push(written);
}

#[cfg(test)]
mod tests;
