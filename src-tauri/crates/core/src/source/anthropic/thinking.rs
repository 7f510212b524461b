//! How much one of Anthropic's models thinks, how many tokens it may write, and what else a user
//! may set: each generation is told in its own way, and refuses the others'.

use serde_json::{Map, Value, json};
use weir_protocol::{Thinking, ToolChoice};

use crate::source::dialect::json::items;
use crate::source::effort::{self, Level, note_cannot_stop, note_changed, note_no_effect};
use crate::source::request::{note_left_out, tool_choice};
use crate::source::{ChosenBy, StepRequest, catalogue};

/// Room for the answer itself, beside what thinking takes.
const ANSWER_TOKENS: u32 = 16_000;
/// The least the API takes for a budget.
const SMALLEST_BUDGET: u32 = 1_024;

/// Says in `body` how much to think and how much to write.
pub(crate) fn insert(
    body: &mut Map<String, Value>,
    request: &StepRequest,
    notes: &mut Vec<String>,
) {
    let StepRequest {
        model, thinking, ..
    } = request;
    let model = model.as_str();
    let longest = most_tokens(model);
    let asked = lowered(model, longest, request.options.max_tokens, notes);
    // What the user allows, if that is less than the model can.
    let most = asked.unwrap_or(longest).max(1);
    let room = match Kind::of(model) {
        Kind::None => {
            if *thinking != Thinking::Off {
                note_no_effect(request, notes);
            }
            ANSWER_TOKENS
        }
        Kind::Budget => match budget(*thinking) {
            0 => ANSWER_TOKENS,
            // A budget has to be less than all that may be written.
            _ if most <= SMALLEST_BUDGET => {
                notes.push(format!("{model} does not think within {most} tokens."));
                ANSWER_TOKENS
            }
            budget => {
                let budget = budget.min(most / 2).max(SMALLEST_BUDGET);
                let enabled = json!({"type": "enabled", "budget_tokens": budget});
                body.insert("thinking".into(), enabled);
                budget.saturating_add(ANSWER_TOKENS)
            }
        },
        Kind::Adaptive(off) => {
            let effort = match Level::of(*thinking) {
                Some(wanted) => {
                    let adaptive = json!({"type": "adaptive", "display": "summarized"});
                    body.insert("thinking".into(), adaptive);
                    let nearest = wanted.nearest(effort::anthropic(model));
                    if let Some(nearest) = nearest
                        && nearest != wanted
                    {
                        note_changed(request, nearest.word(), notes);
                    }
                    nearest.map(Level::word)
                }
                None => off.insert(body, request, notes),
            };
            if let Some(effort) = effort {
                body.insert("output_config".into(), json!({"effort": effort}));
            }
            2 * ANSWER_TOKENS
        }
    };
    let room = asked.unwrap_or(room);
    body.insert("max_tokens".into(), room.min(most).into());
}

/// What else the user set, as far as the model takes it.
pub(crate) fn insert_options(
    body: &mut Map<String, Value>,
    request: &StepRequest,
    notes: &mut Vec<String>,
) {
    let options = &request.options;
    let model = request.model.as_str();
    let thinking = body.get("thinking").cloned();
    let samples = samples(model) && !thinks(model, thinking.as_ref());
    if let Some(temperature) = options.temperature {
        if samples {
            body.insert("temperature".into(), temperature.into());
        } else {
            note_left_out(model, "temperature", notes);
        }
    }
    if let Some(top_p) = options.top_p {
        // From 4.1 on one of the two is refused beside the other.
        if samples && options.temperature.is_none() {
            body.insert("top_p".into(), top_p.into());
        } else {
            note_left_out(model, "top_p", notes);
        }
    }
    if !options.stop.is_empty() {
        body.insert("stop_sequences".into(), json!(options.stop));
    }
    match tool_choice(request, notes) {
        Some(ToolChoice::Required | ToolChoice::Tool(_))
            if !forced_choice_allowed(model, thinking.as_ref()) =>
        {
            note_left_out(model, "this tool choice", notes);
        }
        Some(choice) => {
            let choice = match choice {
                ToolChoice::Auto => json!({"type": "auto"}),
                ToolChoice::None => json!({"type": "none"}),
                ToolChoice::Required => json!({"type": "any"}),
                ToolChoice::Tool(name) => json!({"type": "tool", "name": name}),
            };
            body.insert("tool_choice".into(), choice);
        }
        None => {}
    }
}

/// Whether a model thinks that is told so in the field `thinking` of a request.
fn thinks(model: &str, thinking: Option<&Value>) -> bool {
    match thinking {
        Some(thinking) => thinking["type"] == "adaptive" || thinking["type"] == "enabled",
        // Unasked, some think all the same.
        None => matches!(Kind::of(model), Kind::Adaptive(Off::Little)),
    }
}

/// Whether a model can be forced to use a tool: none can while it thinks, and the newest refuse
/// it always. `thinking` is the field of the request.
pub(crate) fn forced_choice_allowed(model: &str, thinking: Option<&Value>) -> bool {
    const NEVER: &[&str] = &["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5"];
    !starts(model, NEVER) && !thinks(model, thinking)
}

/// Whether the model is asked to go on from calls whose thinking stays behind, because the
/// conversation before it was summed up.
pub(super) fn is_loop_without_thinking(messages: &[Value]) -> bool {
    let is_result = |block: &Value| block["type"] == "tool_result";
    let is_thinking =
        |block: &Value| block["type"] == "thinking" || block["type"] == "redacted_thinking";
    let under_way = messages.iter().rev().take_while(|message| {
        message["role"] == "assistant" || items(&message["content"]).iter().all(is_result)
    });
    let first = under_way
        .filter(|message| message["role"] == "assistant")
        .last();
    first.is_some_and(|message| !items(&message["content"]).first().is_some_and(is_thinking))
}

/// With a budget of tokens a model refuses to think beside calls that come without the thinking
/// that led to them.
pub(super) fn drop_budget(body: &mut Map<String, Value>, model: &str, notes: &mut Vec<String>) {
    if body
        .get("thinking")
        .is_some_and(|it| it["type"] == "enabled")
    {
        body.remove("thinking");
        notes.push(format!(
            "{model} does not think in this step: its earlier thinking was summed up."
        ));
    }
}

/// Whether a model takes a temperature at all: those that only think adaptively do not.
fn samples(model: &str) -> bool {
    const FIRST_ADAPTIVE: &[&str] = &["claude-opus-4-6", "claude-sonnet-4-6"];
    match Kind::of(model) {
        Kind::None | Kind::Budget => true,
        Kind::Adaptive(_) => starts(model, FIRST_ADAPTIVE),
    }
}

fn budget(thinking: Thinking) -> u32 {
    match thinking {
        Thinking::Off => 0,
        Thinking::Minimal => SMALLEST_BUDGET,
        Thinking::Low => 4_000,
        Thinking::Medium => 10_000,
        Thinking::High => 24_000,
        Thinking::Xhigh => 32_000,
        // As far as the model goes.
        Thinking::Max => u32::MAX,
        Thinking::Tokens(tokens) => tokens.max(SMALLEST_BUDGET),
    }
}

#[derive(Clone, Copy)]
enum Kind {
    /// Up to Claude 3.5.
    None,
    /// From 3.7 to 4.5: so many tokens.
    Budget,
    /// From 4.6 on: the model decides, within an effort.
    Adaptive(Off),
}

/// How a model that decides for itself is told not to.
#[derive(Clone, Copy)]
enum Off {
    /// By not being asked.
    Unasked,
    Disabled,
    /// It thinks between tools at least.
    BetweenTools,
    /// It always thinks; little is the least.
    Little,
}

impl Off {
    fn insert(
        self,
        body: &mut Map<String, Value>,
        request: &StepRequest,
        notes: &mut Vec<String>,
    ) -> Option<&'static str> {
        let kind = match self {
            Self::Unasked => return None,
            Self::Little => {
                note_cannot_stop(request, "low", notes);
                return Some("low");
            }
            Self::Disabled => "disabled",
            Self::BetweenTools => {
                if request.thinking_by == ChosenBy::User {
                    let model = &request.model;
                    notes.push(format!("{model} cannot stop thinking between tools."));
                }
                "between_tools"
            }
        };
        body.insert("thinking".into(), json!({"type": kind}));
        None
    }
}

impl Kind {
    fn of(model: &str) -> Self {
        const NONE: &[&str] = &[
            "claude-2",
            "claude-instant",
            "claude-3-opus",
            "claude-3-haiku",
            "claude-3-sonnet",
            "claude-3-5",
        ];
        const BUDGET: &[&str] = &[
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
        const UNASKED: &[&str] = &["claude-sonnet-4-", "claude-opus-4-"];
        if starts(model, NONE) {
            Self::None
        } else if starts(model, BUDGET) || !model.starts_with("claude") {
            Self::Budget
        } else if starts(model, UNASKED) {
            Self::Adaptive(Off::Unasked)
        } else if model.starts_with("claude-sonnet-5-5") {
            Self::Adaptive(Off::BetweenTools)
        } else if model.starts_with("claude-opus-5-5") {
            Self::Adaptive(Off::Little)
        } else if starts(
            model,
            &["claude-sonnet-5", "claude-opus-5", "claude-haiku-5"],
        ) {
            Self::Adaptive(Off::Disabled)
        } else {
            // What is not known yet may refuse to stop, and takes a low effort.
            Self::Adaptive(Off::Little)
        }
    }
}

/// The limit of tokens that the user set, where the model writes as many; says so where not.
pub(crate) fn lowered(
    model: &str,
    longest: u32,
    asked: Option<u32>,
    notes: &mut Vec<String>,
) -> Option<u32> {
    let asked = asked?;
    if asked > longest {
        notes.push(format!(
            "{model} writes at most {longest} tokens: the limit of {asked} was lowered."
        ));
    }
    Some(asked.min(longest))
}

/// What a model writes at most; it refuses to be asked for more.
fn most_tokens(model: &str) -> u32 {
    let listed = catalogue::model("anthropic", model).and_then(|it| it.max_output);
    let listed = listed.and_then(|most| u32::try_from(most).ok());
    listed.unwrap_or_else(|| unlisted_most_tokens(model))
}

/// The same for models that the catalogue does not have: old ones, and those of other servers.
fn unlisted_most_tokens(model: &str) -> u32 {
    const FOUR: &[&str] = &[
        "claude-2",
        "claude-instant",
        "claude-3-opus",
        "claude-3-haiku",
        "claude-3-sonnet",
    ];
    const THIRTY_TWO: &[&str] = &[
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2025",
        "claude-4-opus",
    ];
    if starts(model, FOUR) {
        4_096
    } else if model.starts_with("claude-3-5") {
        8_192
    } else if starts(model, THIRTY_TWO) {
        32_000
    } else {
        64_000
    }
}

fn starts(model: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| model.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_is_asked_in_its_own_way() {
        let adaptive = |effort: &str, most: u32| {
            json!({"thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": effort}, "max_tokens": most})
        };
        let budget = |budget: u32, most: u32| json!({"thinking": {"type": "enabled", "budget_tokens": budget}, "max_tokens": most});
        let kind = |kind: &str| json!({"thinking": {"type": kind}, "max_tokens": 32_000});
        let low = json!({"output_config": {"effort": "low"}, "max_tokens": 32_000});
        let cases = [
            (
                "claude-3-5-haiku-20241022",
                Thinking::High,
                json!({"max_tokens": 8_192}),
            ),
            (
                "claude-3-opus-20240229",
                Thinking::Off,
                json!({"max_tokens": 4_096}),
            ),
            (
                "claude-sonnet-4-5",
                Thinking::Off,
                json!({"max_tokens": 16_000}),
            ),
            (
                "claude-haiku-4-5-20251001",
                Thinking::Low,
                budget(4_000, 20_000),
            ),
            ("claude-opus-4-1", Thinking::High, budget(16_000, 32_000)),
            (
                "claude-opus-4-5",
                Thinking::Tokens(5),
                budget(1_024, 17_024),
            ),
            (
                "claude-opus-4-5",
                Thinking::Tokens(u32::MAX),
                budget(32_000, 48_000),
            ),
            (
                "claude-opus-4-8",
                Thinking::Medium,
                adaptive("medium", 32_000),
            ),
            (
                "claude-opus-4-8",
                Thinking::Off,
                json!({"max_tokens": 32_000}),
            ),
            (
                "claude-sonnet-5-5",
                Thinking::High,
                adaptive("high", 32_000),
            ),
            ("claude-sonnet-5-5", Thinking::Off, kind("between_tools")),
            ("claude-sonnet-5", Thinking::Off, kind("disabled")),
            ("claude-haiku-5-5", Thinking::Off, kind("disabled")),
            ("claude-opus-5-5", Thinking::Off, low.clone()),
            ("claude-fable-5-1", Thinking::Off, low),
            ("another", Thinking::Low, budget(4_000, 20_000)),
            ("claude-opus-4-6", Thinking::Xhigh, adaptive("high", 32_000)),
            ("claude-opus-4-6", Thinking::Max, adaptive("max", 32_000)),
            (
                "claude-opus-4-7",
                Thinking::Xhigh,
                adaptive("xhigh", 32_000),
            ),
            (
                "claude-sonnet-5-5",
                Thinking::Minimal,
                adaptive("low", 32_000),
            ),
            ("claude-haiku-4-5", Thinking::Minimal, budget(1_024, 17_024)),
            ("claude-haiku-4-5", Thinking::Max, budget(32_000, 48_000)),
        ];
        for (model, thinking, expected) in cases {
            let mut body = Map::new();
            let request = StepRequest {
                model: model.into(),
                thinking,
                ..StepRequest::default()
            };
            insert(&mut body, &request, &mut Vec::new());
            assert_eq!(Value::Object(body), expected, "{model} {thinking:?}");
        }
    }
}
