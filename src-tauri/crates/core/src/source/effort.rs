//! How hard a model is asked to think: the levels each one has, and the nearest of them to what
//! the user chose.
//!
//! Owns the tables of levels and the sentences about a level that was changed or has no effect.
//! Nothing is said about a level that nobody chose.

use weir_protocol::Thinking;

use super::catalogue::{self, Effort};
use super::{ChosenBy, StepRequest};
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
pub(crate) struct Levels<'a> {
    pub(crate) off: Option<&'static str>,
    pub(crate) levels: &'a [Level],
}

/// The levels of the models whose names begin with `model`; the first row that fits counts.
pub(crate) type Row = (&'static str, Levels<'static>);

pub(crate) fn of_rows(rows: &[Row], model: &str) -> Option<Levels<'static>> {
    let row = rows.iter().find(|(prefix, _)| model.starts_with(prefix))?;
    Some(row.1)
}

/// The word to send, if any. What was changed about the user's choice is added to `notes`.
pub(crate) fn choose(
    request: &StepRequest,
    levels: Option<Levels<'_>>,
    notes: &mut Vec<String>,
) -> Option<&'static str> {
    let Some(Levels { off, levels }) = levels else {
        note_no_effect(request, notes);
        return None;
    };
    let Some(wanted) = Level::of(request.thinking) else {
        if off.is_some() {
            return off;
        }
        let least = levels.first()?.word();
        note_cannot_stop(request, least, notes);
        return Some(least);
    };
    let Some(nearest) = wanted.nearest(levels) else {
        note_no_effect(request, notes);
        return None;
    };
    if nearest != wanted {
        note_changed(request, nearest.word(), notes);
    }
    Some(nearest.word())
}

/// Says that thinking was to be off and cannot be.
pub(crate) fn note_cannot_stop(request: &StepRequest, least: &str, notes: &mut Vec<String>) {
    if chosen(request).is_some() {
        notes.push(format!(
            "{} cannot stop thinking: it was asked for the least, \"{least}\".",
            request.model
        ));
    }
}

/// Says that a level was changed, unless nobody chose it.
pub(crate) fn note_changed(request: &StepRequest, used: &str, notes: &mut Vec<String>) {
    if let Some(wanted) = chosen(request) {
        notes.push(format!(
            "{} has no thinking level \"{wanted}\": \"{used}\" is used.",
            request.model
        ));
    }
}

/// Says that a choice changes nothing, unless nobody made it.
pub(crate) fn note_no_effect(request: &StepRequest, notes: &mut Vec<String>) {
    if let Some(wanted) = chosen(request) {
        notes.push(format!(
            "Thinking \"{wanted}\" has no effect: {} cannot be told how much to think here.",
            request.model
        ));
    }
}

/// What the user chose, in words.
fn chosen(request: &StepRequest) -> Option<String> {
    match request.thinking_by {
        ChosenBy::Nobody => return None,
        ChosenBy::User => {}
    }
    Some(match (request.thinking, Level::of(request.thinking)) {
        (Thinking::Tokens(tokens), _) => format!("{tokens} tokens"),
        (_, Some(level)) => level.word().to_owned(),
        (_, None) => "off".to_owned(),
    })
}

/// The levels of one of OpenAI's models; none for those that do not reason.
pub(crate) fn openai(model: &str) -> Option<Levels<'static>> {
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
    version(model.strip_prefix("gpt-")?)
}

/// The version that a name without its family begins with.
pub(crate) fn version(rest: &str) -> Option<(u32, u32)> {
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

pub(crate) const BASIC: Levels<'static> = Levels {
    off: None,
    levels: &[Low, Medium, High],
};

/// Open models that know an effort, as their hosts name them.
pub(crate) const OPEN_WEIGHTS: &[Row] = &[
    ("gpt-oss", BASIC),
    ("openai/gpt-oss", BASIC),
    ("accounts/fireworks/models/gpt-oss", BASIC),
];

/// What the catalogue says of a model, for servers that take the words of the model behind them:
/// the word that switches thinking off, and the levels. Models that are not listed have those of
/// [`OPEN_WEIGHTS`].
pub(crate) fn listed(source: &str, model: &str) -> Option<(Option<&'static str>, Vec<Level>)> {
    let Some(known) = catalogue::model(source, model) else {
        let row = of_rows(OPEN_WEIGHTS, model)?;
        return Some((row.off, row.levels.to_vec()));
    };
    let words = known.efforts.iter().map(|effort| effort.as_str());
    let levels: Vec<Level> = words.filter_map(Level::parse).collect();
    let off = known.efforts.contains(&Effort::None).then_some("none");
    (off.is_some() || !levels.is_empty()).then_some((off, levels))
}

/// From 5.3 on they always think; earlier ones have a switch.
pub(crate) const GLM: &[Row] = &[(
    "glm-5.3",
    Levels {
        off: None,
        levels: &[Low, High, Max],
    },
)];

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

const WITH_XHIGH: Levels<'static> = Levels {
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

const MISTRAL_LEVELS: Levels<'static> = Levels {
    off: Some("none"),
    levels: &[High],
};

/// A server that can only be told not to think.
pub(crate) const OFF_ONLY: Levels<'static> = Levels {
    off: Some("none"),
    levels: &[],
};

/// Beside the switch that turns thinking on or off.
pub(crate) const DEEPSEEK: Levels<'static> = Levels {
    off: None,
    levels: &[Low, High, Max],
};

/// A server that translates levels for the model behind it.
pub(crate) const OPENROUTER: Levels<'static> = Levels {
    off: Some("none"),
    levels: &ALL,
};

/// Those of Ollama's models that know levels.
pub(crate) const OLLAMA: Levels<'static> = BASIC;

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

    fn chosen(
        model: &str,
        thinking: Thinking,
        levels: Option<Levels<'_>>,
    ) -> (Option<&'static str>, usize) {
        let mut request = StepRequest {
            model: model.to_owned(),
            thinking,
            ..StepRequest::default()
        };
        let mut notes = Vec::new();
        let unchosen = choose(&request, levels, &mut notes);
        assert_eq!(notes, Vec::<String>::new(), "nobody chose it");
        request.thinking_by = ChosenBy::User;
        let word = choose(&request, levels, &mut notes);
        assert_eq!(word, unchosen);
        (word, notes.len())
    }

    #[test]
    fn each_of_openais_models_gets_a_level_it_has() {
        let cases = [
            ("gpt-4.1", Thinking::High, None, 1),
            ("gpt-4.1", Thinking::Medium, None, 1),
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
                1,
            ),
            (MISTRAL, "mistral-small-2506", Thinking::Medium, None, 1),
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
