//! Characters a reader cannot see: the sentinels that stand for citation markers until the
//! sanitizer is done, and the controls that make a link look like another one.

/// Sentinel `n` is this plus `n`. The plane is private use, so no text needs these characters;
/// they are taken out of everything that comes in, and a model cannot forge a marker.
const FIRST_SENTINEL: u32 = 0xF_0000;
const LAST_SENTINEL: u32 = 0xF_FFFD;

/// A place in the source where a citation marker belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) at: usize,
    pub(super) number: u32,
}

impl Mark {
    /// The character that stands for its citation; none when there are absurdly many.
    pub(super) fn sentinel(&self) -> Option<char> {
        FIRST_SENTINEL
            .checked_add(self.number)
            .filter(|point| *point <= LAST_SENTINEL)
            .and_then(char::from_u32)
    }
}

/// The citation a character stands for.
pub(super) fn citation(character: char) -> Option<u32> {
    let point = u32::from(character);
    (FIRST_SENTINEL..=LAST_SENTINEL)
        .contains(&point)
        .then(|| point - FIRST_SENTINEL)
}

/// Characters that have no place in any text: sentinels, and NUL, which HTML cannot carry.
pub(super) fn is_stripped(character: char) -> bool {
    character == '\0' || citation(character).is_some()
}

/// Direction controls and blanks without width, which let the text of a link read as another
/// address. The joiners U+200C and U+200D stay in text: Persian and emoji are spelled with them.
pub(crate) fn is_deceptive(character: char) -> bool {
    matches!(
        character,
        '\u{61C}'
            | '\u{180E}'
            | '\u{200B}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{E0000}'..='\u{E007F}'
    )
}

/// Appends `text` so that HTML reads it as that very text, in an element or in quotes.
pub(super) fn escape_into(out: &mut String, text: &str) {
    out.reserve(text.len());
    let mut from = 0;
    for (at, character) in text.char_indices() {
        let replacement = match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            other if is_stripped(other) => "",
            _ => continue,
        };
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str(replacement);
        from = at + character.len_utf8();
    }
    out.push_str(text.get(from..).unwrap_or_default());
}
