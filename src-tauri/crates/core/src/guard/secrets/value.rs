//! Whether what stands there is a secret, and not what a manual puts in its place.

use std::ops::Range;

use super::given::{By, given};
use crate::guard::shape::Shape;
use crate::guard::stretch::Stretch;

/// No rule reads more of a value; see [`end_of_long`] for the rest of it.
pub(super) const LONGEST: usize = 2048;

/// A value that tells by its own looks.
pub(in crate::guard) fn shaped(
    stretch: &Stretch,
    shape: &Shape,
    start: usize,
) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let before = start.checked_sub(1).map(|before| bytes[before]);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !is_escape(bytes, start)
        || (start == 0 && stretch.joined)
    {
        return None;
    }
    let end = shape.end(bytes, start)?;
    let anchor = shape.anchor().map_or(0, str::len);
    is_random(&stretch.text[start + anchor..end]).then_some(start..end)
}

/// `\n` and `\t` as they stand in strings of code.
fn is_escape(bytes: &[u8], start: usize) -> bool {
    start >= 2 && bytes[start - 2] == b'\\' && matches!(bytes[start - 1], b'n' | b't' | b'r')
}

/// A value of one of the shapes that is given to the name at `name`.
pub(in crate::guard) fn named(
    stretch: &Stretch,
    shapes: &[Shape],
    name: Range<usize>,
) -> Option<Range<usize>> {
    let given = given(stretch, name.end).filter(|given| given.by != By::Nothing)?;
    let bytes = stretch.text.as_bytes();
    let fits = |shape: &Shape| shape.end(bytes, given.value.start) == Some(given.value.end);
    let value = &stretch.text[given.value.clone()];
    (shapes.iter().any(fits) && is_random(value)).then_some(given.value)
}

/// Where the value begins that is given to the name at `name`, if the text may end inside of it.
pub(in crate::guard) fn named_value(stretch: &Stretch, name: Range<usize>) -> Option<usize> {
    let given = given(stretch, name.end).filter(|given| given.by != By::Nothing)?;
    (given.value.end == stretch.text.len()).then_some(given.value.start)
}

/// The bytes from `start` on that belong together.
pub(super) fn run(stretch: &Stretch, start: usize, belongs: impl Fn(u8) -> bool) -> Range<usize> {
    let rest = stretch.text.as_bytes().get(start..).unwrap_or_default();
    start
        ..start
            + rest
                .iter()
                .take(LONGEST)
                .take_while(|byte| belongs(**byte))
                .count()
}

/// The same where nothing longer than a few lines is meant.
pub(super) fn short_run(
    stretch: &Stretch,
    start: usize,
    belongs: impl Fn(u8) -> bool,
) -> Range<usize> {
    const SHORT: usize = 256;
    let rest = stretch.text.as_bytes().get(start..).unwrap_or_default();
    let run = rest.iter().take(SHORT);
    start..start + run.take_while(|byte| belongs(**byte)).count()
}

/// What stands up to `reach` bytes around a place.
pub(super) fn near<'t>(text: &'t str, place: &Range<usize>, reach: usize) -> &'t str {
    let start = text.floor_char_boundary(place.start.saturating_sub(reach));
    let end = text.ceil_char_boundary((place.end + reach).min(text.len()));
    &text[start..end]
}

/// Bits of surprise a byte.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let bits = counts.iter().filter(|count| **count > 0).map(|count| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    });
    bits.sum()
}

/// How often letters of another kind follow: rarely in words and names, nearly always in what was
/// drawn by chance.
pub(super) fn changes(value: &str) -> usize {
    let kind = |byte: &u8| (byte.is_ascii_uppercase(), byte.is_ascii_digit());
    let pairs = value.as_bytes().windows(2);
    pairs
        .filter(|pair| kind(&pair[0]) != kind(&pair[1]))
        .count()
}

/// How much of a value is looked at to tell whether it was drawn by chance.
const LOOK: usize = 192;

/// Whether a token was drawn by chance, and not typed by somebody who explains something.
pub(super) fn is_random(value: &str) -> bool {
    if value.len() >= 16 && !value.bytes().any(|byte| byte.is_ascii_digit()) && !is_mixed(value) {
        return false;
    }
    let value = &value[..value.floor_char_boundary(LOOK)];
    let least = match value.len() {
        0..=11 => 1.5,
        12..=19 => 2.2,
        _ => 2.6,
    };
    entropy(value) >= least && !is_placeholder(value)
}

/// Letters of both cases, neither of them rare, and no words.
fn is_mixed(value: &str) -> bool {
    let value = &value[..value.floor_char_boundary(LOOK)];
    let large = value.bytes().filter(u8::is_ascii_uppercase).count();
    let small = value.bytes().filter(u8::is_ascii_lowercase).count();
    large * 5 >= value.len() && small * 5 >= value.len() && !is_readable(value)
}

/// Words of manuals, marks of templates, one letter again and again.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = &value[..value.floor_char_boundary(LOOK)];
    const WORDS: &[&str] = &[
        "example",
        "placeholder",
        "changeme",
        "change_me",
        "change-me",
        "changeit",
        "redacted",
        "insert",
        "replace",
        "dummy",
        "sample",
        "your-",
        "your_",
        "yourapi",
        "yourkey",
        "yourtoken",
        "yoursecret",
        "yourpass",
        "-here",
        "_here",
        "keyhere",
        "tokenhere",
        "xxxx",
        "****",
        "....",
        "${",
        "{{",
        "}}",
        "$(",
        "%(",
        "<%",
        "%s",
        "todo",
        "fixme",
        "undefined",
        "notareal",
        "not-a-real",
        "not_a_real",
        "[redacted",
        "____",
        "fake_",
        "fake-",
        "my-secret",
        "my_secret",
        "my-api",
        "my_api",
        "my-token",
        "my_token",
        "lorem",
        "••••",
    ];
    let small = value.to_ascii_lowercase();
    let explains = |word: &&str| {
        let found = small.find(*word);
        found.is_some_and(|at| !is_chance(value, at..at + word.len()))
    };
    if WORDS.iter().any(explains) {
        return true;
    }
    let is_name = |name: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.bytes().all(is_letter)
    };
    // `%NAME%`, as batch files fill it in.
    let filled_in = value.strip_prefix('%').and_then(|it| it.strip_suffix('%'));
    if (value.starts_with('<') && value.ends_with('>'))
        || filled_in.is_some_and(is_name)
        || value.starts_with('$')
            && value.len() < 40
            && value[1..]
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    {
        return true;
    }
    let bytes = value.as_bytes();
    let mut same = 1;
    for pair in bytes.windows(2) {
        same = if pair[0] == pair[1] { same + 1 } else { 1 };
        // X's own tokens begin with a row of them.
        if same >= 6 && pair[0] != b'A' {
            return true;
        }
    }
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    value.len() >= 16 && distinct < 6
}

/// Whether letters that make a word stand there by chance, or to deceive: in the middle of what
/// was drawn by chance without them.
fn is_chance(value: &str, word: Range<usize>) -> bool {
    let (before, after) = (&value[..word.start], &value[word.end..]);
    let is_part = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    if !is_part(before.bytes().next_back()) || !is_part(after.bytes().next()) {
        return false;
    }
    let rest = format!("{before}{after}");
    let has = |is_class: fn(&u8) -> bool| rest.bytes().filter(is_class).count() >= 3;
    let classes = [
        u8::is_ascii_digit,
        u8::is_ascii_lowercase,
        u8::is_ascii_uppercase,
    ];
    rest.len() >= 20 && classes.into_iter().all(has) && entropy(&rest) >= 3.8
}

/// Where a value ends that is longer than any rule reads: with the last letter of a token.
pub(in crate::guard) fn end_of_long(text: &str, from: usize) -> usize {
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"+/=_-.~%:@!#$^*?|".contains(byte)
    };
    let rest = &text.as_bytes()[from..];
    from + rest.iter().take_while(|byte| is_part(byte)).count()
}

/// `8-4-4-4-12` hex digits.
pub(super) fn is_uuid(value: &str) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    parts.len() == 5
        && parts.iter().zip(lengths).all(|(part, length)| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

/// Words and numbers that a person put together: `us-east-1-prod`, `gpt-4-turbo`.
pub(super) fn is_readable(value: &str) -> bool {
    let parts = value.split(['-', '_', '.', '/', ' ', ':', '+']);
    let is_word = |part: &str| {
        let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        let marked = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let numbered = part.len() - marked.len() <= 4
            && marked.len() >= 2
            && marked.len() <= 14
            && is_pronounceable(marked);
        (letters && part.len() <= 16 && is_pronounceable(part))
            || (digits && part.len() <= 8)
            || numbered
    };
    parts.clone().all(|part| part.is_empty() || is_word(part))
}

/// A shorter value may be words and a secret all the same.
pub(super) const SHORT: usize = 48;

/// Mostly words, with marks, humps and a few numbers between them: a path, a slug, a row of names.
/// What was drawn by chance has letters and digits side by side, and few words.
pub(super) fn is_wordy(value: &str) -> bool {
    let value = &value[..value.floor_char_boundary(LOOK)];
    let bytes = value.as_bytes();
    let is_glued = |pair: &&[u8]| {
        pair.iter().all(u8::is_ascii_alphanumeric)
            && pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    };
    let glued = bytes.windows(2).filter(is_glued).count();
    let all = bytes.iter().filter(|it| it.is_ascii_alphanumeric()).count();
    let in_words: usize = value
        .split(|letter: char| !letter.is_ascii_alphabetic())
        .flat_map(humps)
        .filter(|word| (3..=14).contains(&word.len()) && is_of_one_case(word))
        .filter(|word| is_pronounceable(word))
        .map(str::len)
        .sum();
    glued * 5 <= all && in_words * 5 >= all * 3
}

/// `gate`, `Gate` or `GATE`.
fn is_of_one_case(word: &str) -> bool {
    let rest = || word.bytes().skip(1);
    rest().all(|byte| byte.is_ascii_lowercase())
        || word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// `riverGate` as `river` and `Gate`.
fn humps(letters: &str) -> impl Iterator<Item = &str> {
    let mut rest = letters;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let hump = (1..bytes.len())
            .find(|at| bytes[at - 1].is_ascii_lowercase() && bytes[*at].is_ascii_uppercase());
        let (word, after) = rest.split_at(hump.unwrap_or(rest.len()));
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// Letters of one case (but the first) with vowels among them.
fn is_pronounceable(part: &str) -> bool {
    if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let humps = part.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
    let all_large = part.bytes().all(|byte| byte.is_ascii_uppercase());
    let vowels = part
        .bytes()
        .filter(|byte| b"aeiouyAEIOUY".contains(byte))
        .count();
    (all_large || humps <= 1 + part.len() / 6) && (part.len() < 4 || vowels * 6 >= part.len())
}
