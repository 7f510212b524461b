//! Markdown to clean HTML, for the live stream, history, search results and export alike.
//!
//! Owns the only way from a model's text to HTML. Invariants kept here, each held by a test:
//! - One sanitizer: every piece of HTML passes `sanitize::clean` last; only the citation
//!   markers, which are made of a number and nothing else, and what guards took out, escaped,
//!   are put in after it.
//! - Committed pieces are rendered once and never again.
//! - The same text, however it is split, gives the same HTML; `whole` is nothing but a push
//!   of everything, so there is no second path that could skip a check.
//!
//! Nothing in the HTML loads by itself, and raw HTML in a text is shown, never interpreted.
//! The module knows nothing of storage, windows or sources.

mod block;
mod code;
mod delimiter;
mod hidden;
mod html;
mod link;
mod markdown;
mod math;
mod restore;
mod sanitize;
mod settle;
mod view;

#[cfg(test)]
mod security_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod view_tests;

pub(crate) use hidden::is_deceptive;
pub use markdown::{Change, LiveMarkdown};
pub use view::View;

/// The HTML of a text that stands as it is, with no marks of its own.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    hidden::escape_into(&mut html, text);
    html
}

/// The HTML of a text that is complete.
pub fn whole(text: &str) -> String {
    let mut live = LiveMarkdown::new();
    live.push(text);
    let change = live.finish();
    let mut html = change.pieces.concat();
    html.push_str(&change.tail);
    html
}
