//! Checks on text before it is sent, saved or shown.
//!
//! Owns the rules and the one pass in which they look at a text. The pass is the same for a
//! whole text and for a stream: `stretch` cuts the text where no rule can be under way, and
//! each stretch is looked at once, when it is whole. Where it is cut depends on the text alone,
//! so `guard(any split of x) == guard(x)`, and no byte of what is found is let go before it is
//! found. Time is linear: a stretch is bounded, and so is what a rule does with it.
//!
//! Knows nothing of prompts, tools and replies: what becomes of a verdict is the turn's matter.
//! Keeps no text: what was found leaves with the pieces.
//!
//! A rule is a row in the table of its family (`secrets`, `personal`, `injection`); the families
//! are listed in `rule`.

mod config;
#[cfg(test)]
mod corpus;
mod custom;
mod injection;
mod limits;
mod looser;
mod personal;
mod rule;
mod scan;
#[cfg(test)]
mod scan_tests;
mod secrets;
mod shape;
mod stream;
#[cfg(test)]
mod stream_tests;
mod stretch;
mod unseen;
#[cfg(test)]
mod unseen_tests;

use std::ops::Range;
use std::sync::Arc;

pub use weir_protocol::{
    GuardCategory, GuardConfig, GuardRule, GuardVerdict, OwnPattern, OwnWord, RuleAction,
    SizeLimits, StageActions,
};

pub use config::{CONFIG_FILE, INPUT_LIMIT, action, chosen, held, limit, read_config, stricter};
pub(crate) use limits::ALL_IMAGES;
pub use limits::{Blocked, LONGEST_PROMPT, check_images, check_prompt};
pub use looser::{looser, looser_file};
pub use rule::rules;
pub use stream::{GuardStream, LONGEST_NAME, Piece, Quotes};

use scan::Scanner;

/// Which way the text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// To a source: prompts, attachments, tool results.
    Input,
    /// From a source: text, thinking, tool input.
    Output,
}

#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    #[error("The pattern {name:?} of the guards cannot be used: {reason}.")]
    BadPattern { name: String, reason: String },
    #[error("The guards know no rule {0:?}.")]
    UnknownRule(String),
    #[error("The guards take at most {most} {what} of your own.")]
    TooMany { what: &'static str, most: usize },
    #[error("The file of the guards, {file}, cannot be used: {reason}.")]
    BadFile { file: String, reason: String },
    #[error("The guards' own rules cannot be used: {0}.")]
    Broken(String),
}

/// Why, in the words of whoever refused it: their last line, without its full stop.
fn reason(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    let last = last.unwrap_or_default().trim().trim_end_matches('.');
    last.trim_start_matches("error: ").to_owned()
}

/// Something a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub rule: Arc<str>,
    pub category: GuardCategory,
    pub action: GuardVerdict,
    /// What a placeholder is called: `EMAIL` of `[EMAIL_1]`.
    pub label: Arc<str>,
    /// In bytes of the whole text. Empty where a text is too long: it says from where on.
    pub span: Range<usize>,
}

/// The strictest of what was found.
pub fn verdict(found: &[Found]) -> GuardVerdict {
    let actions = found.iter().map(|found| found.action);
    actions.max().unwrap_or(GuardVerdict::Allow)
}

/// All rules with what the user wants of them. Cheap to clone.
#[derive(Clone)]
pub struct Guard {
    input: Arc<Scanner>,
    output: Arc<Scanner>,
}

impl Guard {
    pub fn new(config: &GuardConfig) -> Result<Self, GuardError> {
        config::check(config)?;
        Ok(Self {
            input: Arc::new(Scanner::new(config, Stage::Input)?),
            output: Arc::new(Scanner::new(config, Stage::Output)?),
        })
    }

    /// What stands in the text, in its order; nothing overlaps.
    pub fn check(&self, stage: Stage, text: &str) -> Vec<Found> {
        stream::check(self.scanner(stage), text)
    }

    pub fn stream(&self, stage: Stage) -> GuardStream {
        GuardStream::new(Arc::clone(self.scanner(stage)))
    }

    /// The same for a text that was given to a name, which may tell that it is secret.
    pub fn stream_named(&self, stage: Stage, name: &str, quotes: Quotes) -> GuardStream {
        GuardStream::named(Arc::clone(self.scanner(stage)), name, quotes)
    }

    /// What stands in a text that was given to a name.
    pub fn check_named(&self, stage: Stage, name: &str, text: &str) -> Vec<Found> {
        let mut stream = self.stream_named(stage, name, Quotes::Around);
        let mut pieces = Vec::new();
        stream.push(text, &mut pieces);
        stream.finish(&mut pieces);
        let found = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Found(found, _) => Some(found),
            Piece::Text(_) => None,
        });
        found.collect()
    }

    fn scanner(&self, stage: Stage) -> &Arc<Scanner> {
        match stage {
            Stage::Input => &self.input,
            Stage::Output => &self.output,
        }
    }
}
