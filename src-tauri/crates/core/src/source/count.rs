//! About how many tokens a text has.

/// How a source's tokens are counted, since nobody but the source knows its tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// What is likely: the source refuses what is too long, and has the last word.
    Likely,
    /// Rather too many: the source cuts what is too long without a word.
    AtMost,
}

impl Count {
    pub(crate) fn tokens(self, text: &str) -> u64 {
        let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
        let others = text.chars().filter(|letter| !letter.is_ascii()).count() as u64;
        self.of_letters(ascii, others)
    }

    /// The same for so many letters of ASCII and so many others.
    pub(crate) fn of_letters(self, ascii: u64, others: u64) -> u64 {
        match self {
            // Four letters of ASCII are about a token; of other letters each one is.
            Self::Likely => ascii.div_ceil(4) + others,
            Self::AtMost => ascii.div_ceil(3) + others * 2,
        }
    }
}
