//! Which addresses may be clicked.

use ammonia::Url;

use super::hidden::{escape_into, is_deceptive, is_stripped};

/// The schemes that open, after the user has seen the address.
pub(super) const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Addresses longer than this are shown as text: nobody can read what they carry.
const LONGEST: usize = 4096;

/// The address without hidden characters, if it may be clicked at all. An address without a
/// scheme leads nowhere in a desktop program, so it is text.
pub(super) fn address(destination: &str) -> Option<String> {
    if destination.len() > LONGEST {
        return None;
    }
    let visible: String = destination
        .chars()
        .filter(|character| {
            !character.is_control()
                && !is_stripped(*character)
                && !is_deceptive(*character)
                && !matches!(character, '\u{AD}' | '\u{200C}' | '\u{200D}')
        })
        .collect();
    let visible = visible.trim();
    let url = Url::parse(visible).ok()?;
    SCHEMES.contains(&url.scheme()).then(|| visible.to_owned())
}

/// Appends the text of a link without what could make it read as another address.
pub(super) fn write_text(out: &mut String, text: &str) {
    if text.contains(is_deceptive) {
        let visible: String = text.chars().filter(|each| !is_deceptive(*each)).collect();
        escape_into(out, &visible);
    } else {
        escape_into(out, text);
    }
}

/// Appends a link definition as a line of its own.
pub(super) fn write_definition(out: &mut String, label: &str, destination: &str, title: &str) {
    out.push_str("<p>[");
    write_text(out, label);
    out.push_str("]: ");
    match address(destination) {
        Some(address) => {
            out.push_str("<a href=\"");
            escape_into(out, &address);
            out.push_str("\">");
            write_text(out, destination);
            out.push_str("</a>");
        }
        None => write_text(out, destination),
    }
    if !title.is_empty() {
        out.push(' ');
        write_text(out, title);
    }
    out.push_str("</p>");
}
