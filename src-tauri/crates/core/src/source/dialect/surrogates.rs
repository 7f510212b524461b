//! Half characters in JSON.
//!
//! A provider that cuts its text in the middle of a character outside the basic plane sends
//! one half of a `\ud83d\ude00` pair in a frame and the other in the next. No JSON reader takes
//! that, and the words around it would be lost with it. So a half that ends a string waits for
//! the frame that begins a string with the other; one that never finds it becomes the
//! replacement character, as half of a UTF-8 character does.

use std::borrow::Cow;

use memchr::memmem;

#[derive(Default)]
pub(super) struct Halves {
    /// The four digits of a first half that ended its string.
    waiting: Option<[u8; 4]>,
}

impl Halves {
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// `json` with every half made whole or replaced. Copies only when there is one.
    pub(super) fn join<'a>(&mut self, json: &'a str) -> Cow<'a, str> {
        let bytes = json.as_bytes();
        let mut repaired: Vec<u8> = Vec::new();
        let mut copied = 0;
        let mut at = 0;
        while let Some(found) = memmem::find(&bytes[at..], b"\\u") {
            let start = at + found;
            at = start + 2;
            if is_escaped(bytes, start) {
                continue;
            }
            let Some((half, digits)) = half(bytes, start) else {
                continue;
            };
            at = start + 6;
            if let (Half::High, Some((Half::Low, _))) = (half, self::half(bytes, at)) {
                at += 6;
                continue;
            }
            repaired.extend_from_slice(&bytes[copied..start]);
            copied = at;
            let ends = bytes.get(at) == Some(&b'"');
            let begins = start > 0 && bytes[start - 1] == b'"';
            match (half, self.waiting.take()) {
                (Half::High, _) if ends => self.waiting = Some(digits),
                (Half::Low, Some(first)) if begins => {
                    for digits in [first, digits] {
                        repaired.extend_from_slice(b"\\u");
                        repaired.extend_from_slice(&digits);
                    }
                }
                (Half::High | Half::Low, _) => repaired.extend_from_slice(b"\\ufffd"),
            }
        }
        if copied == 0 {
            return Cow::Borrowed(json);
        }
        repaired.extend_from_slice(&bytes[copied..]);
        // Only whole escapes, which are ASCII, were taken out or put in.
        String::from_utf8(repaired).map_or(Cow::Borrowed(json), Cow::Owned)
    }
}

#[derive(Clone, Copy)]
enum Half {
    High,
    Low,
}

/// Which half the escape at `start` is, if it is one, and its digits.
fn half(bytes: &[u8], start: usize) -> Option<(Half, [u8; 4])> {
    let digits = bytes.get(start..start + 6)?.strip_prefix(b"\\u")?;
    let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    let half = match code {
        0xd800..=0xdbff => Half::High,
        0xdc00..=0xdfff => Half::Low,
        _ => return None,
    };
    Some((half, digits.try_into().ok()?))
}

/// Whether the backslash at `start` is itself the second of an escaped pair.
fn is_escaped(bytes: &[u8], start: usize) -> bool {
    let before = bytes[..start].iter().rev();
    before.take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::Halves;

    #[test]
    fn only_halves_change() {
        let cases = [
            (r#""plain é 😀""#, r#""plain é 😀""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""a\ud83d b""#, r#""a\ufffd b""#),
            (r#""\ude00\ud83d x""#, r#""\ufffd\ufffd x""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d ""#, r#""\\\ufffd ""#),
            (r#""\u00e9\uD83D.""#, r#""\u00e9\ufffd.""#),
            (r#""\ud8"#, r#""\ud8"#),
        ];
        for (json, expected) in cases {
            assert_eq!(Halves::default().join(json), expected);
        }
    }

    #[test]
    fn a_character_cut_between_two_frames_is_one_again() {
        let cases = [
            (
                [r#"{"t":"a\ud83d"}"#, r#"{"t":"\ude00b"}"#],
                [r#"{"t":"a"}"#, r#"{"t":"\ud83d\ude00b"}"#],
            ),
            (
                [r#"{"t":"\ud83d"}"#, r#"{"t":"\ude00"}"#],
                [r#"{"t":""}"#, r#"{"t":"\ud83d\ude00"}"#],
            ),
            (
                [r#"{"t":"\ud83d"}"#, r#"{"t":"b\ude00"}"#],
                [r#"{"t":""}"#, r#"{"t":"b\ufffd"}"#],
            ),
        ];
        for (frames, expected) in cases {
            let mut halves = Halves::default();
            assert_eq!(
                frames.map(|frame| halves.join(frame).into_owned()),
                expected
            );
        }
    }
}
