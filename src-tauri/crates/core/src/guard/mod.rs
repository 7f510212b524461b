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
pub(crate) mod corpus;
mod custom;
#[cfg(test)]
pub(crate) mod holding_tests;
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
    GuardCategory, GuardConfig, GuardRule, GuardVerdict, OutputAction, OwnPattern, OwnWord,
    RuleAction, SizeLimits, StageActions,
};

pub use config::{
    ASK_OF_OUTPUT, CONFIG_FILE, GuardPolicy, INPUT_LIMIT, action, asks_of_output, chosen,
    config_notices, held, limit, read_config, stricter,
};
pub(crate) use custom::SIZE;
pub(crate) use limits::ALL_IMAGES;
pub use limits::{Blocked, LONGEST_PROMPT, check_images, check_prompt};
pub use looser::{looser, looser_file};
pub use rule::rules;
pub use stream::{GuardStream, LONGEST_NAME, Piece, Quotes};

use scan::Scanner;
use stream::Scanners;

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
    /// It is redacted or blocked, and another rule over the same text asks before a prompt is
    /// sent.
    pub also_asks: bool,
    /// A part of it is a secret, which may go on where a stretch ends.
    has_secret: bool,
    /// What a placeholder is called: `EMAIL` of `[EMAIL_1]`.
    pub label: Arc<str>,
    /// In bytes of the whole text. Empty where a text is too long: it says from where on.
    pub span: Range<usize>,
}

impl Found {
    /// Whether a prompt that has it waits for the user's answer.
    pub fn asks(&self) -> bool {
        self.action == GuardVerdict::Ask || self.also_asks
    }
}

/// How well an action keeps what was found from leaving.
fn strength(action: GuardVerdict) -> u8 {
    match action {
        GuardVerdict::Allow => 0,
        GuardVerdict::Warn => 1,
        GuardVerdict::Ask => 2,
        GuardVerdict::Redact => 3,
        GuardVerdict::Block => 4,
    }
}

/// Whether what was found may be kept from leaving, and so covers it. `ask` does: where nobody
/// can be asked, it redacts.
fn takes_out(action: GuardVerdict) -> bool {
    match action {
        GuardVerdict::Block | GuardVerdict::Redact | GuardVerdict::Ask => true,
        GuardVerdict::Warn | GuardVerdict::Allow => false,
    }
}

/// The parts of a span that lie in none of the others, which are in order and do not overlap.
fn outside(span: &Range<usize>, others: &[Range<usize>]) -> impl Iterator<Item = Range<usize>> {
    let end = span.end;
    let mut from = span.start;
    let first = others.partition_point(|other| other.end <= from);
    let others = others[first..].iter();
    let others = others.take_while(move |other| other.start < end);
    let others = others.cloned().chain(std::iter::once(end..end));
    others.filter_map(move |other| {
        let part = from..other.start.min(end);
        from = from.max(other.end);
        (part.start < part.end).then_some(part)
    })
}

/// The strictest of what was found.
pub fn verdict(found: &[Found]) -> GuardVerdict {
    let actions = found.iter().map(|found| found.action);
    actions.max().unwrap_or(GuardVerdict::Allow)
}

/// All rules with what the user wants of them. Cheap to clone.
#[derive(Clone)]
pub struct Guard {
    input: Scanners,
    output: Scanners,
}

impl Guard {
    pub fn new(config: &GuardConfig) -> Result<Self, GuardError> {
        Self::of(&GuardPolicy::from(config.clone()))
    }

    pub fn of(policy: &GuardPolicy) -> Result<Self, GuardError> {
        config::check(&policy.config)?;
        Ok(Self {
            input: Scanner::of(policy, Stage::Input)?,
            output: Scanner::of(policy, Stage::Output)?,
        })
    }

    /// What stands in the text, in its order; nothing overlaps.
    pub fn check(&self, stage: Stage, text: &str) -> Vec<Found> {
        stream::check(self.scanners(stage), text)
    }

    /// What the limit on its size says of a text.
    pub(crate) fn too_long(&self, stage: Stage, length: usize) -> Option<Found> {
        let rules = &self.scanners(stage).rules;
        rules.is_too_long(length).then(|| rules.too_long(length))
    }

    pub fn stream(&self, stage: Stage) -> GuardStream {
        GuardStream::new(self.scanners(stage).clone())
    }

    /// The same for a text that was given to a name, which may tell that it is secret.
    pub fn stream_named(&self, stage: Stage, name: &str, quotes: Quotes) -> GuardStream {
        GuardStream::named(self.scanners(stage).clone(), name, quotes)
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

    fn scanners(&self, stage: Stage) -> &Scanners {
        match stage {
            Stage::Input => &self.input,
            Stage::Output => &self.output,
        }
    }
}
