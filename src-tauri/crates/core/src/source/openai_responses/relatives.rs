//! Who else speaks the Responses API, and how each differs: where it is, how it takes its key,
//! and which fields it refuses.

use futures_util::FutureExt;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};

use super::{PARTS, body, mapper};
use crate::source::adapt;
use crate::source::call_ids;
use crate::source::dialect::json::items;
use crate::source::http::{self, Call};
use crate::source::offers::SCHEMA_NAME;
use crate::source::openai_chat::{self, relatives::OPENAI_MODELS};
use crate::source::request::note_left_out;
use crate::source::{
    Api, Connection, KeyNeed, Listing, Location, Offers, Opening, Source, SourceError, StepRequest,
};

/// The address of nobody: every user has a resource of their own.
const AZURE_EXAMPLE: &str = "https://YOUR-RESOURCE.openai.azure.com";

/// Models are the names of the user's deployments, which most people name after the model.
pub(crate) static AZURE_OPENAI: Source = Source {
    name: "azure-openai",
    label: "Azure OpenAI",
    dialect: &mapper::DIALECT,
    models: OPENAI_MODELS,
    base_url: AZURE_EXAMPLE,
    location: Location::Cloud,
    key: KeyNeed::Wanted {
        account: "azure-openai",
        variable: "AZURE_OPENAI_API_KEY",
    },
    offers: super::SOURCE.offers,
    api: &Azure,
};

/// Perplexity ended its chat completions in September 2026; what replaced them takes the same
/// requests as OpenAI's Responses API.
pub(crate) static PERPLEXITY: Source = Source {
    name: "perplexity",
    label: "Perplexity",
    dialect: &mapper::DIALECT,
    // Presets (`preset/fast`) can be named too; what they cost depends on the model they choose.
    models: &["perplexity/sonar"],
    base_url: "https://api.perplexity.ai/v1",
    location: Location::Cloud,
    key: KeyNeed::Wanted {
        account: "perplexity",
        variable: "PERPLEXITY_API_KEY",
    },
    offers: Offers::SCHEMA,
    api: &Perplexity,
};

struct Azure;

impl Api for Azure {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let call = |_: &[u8]| azure_call(&connection, "/responses");
            let mut request = request;
            call_ids::fit(&mut request.messages, call_ids::RESPONSES);
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
            let listed = azure_call(&connection, "/models")?.list("data").await?;
            Ok(openai_chat::chat_models(&listed))
        }
        .boxed()
    }
}

/// The v1 API needs no version in its address. People copy the address of the resource, with or
/// without the path of the API.
fn azure_call<'a>(connection: &'a Connection, path: &str) -> Result<Call<'a>, SourceError> {
    let base_url = connection.base_url.trim().trim_end_matches('/');
    if base_url.eq_ignore_ascii_case(AZURE_EXAMPLE) {
        return Err(SourceError::NoAddress {
            label: AZURE_OPENAI.label,
            name: AZURE_OPENAI.name,
            example: AZURE_EXAMPLE,
        });
    }
    let resource = base_url.strip_suffix("/v1").unwrap_or(base_url);
    let resource = resource.strip_suffix("/openai").unwrap_or(resource);
    let mut headers = HeaderMap::new();
    if let Some(key) = &connection.key {
        headers.insert("api-key", http::sensitive(key)?);
    }
    Ok(Call {
        connection,
        url: http::endpoint(resource, &format!("/openai/v1{path}"))?,
        headers,
    })
}

struct Perplexity;

impl Api for Perplexity {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let call = |_: &[u8]| openai_chat::call(&connection, "/responses");
            let mut request = request;
            call_ids::fit(&mut request.messages, call_ids::RESPONSES);
            let mut notes = Vec::new();
            let body = perplexity_body(&request, &mut notes);
            connection.exchange.note_all(notes);
            let framing = mapper::DIALECT.framing;
            adapt::stream(&connection, &request.model, call, body, framing, PARTS).await
        }
        .boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move { openai_chat::list_models(&connection).await }.boxed()
    }
}

/// A model of this prefix is one of Perplexity's presets, which chooses model, prompt and search.
const PRESET: &str = "preset/";
/// The fields it documents; an unknown one may be refused.
const PERPLEXITY_FIELDS: [&str; 8] = [
    "model",
    "stream",
    "store",
    "instructions",
    "tools",
    "reasoning",
    "max_output_tokens",
    "input",
];

/// OpenAI's request without what Perplexity does not know. A model that is named directly
/// searches only when it is given the tool; a preset brings its own.
fn perplexity_body(request: &StepRequest, notes: &mut Vec<String>) -> Value {
    let Value::Object(fields) = body(request, notes) else {
        return Value::Null;
    };
    for option in ["temperature", "top_p", "tool_choice"] {
        if fields.contains_key(option) {
            note_left_out(&request.model, option, notes);
        }
    }
    let schema = request.options.schema.as_ref().map(|schema| {
        let named = json!({"name": SCHEMA_NAME, "schema": schema});
        json!({"type": "json_schema", "json_schema": named})
    });
    let known = |(name, _): &(String, Value)| PERPLEXITY_FIELDS.contains(&name.as_str());
    let mut fields: Map<String, Value> = fields.into_iter().filter(known).collect();
    fields.extend(schema.map(|schema| ("response_format".into(), schema)));
    if let Some(Value::Object(reasoning)) = fields.get_mut("reasoning") {
        reasoning.retain(|name, _| name == "effort");
    }
    match request.model.strip_prefix(PRESET) {
        Some(preset) => {
            fields.remove("model");
            fields.insert("preset".into(), preset.into());
        }
        None => {
            let tools = fields.entry("tools").or_insert_with(|| json!([]));
            if let Some(tools) = tools.as_array_mut() {
                tools.push(json!({"type": "web_search"}));
            }
        }
    }
    if let Some(Value::Array(items)) = fields.get_mut("input") {
        items.retain_mut(keep_perplexity_item);
    }
    fields.into()
}

/// Whether the API takes an item of the input; a message's text goes as one string, or as parts
/// of the kind that it knows.
fn keep_perplexity_item(item: &mut Value) -> bool {
    match item["type"].as_str() {
        Some("message") => {
            let parts = match item["content"].as_str() {
                Some(text) => vec![json!({"text": text})],
                None => items(&item["content"]).to_vec(),
            };
            let texts: Option<Vec<&str>> = parts.iter().map(|part| part["text"].as_str()).collect();
            let content = match texts {
                Some(texts) => json!(texts.join("\n\n")),
                None => parts
                    .iter()
                    .map(|part| match part["text"].as_str() {
                        Some(text) => json!({"type": "input_text", "text": text}),
                        None => json!({"type": "input_image", "image_url": part["image_url"]}),
                    })
                    .collect(),
            };
            *item = json!({"type": "message", "role": item["role"], "content": content});
            true
        }
        Some("function_call" | "function_call_output") => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::request::{example, example_options};

    #[test]
    fn perplexity_gets_only_what_it_knows() {
        let body = perplexity_body(&example("perplexity/sonar"), &mut Vec::new());
        let fields: Vec<&str> = body
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let known = |field: &&str| PERPLEXITY_FIELDS.contains(field);
        assert!(fields.iter().all(known), "{fields:?}");
        assert_eq!(body["model"], "perplexity/sonar");
        assert_eq!(body["tools"][0]["name"], "look");
        assert_eq!(body["tools"][1], json!({"type": "web_search"}));
        let image = "data:image/png;base64,aGk=";
        assert_eq!(
            body["input"][0],
            json!({"type": "message", "role": "user", "content": [
                {"type": "input_image", "image_url": image}, {"type": "input_text", "text": "one"},
            ]})
        );
        let kinds: Vec<&str> = body["input"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["type"].as_str().unwrap())
            .collect();
        let expected = [
            "message",
            "message",
            "function_call",
            "function_call_output",
            "message",
        ];
        assert_eq!(kinds, expected, "no reasoning of others: {body}");
        assert_eq!(body["input"][1]["content"], "two");
        assert_eq!(body["input"][1].get("id"), None);
    }

    #[test]
    fn options_that_perplexity_does_not_know_are_left_out_with_a_word() {
        let mut request = example("perplexity/sonar");
        request.options = example_options();
        let mut notes = Vec::new();
        let body = perplexity_body(&request, &mut notes);
        assert_eq!(body["max_output_tokens"], 500);
        for option in ["temperature", "top_p", "tool_choice", "stop"] {
            assert_eq!(body.get(option), None);
            let is_named = notes.iter().any(|note| note.contains(option));
            assert!(is_named, "{option}: {notes:?}");
        }
    }

    #[test]
    fn a_schema_stands_where_chat_completions_have_it() {
        let mut request = example("perplexity/sonar");
        let schema = json!({"type": "object"});
        request.options.schema = Some(schema.clone());
        let body = perplexity_body(&request, &mut Vec::new());
        assert_eq!(body.get("text"), None);
        assert_eq!(body["response_format"]["json_schema"]["schema"], schema);
    }

    #[test]
    fn a_preset_stands_in_place_of_a_model() {
        let mut request = example("preset/fast");
        request.tools.clear();
        let body = perplexity_body(&request, &mut Vec::new());
        assert_eq!(body["preset"], "fast");
        assert_eq!(body.get("model"), None);
        assert_eq!(body.get("tools"), None);
    }
}
