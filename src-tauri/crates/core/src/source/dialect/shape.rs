//! Frames that differ from the one before in their words alone.
//!
//! Nearly all of a stream is the same frame again and again with other words in it. A mapper
//! that has read one of them in full, and seen that it did nothing but add its words to an
//! open block, lets this remember what stands around the words. The next frame is compared
//! with that, byte for byte, and its words are taken without reading any JSON again.
//!
//! Keeps one law: a frame that fits comes to the same as if it had been read in full. So what
//! is learned holds only until the next frame that does not fit, because that one may change
//! what the words belong to; and what the full reading would refuse or treat in a way of its
//! own (no words, a control character, half a character) does not fit.
//!
//! Cost of a frame that fits: one comparison over its bytes, and one allocation, for its words.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr2, memmem};
use weir_protocol::{BlockId, StreamEvent};

use crate::wire::Frame;

/// What stands around the words of a frame, and what they are to be added to.
pub(crate) struct Shape<T> {
    target: Option<T>,
    event: String,
    /// The frame it was learned from.
    data: String,
    parts: Vec<Part>,
}

enum Part {
    /// Stands in every frame, as it stands at this place of `data`.
    Same(Range<usize>),
    /// A whole number that means nothing.
    Number,
    /// Text that means nothing.
    Filler,
    Words,
}

impl<T> Default for Shape<T> {
    fn default() -> Self {
        Self {
            target: None,
            event: String::new(),
            data: String::new(),
            parts: Vec::new(),
        }
    }
}

impl<T: Copy> Shape<T> {
    /// Whatever comes now may change what the words belong to.
    pub(crate) fn forget(&mut self) {
        self.target = None;
    }

    /// Remembers a frame that did nothing but add `words`, which lie in it, to `target`. The
    /// fields named in `fillers` may differ: the full reading does not look at them.
    pub(crate) fn learn(&mut self, frame: Frame<'_>, words: &str, fillers: &[&str], target: T) {
        let Some(words) = place_of(words, frame.data) else {
            return;
        };
        self.target = Some(target);
        self.event.clear();
        self.event.push_str(frame.event);
        self.data.clear();
        self.data.push_str(frame.data);
        self.parts.clear();
        self.add_around(0..words.start, fillers);
        self.parts.push(Part::Words);
        self.add_around(words.end..frame.data.len(), fillers);
    }

    /// The words of a frame that has this shape, and what they are to be added to.
    pub(crate) fn fit(&self, frame: Frame<'_>) -> Option<(T, String)> {
        let target = self.target?;
        if frame.event != self.event {
            return None;
        }
        let mut rest = frame.data;
        let mut words = "";
        for part in &self.parts {
            rest = match part {
                Part::Same(place) => rest.strip_prefix(self.data.get(place.clone())?)?,
                Part::Number => &rest[number(rest.as_bytes())?..],
                Part::Filler => &rest[text(rest.as_bytes()).filter(|end| *end > 0)?..],
                Part::Words => {
                    let (found, after) = rest.split_at(text(rest.as_bytes())?);
                    words = found;
                    after
                }
            };
        }
        if words.is_empty() || !rest.is_empty() {
            return None;
        }
        Some((target, unescaped(words)?))
    }

    /// Cuts what stands before or after the words where a filler's value begins and ends.
    fn add_around(&mut self, around: Range<usize>, fillers: &[&str]) {
        let mut found: Vec<(Range<usize>, Part)> = Vec::new();
        for name in fillers {
            let here = &self.data.as_bytes()[around.clone()];
            let Some(at) = memmem::find(here, name.as_bytes()) else {
                continue;
            };
            let start = around.start + at + name.len();
            let value = &self.data.as_bytes()[start..around.end];
            if let Some(length) = number(value) {
                found.push((start..start + length, Part::Number));
            } else if let Some((b'"', value)) = value.split_first()
                && let Some(length) = text(value).filter(|length| *length > 0)
            {
                found.push((start + 1..start + 1 + length, Part::Filler));
            }
        }
        found.sort_by_key(|(place, _)| place.start);
        let mut from = around.start;
        for (place, part) in found {
            self.parts.push(Part::Same(from..place.start));
            self.parts.push(part);
            from = place.end;
        }
        self.parts.push(Part::Same(from..around.end));
    }
}

/// The words that lie in a frame. Those with escapes are a copy, which does not tell where they
/// stood: another frame will.
pub(crate) fn lying<'a>(words: &Cow<'a, str>) -> Option<&'a str> {
    match words {
        Cow::Borrowed(words) => Some(words),
        Cow::Owned(_) => None,
    }
}

/// The block that grew, if nothing else happened.
pub(crate) fn grown(said: &[StreamEvent]) -> Option<BlockId> {
    match said {
        [StreamEvent::TextDelta { id, .. }]
        | [StreamEvent::ThinkingDelta { id, .. }]
        | [StreamEvent::ToolUseDelta { id, .. }] => Some(*id),
        _ => None,
    }
}

/// Where `words` lie in `data`, if they are the inside of one of its strings.
fn place_of(words: &str, data: &str) -> Option<Range<usize>> {
    let start = (words.as_ptr() as usize).checked_sub(data.as_ptr() as usize)?;
    let end = start.checked_add(words.len())?;
    let quoted = data.as_bytes().get(start.checked_sub(1)?..=end)?;
    (quoted.first() == Some(&b'"') && quoted.last() == Some(&b'"')).then_some(start..end)
}

/// How many bytes of a whole number stand here; JSON allows no zero before another digit.
fn number(bytes: &[u8]) -> Option<usize> {
    let length = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let goes_on = matches!(bytes.get(length), Some(b'.' | b'e' | b'E'));
    let is_whole = length == 1 || (length > 1 && bytes[0] != b'0');
    (is_whole && !goes_on).then_some(length)
}

/// How many bytes the inside of a JSON string has that begins here; none if it is not sound.
fn text(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            break;
        }
        at += 2;
    }
    let is_sound = !bytes[..at].iter().any(|byte| *byte < b' ');
    is_sound.then_some(at)
}

/// The text that the inside of a JSON string stands for. Half a character is for the full
/// reading, which lets it wait for its other half.
fn unescaped(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let escape = rest.as_bytes().get(at + 1)?;
        let mut length = 2;
        text.push(match escape {
            b'"' | b'\\' | b'/' => char::from(*escape),
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let first = unit(rest, at)?;
                length = 6;
                match char::from_u32(u32::from(first)) {
                    Some(letter) => letter,
                    None => {
                        length = 12;
                        let pair = [first, unit(rest, at + 6)?];
                        char::decode_utf16(pair).next()?.ok()?
                    }
                }
            }
            _ => return None,
        });
        rest = rest.get(at + length..)?;
    }
    text.push_str(rest);
    Some(text)
}

/// The UTF-16 unit of the escape at `at`.
fn unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(data: &str) -> Frame<'_> {
        Frame { event: "e", data }
    }

    /// The words of `data` by a shape that was learned from `{"n":1,"t":"one","pad":"x"}`.
    fn fit(data: &str) -> Option<String> {
        let learned = r#"{"n":1,"t":"one","pad":"x"}"#;
        let mut shape = Shape::default();
        let fillers = ["\"n\":", "\"pad\":"];
        shape.learn(frame(learned), &learned[12..15], &fillers, 7);
        shape.fit(frame(data)).map(|(target, words)| {
            assert_eq!(target, 7);
            words
        })
    }

    #[test]
    fn only_words_and_fillers_may_differ() {
        let cases = [
            (r#"{"n":1,"t":"one","pad":"x"}"#, Some("one")),
            (
                r#"{"n":204,"t":"é 🦀 \"q\"\\\n","pad":"yyy"}"#,
                Some("é 🦀 \"q\"\\\n"),
            ),
            (
                r#"{"n":0,"t":"\u00e9\ud83d\ude00\/\b","pad":"\""}"#,
                Some("é😀/\u{8}"),
            ),
            (r#"{"n":1,"t":"","pad":"x"}"#, None),
            (r#"{"n":1,"t":"one","pad":""}"#, None),
            (r#"{"n":1,"t":null,"pad":"x"}"#, None),
            (r#"{"n":01,"t":"one","pad":"x"}"#, None),
            (r#"{"n":1.5,"t":"one","pad":"x"}"#, None),
            (r#"{"n":-1,"t":"one","pad":"x"}"#, None),
            (r#"{"n":1,"t":"one","pad":"x"} "#, None),
            (r#"{"n":1,"t":"one","pad":"x""#, None),
            (r#"{"n":1,"t":"one"}"#, None),
            (r#"{"n":1,"u":"one","pad":"x"}"#, None),
            (r#"{"n":1,"t":"one","pad":"x","more":1}"#, None),
            (r#"{"n":1,"t":"\ud83d","pad":"x"}"#, None),
            (r#"{"n":1,"t":"\ude00","pad":"x"}"#, None),
            (r#"{"n":1,"t":"\ud83d\u0041","pad":"x"}"#, None),
            (r#"{"n":1,"t":"\u+041","pad":"x"}"#, None),
            (r#"{"n":1,"t":"\x","pad":"x"}"#, None),
            ("{\"n\":1,\"t\":\"a\tb\",\"pad\":\"x\"}", None),
            ("", None),
        ];
        for (data, expected) in cases {
            assert_eq!(fit(data).as_deref(), expected, "{data}");
        }
    }

    #[test]
    fn nothing_fits_before_it_is_learned_or_once_it_is_forgotten() {
        let data = r#"{"t":"one"}"#;
        let mut shape = Shape::default();
        assert!(shape.fit(frame(data)).is_none());
        shape.learn(frame(data), "one", &[], 1);
        assert!(shape.fit(frame(data)).is_none(), "a copy tells no place");
        shape.learn(frame(data), &data[6..9], &[], 1);
        assert!(shape.fit(frame(data)).is_some());
        assert!(shape.fit(Frame { event: "f", data }).is_none());
        shape.forget();
        assert!(shape.fit(frame(data)).is_none());
    }
}
