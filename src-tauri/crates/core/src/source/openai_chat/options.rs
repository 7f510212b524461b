//! What the user set of a request, and the tools that a server runs itself.

use serde_json::{Map, Value, json};
use weir_protocol::{ProviderTool, Thinking, ToolChoice};

use super::{AskThinking, ChatCompletions, KIMI, OwnTools};
use crate::source::request::{function_choice, note_left_out, tool_choice};
use crate::source::{StepRequest, effort};

impl ChatCompletions {
    pub(super) fn add_own_tools(
        &self,
        request: &StepRequest,
        tools: &mut Vec<Value>,
        body: &mut Map<String, Value>,
        notes: &mut Vec<String>,
    ) {
        for tool in &request.options.provider_tools {
            match (self.wire.own_tools, tool) {
                (OwnTools::Plugins, ProviderTool::WebSearch) => {
                    body.insert("plugins".into(), json!([{"id": "web"}]));
                }
                (OwnTools::Types, _) if !request.model.contains("gpt-oss") => {
                    note_left_out(&request.model, tool.label(), notes);
                }
                (OwnTools::Types, ProviderTool::WebSearch) => {
                    tools.push(json!({"type": "browser_search"}));
                }
                (OwnTools::Types, ProviderTool::CodeExecution) => {
                    tools.push(json!({"type": "code_interpreter"}));
                }
                (OwnTools::SearchTool, ProviderTool::WebSearch) => {
                    let search = json!({"enable": true, "search_engine": "search-prime",
                        "search_result": true});
                    tools.push(json!({"type": "web_search", "web_search": search}));
                }
                (OwnTools::SearchField, ProviderTool::WebSearch) => {
                    body.insert("enable_search".into(), true.into());
                }
                // The rows of the sources offer no others.
                (
                    OwnTools::None
                    | OwnTools::Plugins
                    | OwnTools::Types
                    | OwnTools::SearchTool
                    | OwnTools::SearchField,
                    _,
                ) => {}
            }
        }
    }

    pub(super) fn write_options(
        &self,
        request: &StepRequest,
        notes: &mut Vec<String>,
        body: &mut Map<String, Value>,
    ) {
        let options = &request.options;
        let model = request.model.as_str();
        if let Some(most) = options.max_tokens {
            body.insert(self.wire.max_tokens.into(), most.into());
        }
        self.write_sampling_options(request, notes, body);
        if !options.stop.is_empty() {
            if self.refuses_stop(model) {
                note_left_out(model, "stop", notes);
            } else {
                body.insert("stop".into(), json!(options.stop));
            }
        }
        match tool_choice(request, notes) {
            Some(choice) if !self.takes_choice(choice, model, body) => {
                note_left_out(model, "this tool choice", notes);
            }
            Some(choice) => {
                body.insert("tool_choice".into(), function_choice(choice));
            }
            None => {}
        }
    }

    fn write_sampling_options(
        &self,
        request: &StepRequest,
        notes: &mut Vec<String>,
        body: &mut Map<String, Value>,
    ) {
        let model = request.model.as_str();
        if self.thinking == AskThinking::Effort {
            let effort = body.get("reasoning_effort").and_then(Value::as_str);
            let effort = effort.map(str::to_owned);
            write_sampling(request, effort.as_deref(), notes, body);
            return;
        }
        let is_kimi = self.thinking == AskThinking::Kimi && model.starts_with(KIMI);
        let thinks = self.thinking == AskThinking::Switch && request.thinking != Thinking::Off;
        let options = [
            (
                "temperature",
                request.options.temperature,
                is_kimi || thinks,
            ),
            // Beside thinking it has no effect, and is not refused.
            ("top_p", request.options.top_p, is_kimi),
        ];
        for (field, value, is_refused) in options {
            match value {
                Some(_) if is_refused => note_left_out(model, field, notes),
                Some(value) => {
                    body.insert(field.into(), value.into());
                }
                None => {}
            }
        }
    }

    fn refuses_stop(&self, model: &str) -> bool {
        let reasons = self.thinking == AskThinking::Effort && effort::openai(model).is_some();
        let is_grok = ["grok-4", "grok-3-mini"]
            .iter()
            .any(|name| model.starts_with(name));
        reasons || is_grok
    }

    /// Whether the server takes a tool choice beside the rest of the request. Many models decide
    /// for themselves while they think, and refuse to be forced.
    fn takes_choice(&self, choice: &ToolChoice, model: &str, body: &Map<String, Value>) -> bool {
        let is_forced = match choice {
            ToolChoice::Auto => return true,
            ToolChoice::None => false,
            ToolChoice::Required | ToolChoice::Tool(_) => true,
        };
        let is_off = body
            .get("thinking")
            .is_some_and(|it| it["type"] == "disabled");
        match self.thinking {
            AskThinking::Switch => !is_forced || is_off,
            AskThinking::Kimi => !is_forced || is_off || !model.starts_with(KIMI),
            AskThinking::Enable => {
                !is_forced || body.get("enable_thinking") == Some(&Value::Bool(false))
            }
            // It documents no other than `auto`.
            AskThinking::Glm => false,
            AskThinking::Never
            | AskThinking::Effort
            | AskThinking::Rows(_)
            | AskThinking::Listed(_)
            | AskThinking::OffWord
            | AskThinking::Reasoning
            | AskThinking::Template => true,
        }
    }
}

/// Temperature and top-p, which OpenAI's models take only while they do not reason; those that
/// cannot stop refuse them always.
pub(crate) fn write_sampling(
    request: &StepRequest,
    effort: Option<&str>,
    notes: &mut Vec<String>,
    body: &mut Map<String, Value>,
) {
    let options = [
        ("temperature", request.options.temperature),
        ("top_p", request.options.top_p),
    ];
    for (field, value) in options {
        let Some(value) = value else { continue };
        if is_sampled(&request.model, effort) {
            body.insert(field.into(), value.into());
        } else {
            note_left_out(&request.model, field, notes);
        }
    }
}

fn is_sampled(model: &str, effort: Option<&str>) -> bool {
    match effort::openai(model) {
        None => true,
        Some(levels) => levels.off == Some("none") && effort == levels.off,
    }
}
