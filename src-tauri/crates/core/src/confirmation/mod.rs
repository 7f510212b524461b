//! Builds what the confirmation window shows.
//!
//! Titles, headings and statements are Weir's own words, which [`FixedText`] makes of literals and
//! numbers alone. Everything that comes from a page, a folder, a server or a model goes through
//! [`fragments`], so that it is quoted as such, whole, and with its hidden characters named.

mod fixed_text;
mod fragments;
mod names;

use weir_protocol::{
    Confirmation, ConfirmationSection, ConfirmationSubject, Fragment, SectionKind, Theme,
};

pub use fixed_text::FixedText;
use fragments::Lines;

/// On whose behalf something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A part of Weir, in its own words.
    Part(&'static str),
    /// What kind of thing it is, in Weir's words, and its name, which is quoted.
    Named(&'static str, &'a str),
}

/// A request about a folder, source, session or address.
pub fn confirmation(
    title: &'static str,
    subject: Subject<'_>,
    accept: &'static str,
) -> Confirmation {
    let (label, name) = match subject {
        Subject::Part(label) => (label, Vec::new()),
        Subject::Named(label, name) => (label, fragments::of(name, Lines::One)),
    };
    Confirmation {
        title: title.to_owned(),
        subject: ConfirmationSubject {
            label: label.to_owned(),
            name,
        },
        sections: Vec::new(),
        accept: accept.to_owned(),
        theme: Theme::default(),
    }
}

/// Weir's own words.
pub fn statement(text: impl Into<FixedText>) -> ConfirmationSection {
    own(SectionKind::Statement, text.into())
}

/// Weir's own words that must be read first.
pub fn warning(text: impl Into<FixedText>) -> ConfirmationSection {
    own(SectionKind::Warning, text.into())
}

/// A name, a path or an address, which should have one line: a line end in it is named, and so
/// is every space that would be hard to see.
pub fn value(heading: impl Into<FixedText>, text: &str) -> ConfirmationSection {
    quoted(SectionKind::Code, heading, fragments::of(text, Lines::One))
}

/// Commands or settings. Line ends are marked.
pub fn code(heading: impl Into<FixedText>, text: &str) -> ConfirmationSection {
    let text = fragments::of(text, Lines::Marked);
    quoted(SectionKind::Code, heading, text)
}

/// One command, path or rule a line, each with its own line ends marked.
pub fn code_lines<'a>(
    heading: impl Into<FixedText>,
    lines: impl IntoIterator<Item = &'a str>,
) -> ConfirmationSection {
    let mut text = Vec::new();
    for line in lines {
        if !text.is_empty() {
            fragments::push_text(&mut text, "\n");
        }
        text.extend(fragments::of(line, Lines::Marked));
    }
    quoted(SectionKind::Code, heading, text)
}

/// Sentences, with their line ends as they are.
pub fn prose(heading: impl Into<FixedText>, text: &str) -> ConfirmationSection {
    let text = fragments::of(text, Lines::Plain);
    quoted(SectionKind::Prose, heading, text)
}

fn own(kind: SectionKind, text: FixedText) -> ConfirmationSection {
    ConfirmationSection {
        kind,
        heading: String::new(),
        text: vec![Fragment::Text {
            text: text.into_string(),
        }],
    }
}

fn quoted(
    kind: SectionKind,
    heading: impl Into<FixedText>,
    text: Vec<Fragment>,
) -> ConfirmationSection {
    ConfirmationSection {
        kind,
        heading: heading.into().into_string(),
        text,
    }
}
