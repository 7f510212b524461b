//! Numbers as people write them: digits in groups, with spaces, dots, dashes and brackets.
//!
//! Reads the numbers of a stretch once, for all rules that want one. Neighbouring numbers may
//! be one (`4111 1111 1111 1111`) or several (`room 12 4111…`), so each run of groups between
//! spaces is offered, the longest first; a run has at most `MOST_GROUPS` groups.

use std::ops::Range;

/// No number that is looked for has more of either.
const MOST_GROUPS: usize = 9;
pub(in crate::guard) const MOST_DIGITS: usize = 20;
/// How far a word may stand from the number that it names.
const CONTEXT: usize = 60;

/// A number, and the text it stands in.
pub(in crate::guard) struct Number<'t> {
    pub(super) text: &'t str,
    pub(in crate::guard) span: Range<usize>,
    /// Values, not letters.
    pub(super) digits: &'t [u8],
    /// How many digits each group has.
    pub(super) groups: &'t [usize],
    /// It is a part of a longer run of digits.
    pub(super) is_part: bool,
}

impl Number<'_> {
    pub(in crate::guard) fn digits(&self) -> &[u8] {
        self.digits
    }

    pub(super) fn written(&self) -> &str {
        &self.text[self.span.clone()]
    }

    /// Whether the only marks between its digits are these.
    pub(super) fn is_marked_by(&self, marks: &[u8]) -> bool {
        let mut letters = self.written().chars().map(|letter| match letter {
            '\u{A0}' | '\u{202F}' | '\u{2007}' => b' ',
            '\u{2011}' => b'-',
            other => u8::try_from(other).unwrap_or(0),
        });
        letters.all(|byte| byte.is_ascii_digit() || marks.contains(&byte))
    }

    /// Whether one of these words stands before it, or shortly after.
    pub(super) fn is_called(&self, words: &[&str]) -> bool {
        has_word_near(self.text, &self.span, words)
    }

    pub(super) fn byte_before(&self) -> Option<u8> {
        self.span
            .start
            .checked_sub(1)
            .map(|before| self.text.as_bytes()[before])
    }

    /// The digits from `from` on, as a number.
    pub(super) fn value(&self, digits: Range<usize>) -> u32 {
        let digits = self.digits[digits].iter();
        digits.fold(0, |value, digit| value * 10 + u32::from(*digit))
    }
}

/// Whether one of the words, in small letters, stands whole before the place or shortly after.
pub(super) fn has_word_near(text: &str, place: &Range<usize>, words: &[&str]) -> bool {
    let start = text.floor_char_boundary(place.start.saturating_sub(CONTEXT));
    let end = text.ceil_char_boundary((place.end + CONTEXT / 3).min(text.len()));
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    let around = text[start..place.start]
        .bytes()
        .chain(text[place.end..end].bytes());
    if !around.into_iter().any(is_letter) {
        return false;
    }
    let before = text[start..place.start].to_lowercase();
    let after = text[place.end..end].to_lowercase();
    let has = |around: &str| {
        words.iter().any(|word| {
            around.match_indices(word).any(|(at, _)| {
                let letter = around[..at].chars().next_back();
                let next = around[at + word.len()..].chars().next();
                let wide = !word.is_ascii();
                wide || !letter.is_some_and(char::is_alphabetic)
                    && (word.len() > 4 || !next.is_some_and(char::is_alphabetic))
            })
        })
    };
    has(&before) || has(&after)
}

struct Group {
    span: Range<usize>,
    /// Whether the run may begin or end at this group: only white space divides numbers.
    opens: bool,
    closes: bool,
}

/// Offers every number of the text, and every number that is a part of one: what rules are on
/// must not decide what another one sees.
pub(in crate::guard) fn each(text: &str, mut offer: impl FnMut(&Number)) {
    let bytes = text.as_bytes();
    let mut groups: Vec<Group> = Vec::new();
    let mut digits: Vec<u8> = Vec::new();
    let mut lengths: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        if at > 0 && is_word(bytes[at - 1]) {
            // Digits inside a word are no number of their own.
            at = skip_word(bytes, at);
            continue;
        }
        groups.clear();
        at = read_run(bytes, at, &mut groups);
        offer_run(text, &groups, &mut digits, &mut lengths, &mut offer);
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn skip_word(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].iter();
    at + rest
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count()
}

/// Spaces and a hyphen that do not break a line: what pages and papers put into numbers.
const SPACES: [&str; 3] = ["\u{A0}", "\u{202F}", "\u{2007}"];
const HYPHEN: &str = "\u{2011}";

/// How many bytes the mark has that stands here between two groups of a number.
pub(super) fn mark_width(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        b' ' | b'-' | b'.' | b'/' | b'(' | b')' | b'+' => Some(1),
        _ => {
            let mut wide = SPACES.iter().chain([&HYPHEN]);
            wide.find(|it| bytes.starts_with(it.as_bytes()))
                .map(|it| it.len())
        }
    }
}

/// Reads groups of digits with at most three marks between them; returns where it ends.
fn read_run(bytes: &[u8], start: usize, groups: &mut Vec<Group>) -> usize {
    let mut at = start;
    let mut opens = true;
    loop {
        let length = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let span = at..at + length;
        at = span.end;
        let (mut marks, mut width) = (0, 0);
        while marks < 4
            && let Some(mark) = mark_width(&bytes[at + width..])
        {
            marks += 1;
            width += mark;
        }
        let between = &bytes[at..at + width];
        let goes_on = (1..=3).contains(&marks)
            && bytes.get(at + width).is_some_and(u8::is_ascii_digit)
            && between
                .iter()
                .filter(|byte| matches!(byte, b'.' | b'/'))
                .count()
                <= 1;
        let has_space = between.contains(&b' ') || SPACES.iter().any(|it| between == it.as_bytes());
        let divides = has_space && !between.contains(&b')') && !between.contains(&b'-');
        let ends_in_word = marks == 0 && bytes.get(at).is_some_and(|byte| is_word(*byte));
        groups.push(Group {
            span,
            opens,
            closes: (!goes_on || divides) && !ends_in_word,
        });
        if !goes_on {
            return at.max(start + 1);
        }
        opens = divides;
        at += width;
    }
}

fn offer_run(
    text: &str,
    groups: &[Group],
    digits: &mut Vec<u8>,
    lengths: &mut Vec<usize>,
    offer: &mut impl FnMut(&Number),
) {
    let bytes = text.as_bytes();
    for first in 0..groups.len() {
        let most = groups.len().min(first + MOST_GROUPS);
        if groups[first].opens {
            for last in (first..most).rev().filter(|last| groups[*last].closes) {
                digits.clear();
                lengths.clear();
                for group in &groups[first..=last] {
                    lengths.push(group.span.len());
                    if digits.len() + group.span.len() > MOST_DIGITS {
                        digits.clear();
                        break;
                    }
                    digits.extend(bytes[group.span.clone()].iter().map(|byte| byte - b'0'));
                }
                if digits.len() < 4 {
                    continue;
                }
                let span = widen(bytes, groups[first].span.start..groups[last].span.end);
                let number = Number {
                    text,
                    span,
                    digits,
                    groups: lengths,
                    is_part: first > 0 || last + 1 < groups.len(),
                };
                offer(&number);
            }
        }
    }
}

/// Takes in a plus and a bracket before the first digit.
fn widen(bytes: &[u8], mut span: Range<usize>) -> Range<usize> {
    let closes = bytes[span.clone()].contains(&b')');
    let opens = bytes[span.clone()].contains(&b'(');
    if closes && !opens && span.start > 0 && bytes[span.start - 1] == b'(' {
        span.start -= 1;
    }
    if span.start > 0 && bytes[span.start - 1] == b'+' {
        span.start -= 1;
    }
    span
}

/// The check of cards and many ids: every second digit counts double.
pub(super) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let doubled = u32::from(*digit) * if place % 2 == 1 { 2 } else { 1 };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// The sum of the digits, each times its weight.
pub(super) fn weighted(digits: &[u8], weights: &[u32]) -> u32 {
    let pairs = digits.iter().zip(weights);
    pairs
        .map(|(digit, weight)| u32::from(*digit) * weight)
        .sum()
}

/// Whether a day of this month exists, in some year.
pub(super) fn is_day(month: u32, day: u32) -> bool {
    let days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let most = month
        .checked_sub(1)
        .and_then(|month| days.get(month as usize));
    most.is_some_and(|most| (1..=*most).contains(&day))
}
