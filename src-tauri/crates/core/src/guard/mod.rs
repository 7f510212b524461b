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

/// White space, and what takes no space at all: joiners, marks of direction, soft hyphens.
fn is_invisible(letter: char) -> bool {
    letter.is_whitespace()
        || letter.is_control()
        || matches!(letter, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

pub fn check_prompt(prompt: &str) -> Result<(), Blocked> {
    if prompt.chars().all(is_invisible) {
        return Err(Blocked::Empty);
    }
    if prompt.len() > LONGEST_PROMPT {
        return Err(Blocked::TooLong(prompt.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_be_answered() {
        let cases = [
            ("", Err(Blocked::Empty)),
            (" \n\t", Err(Blocked::Empty)),
            ("\u{200B}\u{FEFF}\u{202E}", Err(Blocked::Empty)),
            (".", Ok(())),
        ];
        for (prompt, expected) in cases {
            assert_eq!(check_prompt(prompt), expected, "{prompt:?}");
        }
        let long = "x".repeat(LONGEST_PROMPT + 1);
        assert_eq!(check_prompt(&long), Err(Blocked::TooLong(long.len())));
        assert_eq!(check_prompt(&long[1..]), Ok(()));
    }
}
