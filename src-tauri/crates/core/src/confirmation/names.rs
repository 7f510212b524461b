//! Characters that have no shape of their own, and what they are called.

use std::sync::LazyLock;

use regex::Regex;

/// Names from the Unicode character database, in lower case.
const NAMES: &[(char, &str)] = &[
    ('\0', "null"),
    ('\u{7}', "bell"),
    ('\u{8}', "backspace"),
    ('\t', "tab"),
    ('\n', "line feed"),
    ('\u{B}', "vertical tab"),
    ('\u{C}', "form feed"),
    ('\r', "carriage return"),
    ('\u{1B}', "escape"),
    (' ', "space"),
    ('\u{7F}', "delete"),
    ('\u{85}', "next line"),
    ('\u{A0}', "no-break space"),
    ('\u{AD}', "soft hyphen"),
    ('\u{34F}', "combining grapheme joiner"),
    ('\u{61C}', "Arabic letter mark"),
    ('\u{115F}', "Hangul choseong filler"),
    ('\u{1160}', "Hangul jungseong filler"),
    ('\u{1680}', "Ogham space mark"),
    ('\u{180E}', "Mongolian vowel separator"),
    ('\u{2002}', "en space"),
    ('\u{2003}', "em space"),
    ('\u{2007}', "figure space"),
    ('\u{2009}', "thin space"),
    ('\u{200A}', "hair space"),
    ('\u{200B}', "zero width space"),
    ('\u{200C}', "zero width non-joiner"),
    ('\u{200D}', "zero width joiner"),
    ('\u{200E}', "left-to-right mark"),
    ('\u{200F}', "right-to-left mark"),
    ('\u{2028}', "line separator"),
    ('\u{2029}', "paragraph separator"),
    ('\u{202A}', "left-to-right embedding"),
    ('\u{202B}', "right-to-left embedding"),
    ('\u{202C}', "pop directional formatting"),
    ('\u{202D}', "left-to-right override"),
    ('\u{202E}', "right-to-left override"),
    ('\u{202F}', "narrow no-break space"),
    ('\u{205F}', "medium mathematical space"),
    ('\u{2060}', "word joiner"),
    ('\u{2061}', "function application"),
    ('\u{2062}', "invisible times"),
    ('\u{2063}', "invisible separator"),
    ('\u{2064}', "invisible plus"),
    ('\u{2066}', "left-to-right isolate"),
    ('\u{2067}', "right-to-left isolate"),
    ('\u{2068}', "first strong isolate"),
    ('\u{2069}', "pop directional isolate"),
    ('\u{2800}', "blank Braille pattern"),
    ('\u{3000}', "ideographic space"),
    ('\u{3164}', "Hangul filler"),
    ('\u{FEFF}', "byte order mark"),
    ('\u{FFA0}', "halfwidth Hangul filler"),
];

/// What kind of character it is where it has no name above; the first that matches.
static KINDS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let kinds = [
        (r"^\p{Cc}$", "control character"),
        (r"^[\x{E0000}-\x{E007F}]$", "tag character"),
        (
            r"^[\x{FE00}-\x{FE0F}\x{180B}-\x{180D}\x{180F}\x{E0100}-\x{E01EF}]$",
            "variation selector",
        ),
        (r"^\p{Zs}$", "space"),
        (r"^\p{Co}$", "private-use character"),
        (r"^\p{Cn}$", "unassigned character"),
        (r"^\p{M}$", "combining mark"),
    ];
    let compiled = kinds
        .into_iter()
        .filter_map(|(pattern, name)| Some((Regex::new(pattern).ok()?, name)));
    compiled.collect()
});

/// Controls, format characters, spaces other than the plain one, what is unassigned or private,
/// what Unicode tells programs to leave undrawn, and blanks that count as letters or symbols.
static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\x{2800}&&[^ ]]$").ok()
});

static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{M}$").ok());

pub(super) fn is_hidden(character: char) -> bool {
    // Nearly every character of nearly every text.
    !matches!(character, ' '..='~') && matches(&HIDDEN, character)
}

pub(super) fn is_mark(character: char) -> bool {
    character >= '\u{300}' && matches(&MARK, character)
}

/// One whose pattern could not be compiled counts as matching: it is then shown by its number.
fn matches(pattern: &Option<Regex>, character: char) -> bool {
    let text = character.encode_utf8(&mut [0; 4]).to_owned();
    pattern
        .as_ref()
        .is_none_or(|pattern| pattern.is_match(&text))
}

/// Its number and its name, or what kind of character it is.
pub(super) fn of(character: char) -> String {
    let number = u32::from(character);
    let named = NAMES.iter().find(|(known, _)| *known == character);
    let name = named.map_or_else(|| kind(character), |(_, name)| name);
    format!("U+{number:04X} {name}")
}

fn kind(character: char) -> &'static str {
    let text = character.to_string();
    let kind = KINDS.iter().find(|(pattern, _)| pattern.is_match(&text));
    kind.map_or("invisible character", |(_, name)| name)
}
