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
    /// A whole number, of the field that stands at this place of the list.
    Number(usize),
    /// Text that means nothing.
    Filler,
    Words,
}

/// How many fields may differ beside the words.
const MOST_FIELDS: usize = 8;
/// How long a short string is at most.
const SHORT: usize = 24;
/// A frame this long costs more to read than to compare with, and is not kept.
const LONGEST: usize = 64 * 1024;

/// What a frame says that has the shape of the one before.
#[derive(Debug)]
pub(crate) struct Fit<T> {
    pub(crate) target: T,
    pub(crate) words: String,
    /// What the fields say that may differ, where they say a number.
    pub(crate) numbers: [Option<u64>; MOST_FIELDS],
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

    /// Remembers a frame, if all that came of it is that a block grew by one of its strings,
    /// and perhaps that more was used. The fields named in `fields` may differ: either the full
    /// reading does not look at them, or whoever asks for a fit looks at their numbers.
    pub(crate) fn learn(
        &mut self,
        frame: Frame<'_>,
        said: &[StreamEvent],
        fields: &[&str],
        target: impl FnOnce(BlockId) -> T,
    ) {
        let (id, words) = match said {
            [StreamEvent::TextDelta { id, text } | StreamEvent::ThinkingDelta { id, text }]
            | [
                StreamEvent::TextDelta { id, text } | StreamEvent::ThinkingDelta { id, text },
                StreamEvent::Usage { .. },
            ] => (*id, text),
            [StreamEvent::ToolUseDelta { id, json }] => (*id, json),
            _ => return,
        };
        if frame.event.len() + frame.data.len() > LONGEST {
            return;
        }
        let Some(words) = place_of(words, frame.data) else {
            return;
        };
        self.target = Some(target(id));
        self.event.clear();
        self.event.push_str(frame.event);
        self.data.clear();
        self.data.push_str(frame.data);
        self.parts.clear();
        let (before, after) = (&frame.data[..words.start], &frame.data[words.end..]);
        // A name with escapes could be, or end like, one of the fields.
        let has_escapes = before.contains('\\') || after.contains('\\');
        let fields = if has_escapes { &[] } else { fields };
        self.add_around(0..words.start, fields);
        self.parts.push(Part::Words);
        self.add_around(words.end..frame.data.len(), fields);
    }

    /// What a frame says, if it has this shape.
    pub(crate) fn fit(&self, frame: Frame<'_>) -> Option<Fit<T>> {
        let target = self.target?;
        if frame.event != self.event {
            return None;
        }
        let (known, bytes) = (self.data.as_bytes(), frame.data.as_bytes());
        let mut at = 0;
        let mut words = 0..0;
        let mut has_escapes = false;
        let mut numbers = [None; MOST_FIELDS];
        for part in &self.parts {
            let rest = bytes.get(at..)?;
            at += match part {
                Part::Same(place) => {
                    let same = known.get(place.clone())?;
                    rest.starts_with(same).then_some(same.len())?
                }
                Part::Number(field) => {
                    let length = number(rest)?;
                    numbers[*field] = Some(frame.data[at..at + length].parse().ok()?);
                    length
                }
                Part::Filler => text(rest).filter(Text::is_plain)?.length,
                Part::Words => {
                    let found = text(rest)?;
                    has_escapes = found.has_escapes;
                    words = at..at + found.length;
                    found.length
                }
            };
        }
        if words.is_empty() || at != bytes.len() {
            return None;
        }
        let words = &frame.data[words];
        let words = if has_escapes {
            unescaped(words)?
        } else {
            words.to_owned()
        };
        Some(Fit {
            target,
            words,
            numbers,
        })
    }

    /// Cuts what stands before or after the words where the value of such a field is.
    fn add_around(&mut self, around: Range<usize>, fields: &[&str]) {
        let mut found: Vec<(Range<usize>, Part)> = Vec::new();
        for (field, name) in fields.iter().take(MOST_FIELDS).enumerate() {
            // Which of two was meant, the full reading knows.
            let mut places = memmem::find_iter(self.data.as_bytes(), name.as_bytes());
            let (Some(at), None) = (places.next(), places.next()) else {
                continue;
            };
            if !around.contains(&at) {
                continue;
            }
            let start = at + name.len();
            let value = &self.data.as_bytes()[start..around.end];
            if let Some(length) = number(value) {
                found.push((start..start + length, Part::Number(field)));
            } else if let Some((b'"', value)) = value.split_first()
                && let Some(Text { length, .. }) = text(value).filter(Text::is_plain)
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

/// Where the string stands that says `words`, inside its quotes; nowhere, if two do.
fn place_of(words: &str, data: &str) -> Option<Range<usize>> {
    let bytes = data.as_bytes();
    let mut place = None;
    let mut at = 0;
    while let Some(quote) = memchr::memchr(b'"', bytes.get(at..)?) {
        let start = at + quote + 1;
        let found = text(&bytes[start..])?;
        let end = start + found.length;
        at = end + 1;
        let is_name = bytes[at..].trim_ascii_start().starts_with(b":");
        let raw = &data[start..end];
        let says = if found.has_escapes {
            unescaped(raw).is_some_and(|said| said == words)
        } else {
            raw == words
        };
        if says && !is_name {
            if place.is_some() {
                return None;
            }
            place = Some(start..end);
        }
    }
    place
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

/// The inside of a JSON string.
struct Text {
    length: usize,
    has_escapes: bool,
}

impl Text {
    /// Whether it stands for itself, and for something.
    fn is_plain(&self) -> bool {
        self.length > 0 && !self.has_escapes
    }
}

/// The inside of the JSON string that begins here; none if it is not sound.
fn text(bytes: &[u8]) -> Option<Text> {
    // Most are a word or two: a search that is made for long ones takes longer to begin.
    for (length, byte) in bytes.iter().take(SHORT).enumerate() {
        match byte {
            b'"' => {
                let has_escapes = false;
                return Some(Text {
                    length,
                    has_escapes,
                });
            }
            b'\\' => break,
            0..b' ' => return None,
            _ => {}
        }
    }
    let mut length = memchr2(b'"', b'\\', bytes)?;
    let has_escapes = bytes[length] == b'\\';
    while bytes[length] == b'\\' {
        length += 2;
        length += memchr2(b'"', b'\\', bytes.get(length..)?)?;
    }
    let is_sound = !bytes[..length].iter().any(|byte| *byte < b' ');
    is_sound.then_some(Text {
        length,
        has_escapes,
    })
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

    fn said(text: &str) -> StreamEvent {
        let text = text.to_owned();
        StreamEvent::TextDelta { id: 7, text }
    }

    /// The words of `data` by a shape that was learned from `{"n":1,"t":"one","pad":"x"}`.
    fn fit(data: &str) -> Option<String> {
        let learned = r#"{"n":1,"t":"one","pad":"x"}"#;
        let mut shape = Shape::default();
        let fields = ["\"n\":", "\"pad\":"];
        shape.learn(frame(learned), &[said("one")], &fields, |id| id);
        shape.fit(frame(data)).map(|fit| {
            assert_eq!((fit.target, fit.numbers[0].is_some()), (7, true));
            fit.words
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
                r#"{"n":0,"t":"\u00e9\ud83d\ude00\/\b","pad":"y"}"#,
                Some("é😀/\u{8}"),
            ),
            (r#"{"n":1,"t":"one","pad":"\""}"#, None),
            (r#"{"n":1,"t":"one","pad":"\q"}"#, None),
            (r#"{"n":1,"t":"one","pad":"x\ud83d"}"#, None),
            (r#"{"n":1,"t":"","pad":"x"}"#, None),
            (r#"{"n":1,"t":"one","pad":""}"#, None),
            (r#"{"n":1,"t":null,"pad":"x"}"#, None),
            (r#"{"n":01,"t":"one","pad":"x"}"#, None),
            (r#"{"n":1.5,"t":"one","pad":"x"}"#, None),
            (r#"{"n":-1,"t":"one","pad":"x"}"#, None),
            (r#"{"n":18446744073709551616,"t":"one","pad":"x"}"#, None),
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
        let others: [&[StreamEvent]; 3] = [&[], &[said("other")], &[said("one"), said("one")]];
        for said in others {
            shape.learn(frame(data), said, &[], |id| id);
            assert!(shape.fit(frame(data)).is_none(), "{said:?}");
        }
        let twice = r#"{"t":"one","u":"\u006fne"}"#;
        shape.learn(frame(twice), &[said("one")], &[], |id| id);
        assert!(shape.fit(frame(twice)).is_none(), "which of the two it was");
        shape.learn(frame(data), &[said("one")], &[], |id| id);
        assert!(shape.fit(frame(data)).is_some());
        assert!(shape.fit(Frame { event: "f", data }).is_none());
        shape.forget();
        assert!(shape.fit(frame(data)).is_none());
    }
}
