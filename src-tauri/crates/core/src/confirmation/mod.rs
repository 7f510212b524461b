//! Builds what the confirmation window shows.
//!
//! Titles, headings and statements are Weir's own words. Everything that comes from a page, a
//! folder, a server or a model goes through [`fragments`], so that it is quoted as such, whole,
//! and with its hidden characters named.

mod fragments;
mod names;

use weir_protocol::{Confirmation, ConfirmationSection, Fragment, SectionKind, Theme};

use fragments::Lines;

/// A request about `subject`, the folder, source, session or address that it is asked for.
pub fn confirmation(title: &str, subject: &str, accept: &str) -> Confirmation {
    Confirmation {
        title: title.to_owned(),
        subject: fragments::of(subject, Lines::One),
        sections: Vec::new(),
        accept: accept.to_owned(),
        theme: Theme::default(),
    }
}

/// Weir's own words. A name from outside inside of them is quoted with its hidden characters
/// named, like everything else.
pub fn statement(text: &str) -> ConfirmationSection {
    section(SectionKind::Statement, "", fragments::of(text, Lines::One))
}

/// Weir's own words that must be read first.
pub fn warning(text: &str) -> ConfirmationSection {
    section(SectionKind::Warning, "", fragments::of(text, Lines::One))
}

/// A command, a path, an address or settings. Line ends are marked.
pub fn code(heading: &str, text: &str) -> ConfirmationSection {
    let text = fragments::of(text, Lines::Marked);
    section(SectionKind::Code, heading, text)
}

/// One command, path or rule a line, each with its own line ends marked.
pub fn code_lines<'a>(
    heading: &str,
    lines: impl IntoIterator<Item = &'a str>,
) -> ConfirmationSection {
    let mut text = Vec::new();
    for line in lines {
        if !text.is_empty() {
            fragments::push_text(&mut text, "\n");
        }
        text.extend(fragments::of(line, Lines::Marked));
    }
    section(SectionKind::Code, heading, text)
}

/// Sentences, with their line ends as they are.
pub fn prose(heading: &str, text: &str) -> ConfirmationSection {
    let text = fragments::of(text, Lines::Plain);
    section(SectionKind::Prose, heading, text)
}

fn section(kind: SectionKind, heading: &str, text: Vec<Fragment>) -> ConfirmationSection {
    ConfirmationSection {
        kind,
        heading: heading.to_owned(),
        text,
    }
}
