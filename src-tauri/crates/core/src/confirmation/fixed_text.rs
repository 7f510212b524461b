//! Text of Weir's own, in a confirmation.
//!
//! Invariant: they are made of literals and numbers only, so no name from a page, a folder, a
//! server or a model can be inside of them. Such a name is a field of its own, and quoted.

/// A title, a heading, a sentence or a button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedText(String);

impl FixedText {
    /// With a number at the end.
    #[must_use]
    pub fn number(mut self, number: u64) -> Self {
        self.0.push_str(&number.to_string());
        self
    }

    /// With more words at the end.
    #[must_use]
    pub fn text(mut self, more: &'static str) -> Self {
        self.0.push_str(more);
        self
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

impl From<&'static str> for FixedText {
    fn from(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}
