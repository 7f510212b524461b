//! The one sanitizer. All HTML passes `clean` last; what it does not name does not pass.
//!
//! `html` writes only what is allowed here and escapes all text, so on ordinary text this
//! changes nothing. It stands because the writer, the highlighter and the MathML library may
//! each have a mistake in them, and no mistake there may reach the screen.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::OnceLock;

use ammonia::{Builder, UrlRelative};

use super::hidden;
use super::link::SCHEMES;

const HTML_TAGS: [&str; 31] = [
    "a",
    "blockquote",
    "br",
    "button",
    "code",
    "del",
    "div",
    "em",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "input",
    "li",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// No `maction`, `annotation-xml`, `semantics` or `mglyph`: they link, embed or load.
const MATH_TAGS: [&str; 24] = [
    "math",
    "menclose",
    "merror",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
];
const MORE_MATH_TAGS: [&str; 2] = ["munder", "munderover"];

const MATH_ATTRIBUTES: [&str; 24] = [
    "accent",
    "accentunder",
    "class",
    "columnalign",
    "columnspan",
    "depth",
    "display",
    "displaystyle",
    "fence",
    "form",
    "height",
    "largeop",
    "linethickness",
    "lspace",
    "mathvariant",
    "maxsize",
    "minsize",
    "movablelimits",
    "notation",
    "rspace",
    "scriptlevel",
    "separator",
    "stretchy",
    "symmetric",
];
const MORE_MATH_ATTRIBUTES: [&str; 3] = ["voffset", "width", "rowspan"];

/// Clean HTML, balanced, with citation markers where the sentinels stood.
pub(super) fn clean(html: &str) -> String {
    place_citations(sanitizer().clean(html).to_string())
}

fn sanitizer() -> &'static Builder<'static> {
    static SANITIZER: OnceLock<Builder<'static>> = OnceLock::new();
    SANITIZER.get_or_init(|| {
        let mut builder = Builder::empty();
        builder
            .tags(
                HTML_TAGS
                    .into_iter()
                    .chain(MATH_TAGS)
                    .chain(MORE_MATH_TAGS)
                    .collect(),
            )
            .clean_content_tags(HashSet::from(["script", "style"]))
            .tag_attributes(attributes())
            .url_schemes(HashSet::from(SCHEMES))
            .url_relative(UrlRelative::Deny)
            .link_rel(None)
            .attribute_filter(allow_value);
        builder
    })
}

fn attributes() -> HashMap<&'static str, HashSet<&'static str>> {
    let mut attributes = HashMap::from([
        ("a", HashSet::from(["class", "href"])),
        ("button", HashSet::from(["data-act", "type"])),
        ("code", HashSet::from(["class"])),
        ("div", HashSet::from(["class"])),
        ("figure", HashSet::from(["class"])),
        ("input", HashSet::from(["checked", "disabled", "type"])),
        ("ol", HashSet::from(["start"])),
        ("span", HashSet::from(["class"])),
        ("td", HashSet::from(["align"])),
        ("th", HashSet::from(["align"])),
    ]);
    for tag in MATH_TAGS.into_iter().chain(MORE_MATH_TAGS) {
        let names = MATH_ATTRIBUTES.into_iter().chain(MORE_MATH_ATTRIBUTES);
        attributes.insert(tag, names.collect());
    }
    attributes
}

/// The values each attribute may have. Everything else about an attribute was settled by name.
fn allow_value<'v>(tag: &str, name: &str, value: &'v str) -> Option<Cow<'v, str>> {
    let classes = |prefix: &str| {
        value.split(' ').all(|class| {
            class.starts_with(prefix)
                && class
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+'))
        })
    };
    let allowed = match (tag, name) {
        ("a", "href") => true,
        ("a", "class") => value == "image",
        ("button", "type") => value == "button",
        ("button", "data-act") => matches!(value, "copy" | "wrap"),
        ("code", "class") => value == "math-error",
        ("div", "class") => value == "table",
        ("figure", "class") => value == "code",
        ("input", "type") => value == "checkbox",
        ("input", "checked" | "disabled") => value.is_empty(),
        ("ol", "start") => value.len() < 11 && value.bytes().all(|byte| byte.is_ascii_digit()),
        ("span", "class") => classes("hl-"),
        ("td" | "th", "align") => matches!(value, "left" | "center" | "right"),
        ("math", "display") => value == "block",
        (_, "display") => false,
        (_, "class") => classes("menv-"),
        (_, _) => {
            value.len() < 32
                && value
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b" .+-%".contains(&byte))
        }
    };
    allowed.then_some(Cow::Borrowed(value))
}

/// Sentinels in text become markers; one inside a tag would be somebody's mistake and goes.
fn place_citations(html: String) -> String {
    // Every sentinel's UTF-8 begins with this byte, and hardly any other text has it.
    const LEAD: u8 = 0xF3;
    if !html.as_bytes().contains(&LEAD) {
        return html;
    }
    let mut out = String::with_capacity(html.len() + 256);
    let mut tag = Within::Text;
    for character in html.chars() {
        tag = match (tag, character) {
            (Within::Text, '<') => Within::Tag,
            (Within::Tag, '>') => Within::Text,
            (Within::Tag, '"') => Within::Quotes,
            (Within::Quotes, '"') => Within::Tag,
            (Within::Text | Within::Tag | Within::Quotes, _) => tag,
        };
        match (hidden::citation(character), tag) {
            (None, _) => out.push(character),
            (Some(number), Within::Text) => {
                // Writing to a string cannot fail.
                let _ = write!(
                    out,
                    "<button type=\"button\" class=\"cite\" data-cite=\"{number}\">{number}</button>"
                );
            }
            (Some(_), Within::Tag | Within::Quotes) => {}
        }
    }
    out
}

#[derive(Clone, Copy)]
enum Within {
    Text,
    Tag,
    Quotes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_does_not_pass() {
        for (html, clean_html) in [
            ("<p onclick=\"x()\" id=\"a\" style=\"b\">t</p>", "<p>t</p>"),
            ("<img src=\"https://a.b/c\">", ""),
            ("<a href=\"javascript:x\">t</a>", "<a>t</a>"),
            ("<a href=\"/etc\">t</a>", "<a>t</a>"),
            (
                "<button data-act=\"pay\" data-cite=\"1\">t</button>",
                "<button>t</button>",
            ),
            ("<span class=\"cite\">t</span>", "<span>t</span>"),
            ("<span class=\"hl-a evil\">t</span>", "<span>t</span>"),
            (
                "<math><mi href=\"https://a.b\">x</mi></math>",
                "<math><mi>x</mi></math>",
            ),
            ("<script>x</script>", ""),
            ("<p>open", "<p>open</p>"),
            ("<input type=\"password\">", "<input>"),
        ] {
            assert_eq!(clean(html), clean_html, "{html}");
        }
    }
}
