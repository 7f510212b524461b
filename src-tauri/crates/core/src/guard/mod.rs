//! Checks on text before it is sent, saved or shown.
//!
//! So far on the way in only, and only what makes a prompt impossible to answer. A refused
//! prompt reaches neither the database nor a source.

use weir_protocol::{ErrorBody, code};

/// More than any model reads at once; what is longer was pasted by mistake.
pub const LONGEST_PROMPT: usize = 1024 * 1024;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    #[error("The prompt is empty. Type something to send.")]
    Empty,
    #[error(
        "The prompt is {0} bytes long; Weir sends at most {LONGEST_PROMPT}. Shorten it or send it in parts."
    )]
    TooLong(usize),
}

impl Blocked {
    pub fn body(&self) -> ErrorBody {
        ErrorBody::new(code::BAD_INPUT, self.to_string())
    }
}

pub fn check_prompt(prompt: &str) -> Result<(), Blocked> {
    if prompt.trim().is_empty() {
        return Err(Blocked::Empty);
    }
    if prompt.len() > LONGEST_PROMPT {
        return Err(Blocked::TooLong(prompt.len()));
    }
    Ok(())
}
