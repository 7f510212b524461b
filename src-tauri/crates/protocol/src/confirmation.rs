//! What the confirmation window shows: plain text from Rust, cut into fragments so that no
//! character in it can hide, reorder its neighbours or pass for Weir's own words.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Theme;

/// One request, whole. Nothing in it is ever shortened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Confirmation {
    /// Weir's own words, never somebody else's.
    pub title: String,
    pub subject: ConfirmationSubject,
    pub sections: Vec<ConfirmationSection>,
    /// The word on the accepting button.
    pub accept: String,
    pub theme: Theme,
}

/// The folder, source, session or address on whose behalf something is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationSubject {
    /// What kind of thing it is, in Weir's own words.
    pub label: String,
    /// Its name, from outside of Weir; empty where the label says it all.
    pub name: Vec<Fragment>,
}

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationSection {
    pub kind: SectionKind,
    /// Weir's own words; empty where the text needs none.
    pub heading: String,
    pub text: Vec<Fragment>,
}

/// Whose words a section has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// Weir's own.
    Statement,
    /// Weir's own, to be read before anything else.
    Warning,
    /// A command, a path, an address or settings, from outside of Weir.
    Code,
    /// Sentences from outside of Weir.
    Prose,
}

/// A piece of text and how it has to be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fragment {
    Text {
        text: String,
    },
    /// Drawn apart from its neighbours, so that it reorders none of them.
    RightToLeft {
        text: String,
    },
    /// A character that has no shape of its own, by its number and name.
    Hidden {
        name: String,
    },
    /// The end of a line inside a text that should have one line, or inside a command.
    LineEnd,
}

/// What the user chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmationAnswer {
    Accept,
    Cancel,
    /// No answer: something was pressed before it could be meant for this window, and the time
    /// until it takes one begins anew.
    TooSoon,
}
