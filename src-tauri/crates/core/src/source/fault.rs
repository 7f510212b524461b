//! What a source's failure is, in Weir's words, and whether it passes by itself.
//!
//! Every provider has its own codes for the same few things, in an HTTP answer or inside a stream
//! that began well. [`Reported`] reads what was said, `vocabulary` is the one table that maps it,
//! and past this module an error has one of the codes in [`code`], with the provider's own words
//! as details.

mod reported;
mod vocabulary;

use std::time::Duration;

use weir_protocol::{ErrorBody, code};

use super::SourceError;
use crate::value_search::check_beginning;
pub(crate) use reported::Reported;

/// No code and no sentence about a failure is longer.
pub(crate) const LONGEST_CODE: usize = 200;
pub(crate) const LONGEST_MESSAGE: usize = 4_000;

/// Puts what `check` makes of it in the place of every text.
pub(crate) fn check(error: &mut ErrorBody, check: &dyn Fn(String) -> String) {
    for text in error.texts_mut() {
        *text = check_beginning(std::mem::take(text), check);
    }
}

/// Shortens what a source said of its failure, once nothing in it is secret any more.
pub(crate) fn clip(error: &mut ErrorBody) {
    clip_text(&mut error.code, LONGEST_CODE);
    clip_text(&mut error.message, LONGEST_MESSAGE);
    if let Some(details) = &mut error.details {
        let short = [&mut details.code, &mut details.param];
        for text in short.into_iter().flatten() {
            clip_text(text, LONGEST_CODE);
        }
        if let Some(text) = &mut details.message {
            clip_text(text, LONGEST_MESSAGE);
        }
    }
}

fn clip_text(text: &mut String, longest: usize) {
    if text.len() > longest {
        text.truncate(text.floor_char_boundary(longest));
        text.push('…');
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The network, or a server that has too much to do just now.
    Passing,
    /// The same question would get the same answer.
    Lasting,
}

/// A step that failed: what to tell, and whether it is worth asking again.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) fault: Fault,
    /// How long the source wants to be left alone.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) error: ErrorBody,
}

impl Failure {
    /// One that the source told inside its stream.
    pub(crate) fn told(error: ErrorBody) -> Self {
        Self {
            fault: of_code(&error.code),
            retry_after: error
                .retry_after
                .map(|seconds| Duration::from_secs(u64::from(seconds))),
            error,
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let fault = match &error {
            SourceError::Unreachable { .. } | SourceError::Broken(_) | SourceError::Slept => {
                Fault::Passing
            }
            // It has been waited for as long as a step may be silent: asking again would multiply
            // that.
            SourceError::Silent { .. } => Fault::Lasting,
            SourceError::Refused { code, .. } => of_code(code),
            SourceError::Unknown(_)
            | SourceError::NoKey { .. }
            | SourceError::BadBaseUrl(_)
            | SourceError::NoStream { .. }
            | SourceError::Redirected { .. }
            | SourceError::NoModels { .. }
            | SourceError::BadModel(_)
            | SourceError::NoAddress { .. }
            | SourceError::BadKey { .. }
            | SourceError::NoModelThere { .. } => Fault::Lasting,
        };
        let retry_after = if let SourceError::Refused { retry_after, .. } = &error {
            *retry_after
        } else {
            None
        };
        Self {
            fault,
            retry_after,
            error: error.body(),
        }
    }
}

/// Whether a source refused because the conversation was too long.
pub(crate) fn is_too_long(error: &ErrorBody) -> bool {
    error.code == code::CONTEXT_TOO_LONG
}

fn of_code(code: &str) -> Fault {
    match code {
        code::RATE_LIMITED
        | code::OVERLOADED
        | code::SERVER_ERROR
        | code::TIMEOUT
        | code::NETWORK
        | code::STREAM_CUT => Fault::Passing,
        _ => Fault::Lasting,
    }
}

#[cfg(test)]
mod tests;
