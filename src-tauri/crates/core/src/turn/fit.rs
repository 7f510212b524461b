//! Whether a prompt fits into what a model takes, with all that has to go with it.
//!
//! Pure. Invariant: the prompt being answered is sent whole or not at all. Only earlier turns and
//! the steps of this one are ever summed up, so what cannot be summed up is measured first.

use crate::source::{Count, ToolDefinition};
use weir_protocol::{ErrorBody, code};

use super::compact::PICTURE;

/// What goes with every step of a turn.
#[derive(Clone, Copy)]
pub(crate) struct Fixed<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) pictures: usize,
    pub(crate) system: Option<&'a str>,
    pub(crate) tools: &'a [ToolDefinition],
    /// What hooks add to the prompt.
    pub(crate) additions: &'a [&'a str],
    /// As its source wants it.
    pub(crate) count: Count,
}

impl Fixed<'_> {
    fn prompt_tokens(&self) -> u64 {
        self.count.tokens(self.prompt) + PICTURE * self.pictures as u64
    }

    fn other_tokens(&self) -> u64 {
        let tokens = |text: &str| self.count.tokens(text);
        let tools = self.tools.iter().map(|tool| {
            tokens(&tool.name) + tokens(&tool.description) + tokens(&tool.schema.to_string())
        });
        let additions = self.additions.iter().map(|text| tokens(text));
        self.system.map_or(0, tokens) + tools.sum::<u64>() + additions.sum::<u64>()
    }

    /// About how many tokens all of it has.
    pub(crate) fn tokens(&self) -> u64 {
        self.prompt_tokens() + self.other_tokens()
    }

    /// Refuses what `model` cannot take, where that is known. The count is an estimate, so only
    /// what is past the whole limit is refused. A source that refuses what is too long has the last
    /// word; for one that cuts it without a word, rather too much is counted.
    pub(crate) fn check(&self, model: &str, limit: Option<u64>) -> Result<(), PromptTooLong> {
        match limit {
            Some(limit) if self.tokens() > limit => Err(PromptTooLong {
                model: model.to_owned(),
                characters: self.prompt.chars().count(),
                pictures: self.pictures,
                prompt: self.prompt_tokens(),
                others: self.other_tokens(),
                limit,
            }),
            Some(_) | None => Ok(()),
        }
    }
}

/// It was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct PromptTooLong {
    model: String,
    characters: usize,
    pictures: usize,
    /// In tokens, like the rest.
    prompt: u64,
    others: u64,
    limit: u64,
}

impl PromptTooLong {
    pub(crate) fn body(&self) -> ErrorBody {
        ErrorBody::new(code::PROMPT_TOO_LONG, self.to_string())
    }

    fn sentence(&self) -> String {
        let prompt = size(self.characters, self.pictures, self.prompt);
        let others = match self.others {
            0 => String::new(),
            others => format!(
                ", and the instructions and tools that go with it have about {} more",
                grouped(others)
            ),
        };
        format!(
            "This does not fit: the prompt has {prompt}{others}, and {} takes at most {} tokens. Nothing was sent. {ADVICE}",
            self.model,
            grouped(self.limit)
        )
    }
}

const ADVICE: &str =
    "Choose a model with a larger context, shorten the prompt, or send it in parts.";

/// What a source refused as too long though nothing is left to sum up: its own words, and the size
/// of what was sent whole.
pub(super) fn refused(error: &ErrorBody, prompt: &str, pictures: usize) -> ErrorBody {
    let tokens = Count::Likely.tokens(prompt) + PICTURE * pictures as u64;
    let size = size(prompt.chars().count(), pictures, tokens);
    ErrorBody {
        message: format!(
            "{} The prompt has {size}, and nothing before it could be left out. {ADVICE}",
            sentence_end(&error.message)
        ),
        ..error.clone()
    }
}

fn sentence_end(message: &str) -> String {
    let message = message.trim_end();
    if message.ends_with(['.', '!', '?']) {
        message.to_owned()
    } else {
        format!("{message}.")
    }
}

fn size(characters: usize, pictures: usize, tokens: u64) -> String {
    let characters = match characters {
        1 => "1 character".to_owned(),
        many => format!("{} characters", grouped(many as u64)),
    };
    let pictures = match pictures {
        0 => String::new(),
        1 => " and 1 picture".to_owned(),
        many => format!(" and {many} pictures"),
    };
    format!("{characters}{pictures}, about {} tokens", grouped(tokens))
}

/// 1234567 as 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fixed(prompt: &str) -> Fixed<'_> {
        Fixed {
            prompt,
            pictures: 0,
            system: None,
            tools: &[],
            additions: &[],
            count: Count::Likely,
        }
    }

    #[test]
    fn a_source_that_cuts_is_sent_nothing_that_may_be_too_long() {
        // Just below the limit by the likely count.
        for text in ["x7".repeat(15_900), "堰".repeat(7_900)] {
            let likely = fixed(&text);
            assert_eq!(likely.check("m", Some(8_000)), Ok(()));
            let at_most = Fixed {
                count: Count::AtMost,
                ..likely
            };
            let error = at_most.check("m", Some(8_000)).unwrap_err();
            assert_eq!(error.body().code, code::PROMPT_TOO_LONG);
        }
    }

    #[test]
    fn says_how_much_it_is_and_how_much_fits() {
        let long = "word".repeat(225_000);
        let error = fixed(&long).check("m", Some(200_000)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "This does not fit: the prompt has 900,000 characters, about 225,000 tokens, and m takes at most 200,000 tokens. Nothing was sent. Choose a model with a larger context, shorten the prompt, or send it in parts."
        );
        assert_eq!(error.body().code, code::PROMPT_TOO_LONG);
        assert_eq!(fixed(&long).check("m", Some(225_000)), Ok(()));
        assert_eq!(fixed(&long).check("m", None), Ok(()));
    }

    #[test]
    fn everything_that_goes_with_each_step_counts() {
        let text = "word".repeat(60);
        let tool = ToolDefinition {
            name: "look".into(),
            description: text.clone(),
            schema: json!({}),
        };
        let fits = fixed(&text);
        assert_eq!(fits.check("m", Some(100)), Ok(()));
        let rows = [
            Fixed {
                system: Some(&text),
                ..fits
            },
            Fixed {
                tools: std::slice::from_ref(&tool),
                ..fits
            },
            Fixed {
                additions: &[&text],
                ..fits
            },
            Fixed {
                pictures: 1,
                ..fits
            },
        ];
        for row in rows {
            let error = row.check("m", Some(100)).unwrap_err().to_string();
            let told = error.contains("more, and m takes") || error.contains("1 picture");
            assert!(told, "{error}");
        }
    }
}
