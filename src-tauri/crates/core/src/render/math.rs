//! LaTeX to MathML. The output is not trusted: the sanitizer sees it like everything else.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::event::{Content, Event};
use pulldown_latex::{Parser, ParserError, Storage, push_mathml};

use super::hidden::escape_into;

const MOST_BYTES: usize = 10 * 1024;
/// Deeper than any formula a person writes, shallow enough for every stack.
const DEEPEST: usize = 48;
/// So many can nest on the stack of any thread.
const COMMANDS_ON_ANY_STACK: usize = 50;
/// Enough for a formula of [`MOST_BYTES`] that is nothing but nested commands.
const DEEP_STACK: usize = 128 * 1024 * 1024;
/// Commands that define others: with them ten lines can grow without end.
const DEFINITIONS: [&str; 6] = [
    "\\def",
    "\\let",
    "\\futurelet",
    "\\newcommand",
    "\\renewcommand",
    "\\providecommand",
];

/// Commands models write often and the library does not know, and what comes nearest.
const NEAREST: [(&str, &str); 4] = [
    ("\\boxed{", "{"),
    ("\\bm{", "\\mathbf{"),
    ("\\tag{", "\\qquad\\text{"),
    ("\\tag*{", "\\qquad\\text{"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Inline,
    Display,
}

/// Appends the formula, or its source where it cannot be read.
pub(super) fn write_formula(out: &mut String, latex: &str, layout: Layout) {
    match convert(latex, layout) {
        Some(mathml) => out.push_str(&mathml),
        None => {
            out.push_str("<code class=\"math-error\">");
            escape_into(out, latex.trim());
            out.push_str("</code>");
        }
    }
}

/// Whether what stands between `\\[` and `\\]` is a formula: the same signs are how markdown
/// escapes brackets, as in a footnote that should stay text.
pub(super) fn is_formula(inside: &str) -> bool {
    !inside.trim().is_empty()
        && (inside.starts_with([' ', '\n', '\t'])
            || inside.contains(['\\', '^', '_', '=', '+', '{', '<', '>']))
}

fn convert(latex: &str, layout: Layout) -> Option<String> {
    if latex.len() > MOST_BYTES
        || depth(latex) > DEEPEST
        || DEFINITIONS.iter().any(|name| latex.contains(name))
    {
        return None;
    }
    let mut known = Cow::Borrowed(latex);
    for (command, nearest) in NEAREST {
        if known.contains(command) {
            known = Cow::Owned(known.replace(command, nearest));
        }
    }
    // The library promises errors, not panics, but a model writes LaTeX nobody has tried, and
    // one formula must not take the text around it along.
    let guarded = || catch_unwind(AssertUnwindSafe(|| convert_unguarded(&known, layout))).ok()?;
    if known.matches('\\').count() <= COMMANDS_ON_ANY_STACK {
        return guarded();
    }
    // Commands can take each other as arguments in ways that only the library counts.
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new().stack_size(DEEP_STACK);
        deep.spawn_scoped(scope, guarded).ok()?.join().ok()?
    })
}

fn convert_unguarded(latex: &str, layout: Layout) -> Option<String> {
    let storage = Storage::new();
    let events: Vec<Event<'_>> = Parser::new(latex, &storage)
        .collect::<Result<_, ParserError>>()
        .ok()?;
    if events.iter().any(writes_markup) {
        return None;
    }
    let config = RenderConfig {
        display_mode: match layout {
            Layout::Inline => DisplayMode::Inline,
            Layout::Display => DisplayMode::Block,
        },
        ..RenderConfig::default()
    };
    let mut mathml = String::with_capacity(latex.len() * 8);
    let events = events
        .into_iter()
        .map(with_real_space)
        .map(Ok::<_, ParserError>);
    push_mathml(&mut mathml, events, config).ok()?;
    Some(mathml)
}

/// The library writes the names of functions and numbers as they came; a name that could be
/// read as a tag is not a name.
fn writes_markup(event: &Event<'_>) -> bool {
    if let Event::Content(Content::Function(name) | Content::Number(name)) = event {
        name.contains(['<', '>', '&'])
    } else {
        false
    }
}

/// The library spells `~` as an entity in a text that it then escapes.
fn with_real_space(event: Event<'_>) -> Event<'_> {
    if let Event::Content(Content::Text("&nbsp;")) = event {
        Event::Content(Content::Text("\u{A0}"))
    } else {
        event
    }
}

/// An upper bound of how deep the formula nests: braces and `\left`, and chains of commands
/// and scripts that take each other as arguments without braces.
fn depth(latex: &str) -> usize {
    let (mut open, mut deepest, mut chain) = (0_usize, 0_usize, 0_usize);
    let mut bytes = latex.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                let mut letters = 0;
                while bytes.next_if(u8::is_ascii_alphabetic).is_some() {
                    letters += 1;
                }
                if letters == 0 {
                    bytes.next();
                }
                chain += 1;
            }
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            b'^' | b'_' => chain += 1,
            b' ' | b'\n' | b'\t' => {}
            _ => chain = 0,
        }
        deepest = deepest.max(open.max(chain));
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_models_write_is_readable() {
        for latex in [
            "\\frac{a}{b}",
            "\\sum_{i=1}^n i^2",
            "\\begin{aligned}a&=b\\\\c&=d\\end{aligned}",
            "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}",
            "\\begin{cases}x & x>0\\\\ -x & x<0\\end{cases}",
            "\\boxed{x = \\bm{y}} \\tag{1}",
            "\\operatorname{argmax}_x f",
            "\\left(\\frac12\\right)",
            "\\text{if } x \\ge 0",
            "\\mathbb{R}^n \\xrightarrow{f} \\mathcal{L}",
            "\\boldsymbol{x}",
            "a~b",
        ] {
            let mathml = convert(latex, Layout::Display).unwrap_or_default();
            assert!(mathml.starts_with("<math"), "{latex}");
            assert!(
                !mathml.contains("merror") && !mathml.contains("amp;nbsp"),
                "{mathml}"
            );
        }
    }

    #[test]
    fn what_cannot_be_read_or_bounded_is_shown_as_it_came() {
        for latex in [
            "\\nope{x}".to_owned(),
            "{".to_owned(),
            "\\left(".to_owned(),
            "\\def\\a{\\a\\a}\\a".to_owned(),
            "\\operatorname{<b>}".to_owned(),
            "x+".repeat(6_000),
            "{".repeat(100) + &"}".repeat(100),
        ] {
            let mut out = String::new();
            write_formula(&mut out, &latex, Layout::Inline);
            assert!(out.starts_with("<code class=\"math-error\">"), "{out}");
        }
    }
}
