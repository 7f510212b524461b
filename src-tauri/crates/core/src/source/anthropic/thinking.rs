//! How much one of Anthropic's models thinks, and how many tokens it may write: each
//! generation is told in its own way, and refuses the others'.

use serde_json::{Map, Value, json};
use weir_protocol::Thinking;

use crate::source::request::effort;

/// Room for the answer itself, beside what thinking takes.
const ANSWER_TOKENS: u32 = 16_000;
/// The least the API takes for a budget.
const SMALLEST_BUDGET: u32 = 1_024;

/// Says in `body` how much to think and how much to write.
pub(super) fn insert(body: &mut Map<String, Value>, model: &str, thinking: Thinking) {
    let most = most_tokens(model);
    let room = match Kind::of(model) {
        Kind::None => ANSWER_TOKENS,
        Kind::Budget => match budget(thinking) {
            0 => ANSWER_TOKENS,
            budget => {
                let budget = budget.min(most / 2);
                let enabled = json!({"type": "enabled", "budget_tokens": budget});
                body.insert("thinking".into(), enabled);
                budget.saturating_add(ANSWER_TOKENS)
            }
        },
        Kind::Adaptive(off) => {
            let effort = match effort(thinking) {
                Some(effort) => {
                    let adaptive = json!({"type": "adaptive", "display": "summarized"});
                    body.insert("thinking".into(), adaptive);
                    Some(effort)
                }
                None => off.insert(body),
            };
            if let Some(effort) = effort {
                body.insert("output_config".into(), json!({"effort": effort}));
            }
            2 * ANSWER_TOKENS
        }
    };
    body.insert("max_tokens".into(), room.min(most).into());
}

fn budget(thinking: Thinking) -> u32 {
    match thinking {
        Thinking::Off => 0,
        Thinking::Low => 4_000,
        Thinking::Medium => 10_000,
        Thinking::High => 24_000,
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
    fn insert(self, body: &mut Map<String, Value>) -> Option<&'static str> {
        let kind = match self {
            Self::Unasked => return None,
            Self::Little => return Some("low"),
            Self::Disabled => "disabled",
            Self::BetweenTools => "between_tools",
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

/// What a model writes at most; it refuses to be asked for more.
fn most_tokens(model: &str) -> u32 {
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
        ];
        for (model, thinking, expected) in cases {
            let mut body = Map::new();
            insert(&mut body, model, thinking);
            assert_eq!(Value::Object(body), expected, "{model} {thinking:?}");
        }
    }
}
