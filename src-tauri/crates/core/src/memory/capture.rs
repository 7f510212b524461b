//! What of a prompt is worth keeping: sentences in which the user says how things are and stay.
//!
//! Pure, and no model is asked: [`rules`] are patterns that a person can read. They would rather
//! miss something than keep what was meant for one moment; what the user asks to remember is
//! always kept. Only the user's words are looked at, never a model's or a tool's, and of them
//! neither code nor quotes.

mod rules;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use weir_protocol::MemoryKind;

use super::LONGEST;
use super::terms::ends;
use rules::{ASIDE, EXPLICIT, PASSING, RULES, TROUBLE};

/// What is longer than both ends was pasted, and its middle is nobody's own words.
const LOOKED_AT: usize = 4 * 1024;
/// A statement of a fact is short; what the user asks to remember may be as long as a memory.
const LONGEST_STATEMENT: usize = 300;
/// More than this is a paste, too.
const MOST_OF_A_PROMPT: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) content: String,
    pub(super) kind: MemoryKind,
}

pub(super) fn worth_keeping(prompt: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for part in ends(prompt, LOOKED_AT) {
        for line in own_lines(part) {
            look_at(line, &mut found);
        }
    }
    found.truncate(MOST_OF_A_PROMPT);
    found
}

/// Whether it holds what a guard has put in the place of something: it means nothing elsewhere.
pub(super) fn has_placeholder(text: &str) -> bool {
    static PLACEHOLDER: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r"(?-i)\[[A-Z][A-Z0-9_]*_[0-9]+\]"));
    matches(&PLACEHOLDER, text)
}

/// Without code and quotes, and without what a list puts before its items.
fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter_map(move |line| {
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            in_code = !in_code;
            return None;
        }
        let is_code = in_code || line.starts_with("    ") || line.starts_with('\t');
        let own = !is_code && !bare.starts_with('>');
        own.then(|| without_bullet(bare.trim_end()))
    })
}

fn without_bullet(line: &str) -> &str {
    let number = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if number.len() < line.len()
        && let Some(item) = number.strip_prefix(['.', ')'])
        && item.starts_with(' ')
    {
        return item.trim_start();
    }
    let item = line.strip_prefix(['-', '*', '•', '–']).unwrap_or(line);
    item.trim_start()
}

fn look_at(line: &str, found: &mut Vec<Found>) {
    // "Remember: …" goes on to the next question, however many sentences it has.
    if let Some(note) = explicit(line)
        && line
            .strip_suffix(note)
            .unwrap_or(line)
            .trim_end()
            .ends_with([':', '：'])
    {
        let statements = sentences(note);
        let is_question = |sentence: &&str| sentence.ends_with(['?', '？']);
        let question = statements.iter().position(is_question);
        let end = question.map_or(note.len(), |at| note.find(statements[at]).unwrap_or(0));
        found.extend(kept(&note[..end], MemoryKind::Note, LONGEST));
        return;
    }
    for sentence in sentences(line) {
        let sentence = without_aside(sentence);
        if let Some(note) = explicit(sentence) {
            let note = note.trim_end_matches(['?', '？']);
            found.extend(kept(note, MemoryKind::Note, LONGEST));
        } else if let Some(kind) = kind_of(sentence) {
            found.extend(kept(sentence, kind, LONGEST_STATEMENT));
        }
    }
}

fn kept(content: &str, kind: MemoryKind, longest: usize) -> Option<Found> {
    let content = content.trim();
    // One word says nothing; letters of unspaced scripts come in pairs.
    let says = content.len() <= longest && super::terms(content).len() > 1;
    says.then(|| Found {
        content: content.to_owned(),
        kind,
    })
}

/// What stands behind "remember that …".
fn explicit(text: &str) -> Option<&str> {
    static PATTERNS: LazyLock<Vec<Regex>> =
        LazyLock::new(|| EXPLICIT.iter().filter_map(|text| pattern(text)).collect());
    let note = PATTERNS.iter().find_map(|pattern| {
        let found = pattern.captures(text)?;
        found.name("note").map(|note| note.as_str())
    })?;
    Some(note)
}

fn kind_of(sentence: &str) -> Option<MemoryKind> {
    struct Compiled {
        kind: MemoryKind,
        says: Regex,
        unless: Option<Regex>,
    }
    static COMPILED: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
        let compiled = RULES.iter().filter_map(|rule| {
            Some(Compiled {
                kind: rule.kind,
                says: pattern(rule.says)?,
                unless: rule.unless.and_then(pattern),
            })
        });
        compiled.collect()
    });
    static PASSES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(PASSING));
    static TROUBLES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(TROUBLE));
    if sentence.ends_with(['?', '？', ':', '：']) || matches(&PASSES, sentence) {
        return None;
    }
    let rule = COMPILED.iter().find(|rule| {
        let excepted = rule.unless.as_ref();
        rule.says.is_match(sentence) && !excepted.is_some_and(|unless| unless.is_match(sentence))
    })?;
    match rule.kind {
        MemoryKind::Fact | MemoryKind::Decision if matches(&TROUBLES, sentence) => None,
        kind @ (MemoryKind::Fact
        | MemoryKind::Decision
        | MemoryKind::Note
        | MemoryKind::Instruction
        | MemoryKind::Preference) => Some(kind),
    }
}

/// Without "by the way, " and the like.
fn without_aside(sentence: &str) -> &str {
    static ASIDES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(ASIDE));
    let aside = ASIDES.as_ref().and_then(|aside| aside.find(sentence));
    sentence[aside.map_or(0, |aside| aside.end())..].trim()
}

/// Cut after a full stop, a question or an exclamation that ends a word.
fn sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let ends = match letter {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                next.is_none_or(char::is_whitespace) && !is_short_form(&line[start..at])
            }
            _ => false,
        };
        if ends {
            let end = at + letter.len_utf8();
            sentences.push(line[start..end].trim());
            start = end;
        }
    }
    sentences.push(line[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Whether the full stop belongs to the word before it.
fn is_short_form(before: &str) -> bool {
    const SHORT_FORMS: [&str; 10] = [
        "e.g", "i.e", "etc", "vs", "Mr", "Mrs", "Dr", "St", "z.B", "bzw",
    ];
    let last = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    SHORT_FORMS.contains(&last)
}

/// The patterns are ours, and a test compiles each; one that does not finds nothing.
fn pattern(text: &str) -> Option<Regex> {
    let built = RegexBuilder::new(text).case_insensitive(true).build();
    built.ok()
}

fn matches(pattern: &Option<Regex>, text: &str) -> bool {
    pattern
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text))
}
