//! Half characters in JSON.
//!
//! A provider that cuts its text in the middle of a character outside the basic plane sends
//! one half of a `\ud83d\ude00` pair. No JSON reader takes that, and the words around it would
//! be lost with it; so the half becomes the replacement character, as half of a UTF-8
//! character does.

use std::borrow::Cow;

use memchr::memmem;

/// `json` with every unpaired half replaced. Copies only when there is one.
pub(super) fn whole(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut repaired: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memmem::find(&bytes[at..], b"\\u") {
        let start = at + found;
        if is_escaped(bytes, start) {
            at = start + 2;
            continue;
        }
        at = match (half(bytes, start), half(bytes, start + 6)) {
            (Some(Half::High), Some(Half::Low)) => start + 12,
            (Some(Half::High | Half::Low), _) => {
                let copy = repaired.get_or_insert_with(|| bytes.to_vec());
                copy[start + 2..start + 6].copy_from_slice(b"fffd");
                start + 6
            }
            (None, _) => start + 2,
        };
    }
    match repaired.map(String::from_utf8) {
        Some(Ok(repaired)) => Cow::Owned(repaired),
        Some(Err(_)) | None => Cow::Borrowed(json),
    }
}

enum Half {
    High,
    Low,
}

/// Which half the escape at `start` is, if it is one.
fn half(bytes: &[u8], start: usize) -> Option<Half> {
    let digits = bytes.get(start..start + 6)?.strip_prefix(b"\\u")?;
    let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    match code {
        0xd800..=0xdbff => Some(Half::High),
        0xdc00..=0xdfff => Some(Half::Low),
        _ => None,
    }
}

/// Whether the backslash at `start` is itself the second of an escaped pair.
fn is_escaped(bytes: &[u8], start: usize) -> bool {
    let before = bytes[..start].iter().rev();
    before.take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn only_halves_change() {
        let cases = [
            (r#""plain é 😀""#, r#""plain é 😀""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""a\ud83d b""#, r#""a\ufffd b""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\u00e9\uD83D""#, r#""\u00e9\ufffd""#),
            (r#""\ud8"#, r#""\ud8"#),
        ];
        for (json, expected) in cases {
            assert_eq!(whole(json), expected);
        }
    }
}
