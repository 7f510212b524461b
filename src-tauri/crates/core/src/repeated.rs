//! What may be repeated of something that was refused.
//!
//! What stands in the wrong place may be a key or an address with a password. So a refusal says it
//! again only where it cannot be one.

use crate::guard::{Guard, GuardConfig, Stage};

const LONGEST: usize = 24;
/// More of them among letters are no name.
const MOST_DIGITS: usize = 4;

/// The value in quotes, where it is short and plain and no rule of the guard finds anything in it.
pub fn repeated(value: &str) -> Option<String> {
    let is_part =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    let is_plain = value.len() <= LONGEST && value.bytes().all(is_part);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let has_letter = value.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_drawn = has_letter && digits > MOST_DIGITS;
    (is_plain && !is_drawn && is_harmless(value)).then(|| format!("\"{value}\""))
}

/// Without its rules nobody can say so.
fn is_harmless(value: &str) -> bool {
    let guard = Guard::new(&GuardConfig::default());
    guard.is_ok_and(|guard| guard.check(Stage::Input, value).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_a_secret_is_repeated() {
        for plain in [
            "oracle",
            "openai-compatible",
            "gpu.local",
            "0",
            "4711",
            "a_b",
        ] {
            assert_eq!(repeated(plain), Some(format!("\"{plain}\"")));
        }
        let key = format!("sk-{}", "abcdefghijkl");
        for secret in [
            "https://me:pw@host",
            "me:pw",
            "Tr0ub4dor",
            "a b",
            "x7f3k9q2m4n8",
            "abcdefghijklmnopqrstuvwxyz",
            &format!("{key}0123456789"),
        ] {
            assert_eq!(repeated(secret), None, "{secret}");
        }
    }
}
