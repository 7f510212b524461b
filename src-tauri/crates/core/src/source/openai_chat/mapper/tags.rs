//! Thinking that a model writes into its text, between marks.
//!
//! Owns the one place where that is believed: the very start of the text, as the models do
//! it. Later marks are text like any other. White space after a mark belongs to the mark.
//! Holds back only what may still become a mark, and reads nothing twice.

use std::borrow::Cow;

use memchr::memmem;

use super::names::THINKING_MARKS;

#[derive(Default)]
pub(super) struct Tags {
    at: At,
    /// What came and may still become a mark.
    held: String,
}

#[derive(Clone, Copy, Default)]
enum At {
    #[default]
    Start,
    /// Just after the opening mark.
    Opened(&'static str),
    Inside(&'static str),
    /// Just after the closing mark.
    Closed,
    Text,
}

/// What a piece of text turns out to be; the thinking comes first.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Split<'a> {
    pub(super) thinking: Cow<'a, str>,
    pub(super) text: Cow<'a, str>,
}

impl Tags {
    pub(super) fn split<'a>(&mut self, text: Cow<'a, str>) -> Split<'a> {
        match self.at {
            At::Start => self.start(text),
            At::Opened(close) | At::Inside(close) => self.inside(close, text),
            At::Closed => self.closed(text),
            At::Text => Split {
                text,
                ..Split::default()
            },
        }
    }

    /// Nothing more will complete a mark for now.
    pub(super) fn flush(&mut self) -> Split<'static> {
        let mut split = Split::default();
        if self.held.is_empty() {
            return split;
        }
        let held = Cow::Owned(std::mem::take(&mut self.held));
        match self.at {
            At::Opened(_) | At::Inside(_) => split.thinking = held,
            At::Start | At::Closed | At::Text => {
                self.at = At::Text;
                split.text = held;
            }
        }
        split
    }

    /// Whether all that comes is text.
    pub(super) fn are_past(&self) -> bool {
        matches!(self.at, At::Text)
    }

    /// The server tells thinking apart by itself, so marks at the start are the model's words.
    pub(super) fn expect_none(&mut self) {
        if matches!(self.at, At::Start) && self.held.is_empty() {
            self.at = At::Text;
        }
    }

    fn start<'a>(&mut self, text: Cow<'a, str>) -> Split<'a> {
        let text = self.join(text);
        let start = text.trim_ascii_start();
        let opened = THINKING_MARKS
            .iter()
            .find_map(|(open, close)| Some((start.strip_prefix(open)?, close)));
        if let Some((rest, close)) = opened {
            self.at = At::Opened(close);
            return self.inside(close, Cow::Owned(rest.to_owned()));
        }
        let may_open = THINKING_MARKS
            .iter()
            .any(|(open, _)| open.starts_with(start));
        if may_open && text.len() <= MOST_HELD {
            self.held = text.into_owned();
            return Split::default();
        }
        self.at = At::Text;
        Split {
            text,
            ..Split::default()
        }
    }

    fn inside<'a>(&mut self, close: &'static str, text: Cow<'a, str>) -> Split<'a> {
        let mut text = self.join(text);
        if let At::Opened(_) = self.at {
            text = from_first_word(text);
            if text.is_empty() {
                return Split::default();
            }
            self.at = At::Inside(close);
        }
        if let Some(end) = memmem::find(text.as_bytes(), close.as_bytes()) {
            self.at = At::Closed;
            let (thinking, rest) = cut(text, end);
            let (_, rest) = cut(rest, close.len());
            let Split { text, .. } = self.closed(rest);
            return Split { thinking, text };
        }
        let keep = (1..close.len())
            .rev()
            .find(|length| text.as_bytes().ends_with(&close.as_bytes()[..*length]));
        let end = text.len() - keep.unwrap_or_default();
        let (thinking, held) = cut(text, end);
        self.held.push_str(&held);
        Split {
            thinking,
            ..Split::default()
        }
    }

    fn closed<'a>(&mut self, text: Cow<'a, str>) -> Split<'a> {
        let text = from_first_word(text);
        if !text.is_empty() {
            self.at = At::Text;
        }
        Split {
            text,
            ..Split::default()
        }
    }

    fn join<'a>(&mut self, text: Cow<'a, str>) -> Cow<'a, str> {
        if self.held.is_empty() {
            return text;
        }
        let mut joined = std::mem::take(&mut self.held);
        joined.push_str(&text);
        Cow::Owned(joined)
    }
}

/// More white space than this before a mark is no model's habit.
const MOST_HELD: usize = 32;

fn from_first_word(text: Cow<'_, str>) -> Cow<'_, str> {
    let blank = text.len() - text.trim_ascii_start().len();
    cut(text, blank).1
}

fn cut(text: Cow<'_, str>, at: usize) -> (Cow<'_, str>, Cow<'_, str>) {
    match text {
        Cow::Borrowed(text) => {
            let (before, after) = text.split_at(at);
            (before.into(), after.into())
        }
        Cow::Owned(mut before) => {
            let after = before.split_off(at);
            (before.into(), after.into())
        }
    }
}
