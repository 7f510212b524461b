//! Originals in the place of their placeholders, in HTML that is already clean.
//!
//! Only text is changed, never a tag, and every original is escaped, so what was clean stays
//! clean. A placeholder that the highlighter cut into several spans is still one; across any
//! other tag it is none. What was taken out of a reply stays a placeholder that can be pressed.

use std::ops::Range;

use secrecy::ExposeSecret;

use super::hidden::escape_into;
use crate::redact::placeholder;
use crate::redact::vault::{Original, Vault};
use crate::store::TakenFrom;

/// Whether the user has agreed to see the originals of a session in its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Originals {
    Shown,
    /// Each stays a placeholder until it is asked for.
    OnRequest,
}

pub(super) fn restore(html: String, vault: &Vault, originals: Originals) -> String {
    if vault.is_empty() || !html.contains('[') {
        return html;
    }
    let text = Text::of(&html);
    let mut out = String::with_capacity(html.len() + 256);
    let mut from = 0;
    for place in placeholder::find(&text.letters) {
        let placeholder = &text.letters[place.clone()];
        let Some(original) = vault.original(placeholder) else {
            continue;
        };
        for (at, part) in text.in_html(place.clone()).enumerate() {
            out.push_str(&html[from..part.start]);
            if at == 0 {
                write(&mut out, placeholder, &original, originals);
            }
            from = part.end;
        }
    }
    out.push_str(&html[from..]);
    out
}

fn write(out: &mut String, placeholder: &str, original: &Original, originals: Originals) {
    match (original.taken_from, originals) {
        (TakenFrom::Input, Originals::Shown) => {
            let saw = format!("The provider saw {placeholder}");
            out.push_str(&format!(
                "<mark class=\"restored\" title=\"{saw}\" aria-description=\"{saw}\">"
            ));
            escape_into(out, original.value.expose_secret());
            out.push_str("</mark>");
        }
        (TakenFrom::Input, Originals::OnRequest) | (TakenFrom::Output, _) => out.push_str(&format!(
            "<button type=\"button\" class=\"taken\" data-placeholder=\"{placeholder}\" title=\"A guard took this out of the reply. Press to show it.\">{placeholder}</button>"
        )),
    }
}

/// What a reader sees of some HTML, and where it stands there.
struct Text {
    letters: String,
    /// Where a stretch begins in the letters, and where it is in the HTML.
    stretches: Vec<(usize, Range<usize>)>,
}

impl Text {
    fn of(html: &str) -> Self {
        let mut text = Self {
            letters: String::with_capacity(html.len()),
            stretches: Vec::new(),
        };
        let mut from = 0;
        while let Some(tag) = html[from..].find('<').map(|at| from + at) {
            text.add(html, from..tag);
            from = tag + tag_length(&html[tag..]);
            if !is_span(&html[tag..from]) {
                // No placeholder has a line break in it.
                text.letters.push('\n');
            }
        }
        text.add(html, from..html.len());
        text
    }

    fn add(&mut self, html: &str, stretch: Range<usize>) {
        if !stretch.is_empty() {
            self.letters.push_str(&html[stretch.clone()]);
            let at = self.letters.len() - stretch.len();
            self.stretches.push((at, stretch));
        }
    }

    /// The parts of the HTML that a stretch of letters stands in.
    fn in_html(&self, place: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self
            .stretches
            .partition_point(|(at, html)| at + html.len() <= place.start);
        self.stretches[first..]
            .iter()
            .take_while(move |(at, _)| *at < place.end)
            .map(move |(at, html)| {
                let start = place.start.max(*at) - at + html.start;
                let end = place.end.min(at + html.len()) - at + html.start;
                start..end
            })
    }
}

/// Up to and with the `>` that is not inside quotes; the sanitizer writes no other quotes.
fn tag_length(html: &str) -> usize {
    let mut quoted = false;
    for (at, byte) in html.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return at + 1,
            _ => {}
        }
    }
    html.len()
}

fn is_span(tag: &str) -> bool {
    tag.starts_with("<span ") || tag == "<span>" || tag == "</span>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn vault() -> Vault {
        let vault = Vault::new(Uuid::nil());
        vault.take_out("EMAIL", "<b>\"x\"&y", TakenFrom::Input);
        vault.take_out("KEY", "canary", TakenFrom::Output);
        vault
    }

    const MARK: &str = "<mark class=\"restored\" title=\"The provider saw [EMAIL_1]\" aria-description=\"The provider saw [EMAIL_1]\">&lt;b&gt;&quot;x&quot;&amp;y</mark>";

    #[test]
    fn puts_originals_into_text_alone() {
        let rows = [
            ("<p>to [EMAIL_1]!</p>", "<p>to MARK!</p>"),
            ("<p>[EMAIL_2] [X]</p>", "<p>[EMAIL_2] [X]</p>"),
            (
                "<a href=\"[EMAIL_1]>\">[EMAIL_1]</a>",
                "<a href=\"[EMAIL_1]>\">MARK</a>",
            ),
            (
                "<code><span class=\"hl-a\">[</span><span>EMAIL_1</span>]</code>",
                "<code><span class=\"hl-a\">MARK</span><span></span></code>",
            ),
            ("<p>[EMAIL</p><p>_1]</p>", "<p>[EMAIL</p><p>_1]</p>"),
            ("[EMAIL_1][EMAIL_1]", "MARKMARK"),
            ("é [EMAIL_1] <", "é MARK <"),
        ];
        for (html, expected) in rows {
            let restored = restore(html.to_owned(), &vault(), Originals::Shown);
            assert_eq!(restored, expected.replace("MARK", MARK), "{html}");
        }
    }

    #[test]
    fn what_was_taken_out_of_a_reply_waits_to_be_asked_for() {
        let html = restore("<p>[KEY_1]</p>".to_owned(), &vault(), Originals::Shown);
        assert!(html.contains("data-placeholder=\"[KEY_1]\""), "{html}");
        assert!(html.contains(">[KEY_1]</button>"), "{html}");
        assert!(!html.contains("canary"));
    }

    #[test]
    fn live_text_and_whole_text_restore_alike() {
        let text = "to [EMAIL_1]\n\n- [EMAIL_1] and `[EMAIL_1]`\n\n```rust\nlet x = [EMAIL_1];\n```\n\n[EMAIL_1]";
        let whole = restore(super::super::whole(text), &vault(), Originals::Shown);
        assert_eq!(whole.matches("The provider saw").count(), 2 * 5, "{whole}");
        assert!(!whole.contains(">[EMAIL_1]<"));
    }
}
