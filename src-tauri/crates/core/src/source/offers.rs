//! What sources offer beside a plain reply: tools that the provider runs itself, and replies
//! that match a JSON Schema.
//!
//! Owns which source offers what, in one place for the window, the command line and a request.
//! How each is written down is the source's own business. What a source does not offer is taken
//! out of a request before the source sees it, and the turn says so.

use serde_json::{Map, Value, json};
use weir_protocol::{ProviderTool, RequestOptions};

use super::{Source, StepRequest, openai_responses};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offers {
    pub tools: &'static [ProviderTool],
    pub schema: bool,
}

impl Offers {
    pub(crate) const NOTHING: Self = Self {
        tools: &[],
        schema: false,
    };
    pub(crate) const SCHEMA: Self = Self {
        tools: &[],
        schema: true,
    };
}

/// Removes what the source does not offer. A sentence for each is added to `notes`.
pub(crate) fn keep_offered(source: &Source, request: &mut StepRequest, notes: &mut Vec<String>) {
    let options = &mut request.options;
    options.provider_tools.retain(|tool| {
        let is_offered = source.offers.tools.contains(tool);
        if !is_offered {
            notes.push(format!(
                "{} has no {} in Weir: it was left out.",
                source.label,
                tool.label()
            ));
        }
        is_offered
    });
    if options.uses(ProviderTool::FileSearch) && options.file_stores.is_empty() {
        options
            .provider_tools
            .retain(|tool| *tool != ProviderTool::FileSearch);
        notes.push("File search needs the name of a store: it was left out.".to_owned());
    }
    if options.schema.is_some() && !source.offers.schema {
        options.schema = None;
        notes.push(format!(
            "{} cannot hold a reply to a JSON Schema: it was left out.",
            source.label
        ));
    }
}

/// What a provider charges for in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charges {
    Tokens,
    /// Each use of a tool of its own as well, which no count of tokens says.
    OwnTools,
}

pub(crate) fn charges(source: &Source, options: &RequestOptions) -> Charges {
    // It searches for every prompt, whatever is switched on.
    let always = source.name == openai_responses::relatives::PERPLEXITY.name;
    let uses = |tool: &ProviderTool| source.offers.tools.contains(tool);
    if always || options.provider_tools.iter().any(uses) {
        Charges::OwnTools
    } else {
        Charges::Tokens
    }
}

/// What OpenAI and those after it call the schema of a reply.
pub(crate) const SCHEMA_NAME: &str = "reply";

/// A schema as chat completions and the Responses API take it. They keep to it strictly only if
/// it is closed: every object names all its fields, requires them, and allows no others.
pub(crate) fn json_schema(schema: &Value) -> Value {
    json!({"name": SCHEMA_NAME, "schema": schema, "strict": is_closed(schema)})
}

fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            (!describes_object(fields) || names_all_fields(fields))
                && fields.values().all(is_closed)
        }
        Value::Array(items) => items.iter().all(is_closed),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn names_all_fields(fields: &Map<String, Value>) -> bool {
    let required: Vec<&Value> = fields
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let properties = fields.get("properties").and_then(Value::as_object);
    let mut names = properties.into_iter().flat_map(Map::keys);
    fields.get("additionalProperties") == Some(&Value::Bool(false))
        && names.all(|name| required.iter().any(|it| *it == name))
}

/// The same schema, in which every object that does not say so itself allows no other fields;
/// Anthropic's models take no other.
pub(crate) fn closed(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let inner = fields
                .iter()
                .map(|(name, value)| (name.clone(), closed(value)));
            let mut all: Map<String, Value> = inner.collect();
            if describes_object(fields) {
                all.entry("additionalProperties").or_insert(false.into());
            }
            all.into()
        }
        Value::Array(items) => items.iter().map(closed).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

fn describes_object(fields: &Map<String, Value>) -> bool {
    match fields.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(_) | None => fields.get("properties").is_some_and(Value::is_object),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::request::example;
    use crate::source::{SOURCES, source};

    fn kept(name: &str, tools: &[ProviderTool], stores: &[&str]) -> (StepRequest, Vec<String>) {
        let mut request = example("any");
        request.options.provider_tools = tools.to_vec();
        request.options.file_stores = stores.iter().map(|it| (*it).to_owned()).collect();
        request.options.schema = Some(json!({"type": "object"}));
        let mut notes = Vec::new();
        keep_offered(source(name).unwrap(), &mut request, &mut notes);
        (request, notes)
    }

    #[test]
    fn a_provider_charges_for_the_tools_that_it_runs() {
        let with = |tools: &[ProviderTool]| RequestOptions {
            provider_tools: tools.to_vec(),
            ..RequestOptions::default()
        };
        let search = [ProviderTool::WebSearch];
        let rows: [(&str, &[ProviderTool], Charges); 5] = [
            ("anthropic", &[], Charges::Tokens),
            ("anthropic", &search, Charges::OwnTools),
            ("openai", &ProviderTool::ALL, Charges::OwnTools),
            // It offers none, so none is used.
            ("deepseek", &search, Charges::Tokens),
            // It searches for every prompt.
            ("perplexity", &[], Charges::OwnTools),
        ];
        for (name, tools, expected) in rows {
            let found = charges(source(name).unwrap(), &with(tools));
            assert_eq!(found, expected, "{name} {tools:?}");
        }
    }

    #[test]
    fn what_a_source_does_not_offer_is_left_out_with_a_note() {
        let (request, notes) = kept("demo", &ProviderTool::ALL, &["store"]);
        assert_eq!(request.options.provider_tools, []);
        assert_eq!(request.options.schema, None);
        assert_eq!(notes.len(), 5);
    }

    #[test]
    fn what_a_source_offers_stays_without_a_note() {
        let (request, notes) = kept("openai", &ProviderTool::ALL, &["store"]);
        assert_eq!(request.options.provider_tools, ProviderTool::ALL);
        assert!(request.options.schema.is_some());
        assert_eq!(notes, [""; 0]);
    }

    #[test]
    fn file_search_needs_a_store() {
        let (request, notes) = kept("openai", &[ProviderTool::FileSearch], &[]);
        assert_eq!(request.options.provider_tools, []);
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn no_source_offers_a_tool_twice() {
        for source in SOURCES {
            for tool in ProviderTool::ALL {
                let offered = source.offers.tools.iter().filter(|it| **it == tool);
                assert!(offered.count() <= 1, "{} {tool:?}", source.name);
            }
        }
    }

    #[test]
    fn only_a_closed_schema_is_kept_to_strictly() {
        let closed_schema = json!({
            "type": "object", "additionalProperties": false, "required": ["a", "b"],
            "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {
                "type": "object", "properties": {}, "required": [], "additionalProperties": false,
            }}},
        });
        assert!(is_closed(&closed_schema));
        for (at, value) in [
            ("/additionalProperties", json!(true)),
            ("/required", json!(["a"])),
            ("/properties/b/items/additionalProperties", Value::Null),
        ] {
            let mut open = closed_schema.clone();
            *open.pointer_mut(at).unwrap() = value;
            assert!(!is_closed(&open), "{at}");
        }
    }

    #[test]
    fn closing_a_schema_reaches_every_object() {
        let open = json!({"type": "object", "properties": {
            "a": {"anyOf": [{"type": ["object", "null"]}, {"type": "string"}]},
            "b": {"type": "object", "additionalProperties": {"type": "number"}},
        }});
        assert_eq!(
            closed(&open),
            json!({"type": "object", "additionalProperties": false, "properties": {
                "a": {"anyOf": [
                    {"type": ["object", "null"], "additionalProperties": false},
                    {"type": "string"},
                ]},
                "b": {"type": "object", "additionalProperties": {"type": "number"}},
            }})
        );
    }
}
