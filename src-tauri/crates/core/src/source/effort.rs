//! How hard a model is asked to think: the levels each one has, and the nearest of them to what
//! the user chose.
//!
//! Owns the tables of levels and the sentences about a level that was changed or has no effect.
//! `Medium` is what everybody has who chose nothing, so nothing is said about it.

use weir_protocol::Thinking;

use Level::{High, Low, Max, Medium, Minimal, Xhigh};

/// Least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

pub(crate) const ALL: [Level; 6] = [Minimal, Low, Medium, High, Xhigh, Max];

impl Level {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        ALL.into_iter().find(|level| level.word() == word)
    }

    /// The level that a user's choice comes to; none when thinking is off.
    pub(crate) fn of(thinking: Thinking) -> Option<Self> {
        Some(match thinking {
            Thinking::Off => return None,
            Thinking::Minimal => Self::Minimal,
            Thinking::Low => Self::Low,
            Thinking::Medium => Self::Medium,
            Thinking::High => Self::High,
            Thinking::Xhigh => Self::Xhigh,
            Thinking::Max => Self::Max,
            Thinking::Tokens(tokens) => match tokens {
                0..=4_000 => Self::Low,
                4_001..=16_000 => Self::Medium,
                _ => Self::High,
            },
        })
    }

    /// The one of `levels` that is nearest. Of two equally near ones, the higher up to `high`
    /// and the lower above it, where a level more costs the most.
    pub(crate) fn nearest(self, levels: &[Self]) -> Option<Self> {
        let distance = |level: &Self| (*level as i32 - self as i32).abs();
        let least = levels.iter().map(distance).min()?;
        let mut near = levels.iter().filter(|level| distance(level) == least);
        if self <= High {
            near.max().copied()
        } else {
            near.next().copied()
        }
    }
}

/// What a model can be asked for: a word that switches thinking off, if there is one, and its
/// levels, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    pub(crate) off: Option<&'static str>,
    pub(crate) levels: &'static [Level],
}

/// The levels of the models whose names begin with `model`; the first row that fits counts.
pub(crate) type Row = (&'static str, Levels);

pub(crate) fn of_rows(rows: &[Row], model: &str) -> Option<Levels> {
    let row = rows.iter().find(|(prefix, _)| model.starts_with(prefix))?;
    Some(row.1)
}

/// The word to send, if any. What was changed about the user's choice is added to `notes`.
pub(crate) fn choose(
    model: &str,
    thinking: Thinking,
    levels: Option<Levels>,
    notes: &mut Vec<String>,
) -> Option<&'static str> {
    let Some(Levels { off, levels }) = levels else {
        note_no_effect(model, thinking, notes);
        return None;
    };
    let Some(wanted) = Level::of(thinking) else {
        if off.is_some() {
            return off;
        }
        let least = levels.first()?.word();
        notes.push(format!(
            "{model} cannot stop thinking: it was asked for the least, \"{least}\"."
        ));
        return Some(least);
    };
    let Some(nearest) = wanted.nearest(levels) else {
        note_no_effect(model, thinking, notes);
        return None;
    };
    if nearest != wanted {
        note_changed(model, thinking, nearest.word(), notes);
    }
    Some(nearest.word())
}

/// Says that a level was changed, unless nobody chose it.
pub(crate) fn note_changed(model: &str, thinking: Thinking, used: &str, notes: &mut Vec<String>) {
    if let Some(wanted) = chosen(thinking) {
        notes.push(format!(
            "{model} has no thinking level \"{wanted}\": \"{used}\" is used."
        ));
    }
}

/// Says that a choice changes nothing, unless nobody made it.
pub(crate) fn note_no_effect(model: &str, thinking: Thinking, notes: &mut Vec<String>) {
    if let Some(wanted) = chosen(thinking) {
        notes.push(format!(
            "Thinking \"{wanted}\" has no effect: {model} cannot be told how much to think here."
        ));
    }
}

fn chosen(thinking: Thinking) -> Option<String> {
    match thinking {
        Thinking::Medium => None,
        Thinking::Off => Some("off".to_owned()),
        Thinking::Tokens(tokens) => Some(format!("{tokens} tokens")),
        Thinking::Minimal | Thinking::Low | Thinking::High | Thinking::Xhigh | Thinking::Max => {
            Level::of(thinking).map(|level| level.word().to_owned())
        }
    }
}

/// The levels of one of OpenAI's models; none for those that do not reason.
pub(crate) fn openai(model: &str) -> Option<Levels> {
    const BASIC: &[Level] = &[Low, Medium, High];
    let least = |levels| Some(Levels { off: None, levels });
    let is_o = model
        .strip_prefix('o')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_o || model.contains("gpt-oss") {
        return least(BASIC);
    }
    let version = openai_version(model)?;
    if version < (5, 0) || model.contains("chat") {
        return None;
    }
    if model.contains("-pro") {
        return least(if version < (5, 2) {
            &[High]
        } else {
            &[Medium, High, Xhigh]
        });
    }
    if model.contains("codex") {
        let old = version < (5, 2) && !model.contains("codex-max");
        return least(if old {
            BASIC
        } else {
            &[Low, Medium, High, Xhigh]
        });
    }
    if version == (5, 0) {
        return Some(Levels {
            off: Some("minimal"),
            levels: &[Minimal, Low, Medium, High],
        });
    }
    let levels: &[Level] = match version {
        (5, 1) => BASIC,
        (5, 2..=5) => &[Low, Medium, High, Xhigh],
        _ => &[Low, Medium, High, Xhigh, Max],
    };
    // Not all of them can stop thinking altogether.
    let restless = ["astra", "6.1-sol"].iter().any(|word| model.contains(word));
    Some(Levels {
        off: (!restless).then_some("none"),
        levels,
    })
}

/// `gpt-5.4-mini` is (5, 4).
pub(crate) fn openai_version(model: &str) -> Option<(u32, u32)> {
    let rest = model.strip_prefix("gpt-")?;
    let digits = |text: &str| -> Option<u32> {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        text[..end].parse().ok()
    };
    let major = digits(rest)?;
    let after = &rest[major.to_string().len().min(rest.len())..];
    let minor = after.strip_prefix('.').and_then(digits).unwrap_or_default();
    Some((major, minor))
}

pub(crate) const BASIC: Levels = Levels {
    off: None,
    levels: &[Low, Medium, High],
};

/// Open models that know an effort, as their hosts name them.
pub(crate) const OPEN_WEIGHTS: &[Row] = &[
    ("gpt-oss", BASIC),
    ("openai/gpt-oss", BASIC),
    ("accounts/fireworks/models/gpt-oss", BASIC),
];

/// Earlier ones have a switch, or always think.
pub(crate) const KIMI: &[Row] = &[(
    "kimi-k3",
    Levels {
        off: None,
        levels: &[Low, High, Max],
    },
)];

pub(crate) const GROQ: &[Row] = &[
    ("openai/gpt-oss", BASIC),
    (
        "qwen/qwen3.8",
        Levels {
            off: Some("none"),
            levels: &[Low, Medium, High],
        },
    ),
    (
        "qwen/qwen3",
        Levels {
            off: Some("none"),
            levels: &[],
        },
    ),
];

pub(crate) const XAI: &[Row] = &[
    (
        "grok-3-mini",
        Levels {
            off: None,
            levels: &[Low, High],
        },
    ),
    (
        "grok-4.3",
        Levels {
            off: Some("none"),
            levels: &[Low, Medium, High],
        },
    ),
    ("grok-4.5", BASIC),
    ("grok-4.6", WITH_XHIGH),
    ("grok-4.7", WITH_XHIGH),
];

const WITH_XHIGH: Levels = Levels {
    off: None,
    levels: &[Low, Medium, High, Xhigh],
};

/// Others of Mistral's think always (magistral) or never.
pub(crate) const MISTRAL: &[Row] = &[
    ("mistral-small-latest", MISTRAL_LEVELS),
    ("mistral-small-26", MISTRAL_LEVELS),
    ("mistral-small-4", MISTRAL_LEVELS),
    ("mistral-medium-latest", MISTRAL_LEVELS),
    ("mistral-medium-26", MISTRAL_LEVELS),
    ("mistral-medium-3-5", MISTRAL_LEVELS),
    ("mistral-medium-3.5", MISTRAL_LEVELS),
];

const MISTRAL_LEVELS: Levels = Levels {
    off: Some("none"),
    levels: &[High],
};

/// A server that can only be told not to think.
pub(crate) const OFF_ONLY: Levels = Levels {
    off: Some("none"),
    levels: &[],
};

/// Beside the switch that turns thinking on or off.
pub(crate) const DEEPSEEK: Levels = Levels {
    off: None,
    levels: &[Low, High, Max],
};

/// A server that translates levels for the model behind it.
pub(crate) const OPENROUTER: Levels = Levels {
    off: Some("none"),
    levels: &[Minimal, Low, Medium, High, Xhigh],
};

/// Those of Ollama's models that know levels.
pub(crate) const OLLAMA: Levels = BASIC;

/// The efforts of Anthropic's models that decide for themselves how much to think.
pub(crate) fn anthropic(model: &str) -> &'static [Level] {
    let first = ["claude-opus-4-6", "claude-sonnet-4-6"];
    if first.iter().any(|name| model.starts_with(name)) {
        &[Low, Medium, High, Max]
    } else {
        &[Low, Medium, High, Xhigh, Max]
    }
}

/// The levels of a Gemini model from 3 on, by the name without `gemini-`.
pub(crate) fn gemini(version: &str) -> &'static [Level] {
    let minimal = ["3.6", "3.5", "3-flash"];
    if version.starts_with("3-pro") {
        &[Low, High]
    } else if minimal.iter().any(|name| version.starts_with(name)) {
        &[Minimal, Low, Medium, High]
    } else {
        &[Low, Medium, High]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(model: &str, thinking: Thinking, levels: Option<Levels>) -> (Option<&str>, usize) {
        let mut notes = Vec::new();
        let word = choose(model, thinking, levels, &mut notes);
        (word, notes.len())
    }

    #[test]
    fn each_of_openais_models_gets_a_level_it_has() {
        let cases = [
            ("gpt-4.1", Thinking::High, None, 1),
            ("gpt-4.1", Thinking::Medium, None, 0),
            ("gpt-5-chat-latest", Thinking::Low, None, 1),
            ("gpt-5", Thinking::Minimal, Some("minimal"), 0),
            ("gpt-5", Thinking::Off, Some("minimal"), 0),
            ("gpt-5", Thinking::Max, Some("high"), 1),
            ("gpt-5-pro", Thinking::Low, Some("high"), 1),
            ("gpt-5.1", Thinking::Minimal, Some("low"), 1),
            ("gpt-5.1", Thinking::Xhigh, Some("high"), 1),
            ("gpt-5.1-codex-max", Thinking::Xhigh, Some("xhigh"), 0),
            ("gpt-5.4-mini", Thinking::Max, Some("xhigh"), 1),
            ("gpt-5.6-terra", Thinking::Max, Some("max"), 0),
            ("gpt-5.10", Thinking::Max, Some("max"), 0),
            ("gpt-6.1-terra", Thinking::Off, Some("none"), 0),
            ("gpt-6.1-sol", Thinking::Off, Some("low"), 1),
            ("o3", Thinking::Tokens(9_000), Some("medium"), 0),
            ("openai/gpt-oss-20b", Thinking::Max, Some("high"), 1),
        ];
        for (model, thinking, word, notes) in cases {
            let expected = (word, notes);
            let got = chosen(model, thinking, openai(model));
            assert_eq!(got, expected, "{model} {thinking:?}");
        }
    }

    #[test]
    fn rows_are_found_by_the_beginning_of_a_name() {
        let cases = [
            (GROQ, "qwen/qwen3.8-27b", Thinking::Low, Some("low"), 0),
            (GROQ, "qwen/qwen3-32b", Thinking::Low, None, 1),
            (GROQ, "qwen/qwen3-32b", Thinking::Off, Some("none"), 0),
            (GROQ, "llama", Thinking::Off, None, 1),
            (XAI, "grok-4.6", Thinking::Max, Some("xhigh"), 1),
            (XAI, "grok-4", Thinking::Low, None, 1),
            (
                MISTRAL,
                "mistral-medium-latest",
                Thinking::Low,
                Some("high"),
                1,
            ),
            (
                MISTRAL,
                "mistral-small-2603",
                Thinking::Medium,
                Some("high"),
                0,
            ),
            (MISTRAL, "mistral-small-2506", Thinking::Medium, None, 0),
            (MISTRAL, "codestral-latest", Thinking::High, None, 1),
        ];
        for (rows, model, thinking, word, notes) in cases {
            let got = chosen(model, thinking, of_rows(rows, model));
            assert_eq!(got, (word, notes), "{model} {thinking:?}");
        }
    }

    #[test]
    fn the_nearest_level_is_never_one_that_is_not_there() {
        for wanted in ALL {
            for set in 1..64_u32 {
                let levels: Vec<Level> = ALL
                    .into_iter()
                    .filter(|level| set & (1 << (*level as u32)) != 0)
                    .collect();
                let nearest = wanted.nearest(&levels).unwrap();
                assert!(levels.contains(&nearest));
                assert!(!levels.contains(&wanted) || nearest == wanted);
            }
            assert_eq!(wanted.nearest(&[]), None);
        }
    }
}
