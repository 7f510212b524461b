//! Letters that nobody sees, left out of what the rules look at.
//!
//! A soft hyphen or a letter without width inside of a key hides it from a rule and from nobody
//! else. So the pass looks at a text without them, and what it finds is told in the places of the
//! text as it came: a span covers the letters that were left out inside of it. Rules about such
//! letters look at the text as it came.
//!
//! Invariants: which letters are left out depends on the text up to them alone. They are bounded:
//! of a run that is longer than `MOST` the rest counts as seen, so that no stretch is endless.
//! A text without such letters is not copied.

use std::ops::Range;

/// So many bytes more than what is seen are left out, and no more.
const MOST: usize = 4 * 1024;

/// The first bytes of all letters that are left out, and of others.
const LEADS: [bool; 256] = leads();

const fn leads() -> [bool; 256] {
    let mut leads = [false; 256];
    let firsts = [0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3];
    let mut at = 0;
    while at < firsts.len() {
        leads[firsts[at]] = true;
        at += 1;
    }
    leads
}

/// Whether a letter has no width and no meaning inside of a key or an address. What turns the
/// direction of a text belongs to them.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// The first letter that nobody sees.
fn find(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let lead = bytes[from..]
            .iter()
            .position(|it| LEADS[usize::from(*it)])?;
        from += lead;
        let letter = text[from..].chars().next()?;
        let end = from + letter.len_utf8();
        if is_unseen(letter) {
            return Some(from..end);
        }
        from = end;
    }
}

pub(super) fn is_all_seen(text: &str) -> bool {
    text.is_ascii() || find(text).is_none()
}

/// Letters that were left out in one place.
#[derive(Clone, Copy, Debug)]
struct LeftOut {
    /// Before which byte of what is seen, counted from the beginning of the text.
    at: usize,
    /// How many bytes were left out of the text so far, these included.
    total: usize,
}

/// What of a text has not been let go: as it came, and as it is looked at.
#[derive(Debug, Default)]
pub(super) struct Layers {
    whole: String,
    /// Empty while nothing is left out: then it is the same.
    seen: String,
    left_out: Vec<LeftOut>,
    /// What was let go before: bytes that are seen, and bytes left out.
    seen_before: usize,
    out_before: usize,
    /// How much more was left out than seen lately.
    level: usize,
}

impl Layers {
    pub(super) fn push(&mut self, mut text: &str) {
        while !text.is_empty() {
            let unseen = if text.is_ascii() { None } else { find(text) };
            let Some(place) = unseen else {
                self.push_seen(text);
                return;
            };
            self.push_seen(&text[..place.start]);
            let letter = &text[place.clone()];
            if self.level + letter.len() > MOST {
                self.push_seen(letter);
            } else {
                self.leave_out(letter);
            }
            text = &text[place.end..];
        }
    }

    fn push_seen(&mut self, text: &str) {
        self.level = self.level.saturating_sub(text.len());
        self.whole.push_str(text);
        if !self.left_out.is_empty() {
            self.seen.push_str(text);
        }
    }

    fn leave_out(&mut self, letter: &str) {
        self.level += letter.len();
        let total = match self.left_out.last() {
            Some(last) => last.total,
            None => {
                self.seen.clone_from(&self.whole);
                self.out_before
            }
        };
        self.left_out.push(LeftOut {
            at: self.seen_before + self.seen.len(),
            total: total + letter.len(),
        });
        self.whole.push_str(letter);
    }

    /// What follows does not know what came before.
    pub(super) fn forget_level(&mut self) {
        self.level = 0;
    }

    pub(super) fn whole(&self) -> &str {
        &self.whole
    }

    pub(super) fn seen(&self) -> &str {
        if self.left_out.is_empty() {
            &self.whole
        } else {
            &self.seen
        }
    }

    /// Where the text stands after `seen` bytes more.
    pub(super) fn after(&self, looked: Looked, seen: usize) -> Looked {
        let beneath = self.beneath(looked, seen, Rest::Follows);
        let whole = beneath.map_or(seen, |it| if seen == 0 { 0 } else { it.text.len() });
        Looked {
            seen: looked.seen + seen,
            whole: looked.whole + whole,
        }
    }

    /// What the next `seen` bytes came as; with what stands after them where the text is over.
    /// None where nothing is left out of the text at all.
    pub(super) fn beneath(&self, looked: Looked, seen: usize, rest: Rest) -> Option<Beneath<'_>> {
        if self.left_out.is_empty() {
            return None;
        }
        let out_before = self.out_before + (looked.whole - looked.seen);
        let seen_before = self.seen_before + looked.seen;
        let first = self.left_out.partition_point(|it| it.total <= out_before);
        let left_out = &self.left_out[first..];
        let count = match rest {
            Rest::Follows => left_out.partition_point(|it| it.at < seen_before + seen),
            Rest::IsOver => left_out.len(),
        };
        let left_out = &left_out[..count];
        let out = left_out.last().map_or(0, |last| last.total - out_before);
        Some(Beneath {
            text: &self.whole[looked.whole..looked.whole + seen + out],
            left_out,
            seen_before,
            out_before,
        })
    }

    /// Forgets what was looked at, and gives it back as it came.
    pub(super) fn let_go(&mut self, looked: Looked) -> String {
        let rest = self.whole.split_off(looked.whole);
        let gone = std::mem::replace(&mut self.whole, rest);
        self.seen_before += looked.seen;
        self.out_before += looked.whole - looked.seen;
        if !self.left_out.is_empty() {
            self.seen.drain(..looked.seen);
            let before = self.out_before;
            let count = self.left_out.partition_point(|it| it.total <= before);
            self.left_out.drain(..count);
            if self.left_out.is_empty() {
                self.seen.clear();
            }
        }
        gone
    }
}

/// How far a text was looked at: bytes that are seen, and what they came as.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looked {
    pub(super) seen: usize,
    pub(super) whole: usize,
}

/// Whether more of the text follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Follows,
    IsOver,
}

/// A stretch as it came, where letters were left out of it.
pub(super) struct Beneath<'t> {
    pub(super) text: &'t str,
    left_out: &'t [LeftOut],
    seen_before: usize,
    out_before: usize,
}

impl Beneath<'_> {
    pub(super) fn has_left_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Where that what is seen at `span` stands in the stretch as it came.
    pub(super) fn span(&self, span: Range<usize>) -> Range<usize> {
        let out = |count: usize| {
            let last = count.checked_sub(1).map(|last| self.left_out[last].total);
            last.map_or(0, |total| total - self.out_before)
        };
        let (start, end) = (self.seen_before + span.start, self.seen_before + span.end);
        let to_start = self.left_out.partition_point(|it| it.at <= start);
        let to_end = self.left_out.partition_point(|it| it.at < end);
        span.start + out(to_start)..span.end + out(to_end)
    }
}
