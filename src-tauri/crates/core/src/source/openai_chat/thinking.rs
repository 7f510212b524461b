//! How a server that speaks chat completions is told how much to think.

use serde_json::{Value, json};
use weir_protocol::Thinking;

use super::{AskThinking, ChatCompletions};
use crate::source::adapt::without_effort;
use crate::source::effort::Levels;
use crate::source::{ChosenBy, StepRequest, effort};

impl ChatCompletions {
    pub(super) fn thinking(
        &self,
        request: &StepRequest,
        notes: &mut Vec<String>,
    ) -> Vec<(&'static str, Value)> {
        let thinking = request.thinking;
        let model = request.model.as_str();
        match self.thinking {
            AskThinking::Never => {
                effort::note_no_effect(request, notes);
                Vec::new()
            }
            AskThinking::Effort => effort_field(openai_effort(request, notes)),
            AskThinking::Rows(rows) => {
                let levels = effort::of_rows(rows, model);
                effort_field(effort::choose(request, levels, notes))
            }
            AskThinking::Listed(source) => {
                let known = effort::listed(source, model);
                let levels = known
                    .as_ref()
                    .map(|(off, levels)| Levels { off: *off, levels });
                effort_field(effort::choose(request, levels, notes))
            }
            AskThinking::OffWord => {
                let levels = Some(effort::OFF_ONLY);
                effort_field(effort::choose(request, levels, notes))
            }
            AskThinking::Reasoning => {
                let levels = Some(effort::OPENROUTER);
                let reasoning = match thinking {
                    Thinking::Off => json!({"enabled": false}),
                    Thinking::Tokens(tokens) => json!({"max_tokens": tokens}),
                    Thinking::Minimal
                    | Thinking::Low
                    | Thinking::Medium
                    | Thinking::High
                    | Thinking::Xhigh
                    | Thinking::Max => {
                        json!({"effort": effort::choose(request, levels, notes)})
                    }
                };
                vec![("reasoning", reasoning)]
            }
            AskThinking::Switch => {
                let mut fields = vec![("thinking", json!({"type": switched(thinking)}))];
                if thinking != Thinking::Off {
                    fields.extend(chosen_effort(request, effort::DEEPSEEK, notes));
                }
                fields
            }
            AskThinking::Glm => glm_thinking(request, notes),
            AskThinking::Template => {
                if thinking == Thinking::Off {
                    let without = json!({"enable_thinking": false});
                    return vec![("chat_template_kwargs", without)];
                }
                effort::note_no_effect(request, notes);
                Vec::new()
            }
            AskThinking::Kimi => kimi_thinking(request, notes),
            AskThinking::Enable => {
                // Those that always think refuse to be told not to.
                let always = ["qwq", "-thinking"];
                if always.iter().any(|word| model.contains(word)) {
                    effort::note_no_effect(request, notes);
                    return Vec::new();
                }
                if thinking != Thinking::Off {
                    effort::note_no_effect(request, notes);
                }
                vec![("enable_thinking", (thinking != Thinking::Off).into())]
            }
        }
    }
}

fn switched(thinking: Thinking) -> &'static str {
    match thinking {
        Thinking::Off => "disabled",
        Thinking::Minimal
        | Thinking::Low
        | Thinking::Medium
        | Thinking::High
        | Thinking::Xhigh
        | Thinking::Max
        | Thinking::Tokens(_) => "enabled",
    }
}

fn effort_field(word: Option<&'static str>) -> Vec<(&'static str, Value)> {
    let field = word.map(|word| ("reasoning_effort", word.into()));
    field.into_iter().collect()
}

/// The effort where the user chose one; what nobody chose is the model's own.
fn chosen_effort(
    request: &StepRequest,
    levels: Levels<'_>,
    notes: &mut Vec<String>,
) -> Vec<(&'static str, Value)> {
    match request.thinking_by {
        ChosenBy::User => effort_field(effort::choose(request, Some(levels), notes)),
        ChosenBy::Nobody => Vec::new(),
    }
}

/// From K3 on there is an effort with words of its own, and thinking cannot be switched off; the
/// K2.x could be, but for the one that writes code.
fn kimi_thinking(request: &StepRequest, notes: &mut Vec<String>) -> Vec<(&'static str, Value)> {
    let model = request.model.as_str();
    if let Some(levels) = effort::of_rows(effort::KIMI, model) {
        return effort_field(effort::choose(request, Some(levels), notes));
    }
    let is_switchable = model.starts_with("kimi-k2") && !model.contains("code");
    if is_switchable && request.thinking == Thinking::Off {
        return vec![("thinking", json!({"type": "disabled"}))];
    }
    effort::note_no_effect(request, notes);
    Vec::new()
}

fn glm_thinking(request: &StepRequest, notes: &mut Vec<String>) -> Vec<(&'static str, Value)> {
    let Some(levels) = effort::of_rows(effort::GLM, &request.model) else {
        if request.thinking != Thinking::Off {
            effort::note_no_effect(request, notes);
        }
        return vec![("thinking", json!({"type": switched(request.thinking)}))];
    };
    let mut fields = vec![("thinking", json!({"type": "enabled"}))];
    fields.extend(chosen_effort(request, levels, notes));
    fields
}

/// Newer models do not think in this API while they have tools, not even as much as they do by
/// themselves.
pub(super) fn refuses_effort_with_tools(model: &str) -> bool {
    const FIRST_THAT_REFUSES: (u32, u32) = (5, 4);
    effort::openai_version(model).is_some_and(|it| it >= FIRST_THAT_REFUSES)
}

/// The word for how hard one of OpenAI's models shall think, if it is told. Models that cannot
/// stop thinking are not asked here while they have tools.
fn openai_effort(request: &StepRequest, notes: &mut Vec<String>) -> Option<&'static str> {
    let model = request.model.as_str();
    let levels = effort::openai(model);
    if levels.is_some() && refuses_effort_with_tools(model) && !request.tools.is_empty() {
        if request.thinking != Thinking::Off && request.thinking_by == ChosenBy::User {
            notes.push(without_effort(model));
        }
        return Some("none");
    }
    effort::choose(request, levels, notes)
}
