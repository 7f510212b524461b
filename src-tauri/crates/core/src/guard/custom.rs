//! The user's own words, regular expressions and size limits.
//!
//! A word is found whole, in letters of either case. A regular expression looks at one line at
//! a time; the engine behind it takes linear time whatever the expression, and its size is
//! limited.

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexBuilder};
use weir_protocol::{GuardCategory, GuardConfig, GuardVerdict, OutputAction, RuleAction};

use super::rule::{Finder, Rule};
use super::stretch::Reach;
use super::{GuardError, Stage};

pub(crate) const SIZE: &str = "size";

/// The most a compiled expression of the user's may take, in bytes.
const LARGEST_PATTERN: usize = 1024 * 1024;

pub(super) const RULES: &[&[Rule]] = &[&[Rule {
    name: SIZE,
    category: GuardCategory::Custom,
    label: "SIZE",
    about: "A text that is longer than its limit.",
    input: RuleAction::Block,
    output: OutputAction::Block,
    finder: Finder::Own,
    leads: &[],
}]];

/// The user's own rules at one stage.
#[derive(Default)]
pub(super) struct OwnRules {
    words: Option<AhoCorasick>,
    /// First the words', then the patterns'.
    actions: Vec<GuardVerdict>,
    word_texts: Vec<String>,
    patterns: Vec<(Arc<str>, Regex)>,
}

impl OwnRules {
    pub(super) fn new(config: &GuardConfig, stage: Stage) -> Result<Self, GuardError> {
        let at_stage = |input: Option<RuleAction>, output: Option<OutputAction>| {
            let action = match stage {
                Stage::Input => input,
                Stage::Output => output.map(RuleAction::from),
            };
            action.unwrap_or(RuleAction::Redact).verdict()
        };
        let mut actions = Vec::new();
        let mut word_texts = Vec::new();
        for own in &config.words {
            let word = own.word.trim();
            if let Some(action) = at_stage(own.input, own.output)
                && !word.is_empty()
            {
                word_texts.push(word.to_owned());
                actions.push(action);
            }
        }
        let words = if word_texts.is_empty() {
            None
        } else {
            let words = AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(&word_texts)
                .map_err(|error| GuardError::BadPattern {
                    name: "words".to_owned(),
                    reason: super::reason(&error),
                })?;
            Some(words)
        };
        let mut patterns = Vec::new();
        for own in &config.patterns {
            let regex = RegexBuilder::new(&own.pattern)
                .size_limit(LARGEST_PATTERN)
                .dfa_size_limit(LARGEST_PATTERN)
                .build()
                .map_err(|error| GuardError::BadPattern {
                    name: own.name.clone(),
                    reason: super::reason(&error),
                })?;
            if let Some(action) = at_stage(own.input, own.output) {
                patterns.push((own.name.as_str().into(), regex));
                actions.push(action);
            }
        }
        Ok(Self {
            words,
            actions,
            word_texts,
            patterns,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// A phrase leads its own words; a pattern wants whole lines.
    pub(super) fn reach(&self, reach: &mut Reach) {
        for text in &self.word_texts {
            let mut words = text.split_whitespace();
            let first = words.next().unwrap_or_default();
            let more = words.count();
            if more > 0 {
                // Words are looked up by their last letters: `D` of `R&D`.
                let is_letter = |letter: char| letter.is_ascii_alphabetic() || !letter.is_ascii();
                let last = first.trim_end_matches(|letter| !is_letter(letter));
                let last = last.rsplit(|letter| !is_letter(letter)).next();
                match last.filter(|last| !last.is_empty() && last.len() <= 32) {
                    Some(last) => reach.lead(last, u8::try_from(more).unwrap_or(u8::MAX)),
                    None => reach.whole_lines = true,
                }
            }
        }
        reach.whole_lines |= !self.patterns.is_empty();
    }

    pub(super) fn name(&self, number: usize) -> (Arc<str>, Arc<str>) {
        let pattern = number
            .checked_sub(self.word_texts.len())
            .and_then(|pattern| self.patterns.get(pattern));
        match pattern {
            Some((name, _)) => (Arc::clone(name), "CUSTOM".into()),
            None => ("word".into(), "WORD".into()),
        }
    }

    /// Where a word begins that the text ends with or in the middle of: what follows may still
    /// make it one of the user's.
    pub(super) fn open(&self, text: &str) -> Option<usize> {
        let longest = self.word_texts.iter().map(String::len).max()?;
        let from = text.ceil_char_boundary(text.len().saturating_sub(longest));
        let may_begin = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
        let goes_on = |at: usize| {
            let tail = &text.as_bytes()[at..];
            let begins_with_tail = |word: &String| {
                let start = word.as_bytes().get(..tail.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(tail))
            };
            self.word_texts.iter().any(begins_with_tail)
        };
        let places = text[from..].char_indices().map(|(at, _)| from + at);
        places.filter(|at| may_begin(*at)).find(|at| goes_on(*at))
    }

    pub(super) fn find(
        &self,
        text: &str,
        found: &mut dyn FnMut(usize, Range<usize>, GuardVerdict),
    ) {
        if let Some(words) = &self.words {
            // All of them: a longer phrase, or the same word with a milder action, hides none.
            for word in words.find_overlapping_iter(text) {
                let number = word.pattern().as_usize();
                if is_whole(text, &word.range()) {
                    found(number, word.range(), self.actions[number]);
                }
            }
        }
        for (pattern, (_, regex)) in self.patterns.iter().enumerate() {
            let number = self.word_texts.len() + pattern;
            let text = text.trim_end_matches(['\n', '\r']);
            for hit in regex.find_iter(text).filter(|hit| !hit.is_empty()) {
                found(number, hit.range(), self.actions[number]);
            }
        }
    }
}

fn is_whole(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    let goes_on = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    !goes_on(before) && !goes_on(after)
}

#[cfg(test)]
mod tests {
    use crate::guard::{Guard, GuardConfig, GuardVerdict, Stage, verdict};

    #[test]
    fn a_word_that_is_added_hides_none_that_was_there() {
        let rows = [
            // The same word, a phrase around it, and a phrase that is cut short in the text.
            (r#"{"word":"heron","input":"allow"}"#, "a heron"),
            (r#"{"word":"HERON nest","input":"allow"}"#, "a heron nest"),
            (r#"{"word":"heron nest","input":"block"}"#, "a heron nests"),
            (r#"{"word":"a heron","input":"warn"}"#, "is a heron"),
        ];
        for (added, text) in rows {
            let words = format!(r#"{{"words":[{added},{{"word":"heron","input":"block"}}]}}"#);
            let config: GuardConfig = serde_json::from_str(&words).unwrap();
            let found = Guard::new(&config).unwrap().check(Stage::Input, text);
            assert_eq!(verdict(&found), GuardVerdict::Block, "{words}: {text}");
        }
    }

    /// Wherever it stands in a long text without white space, with and without a pattern that
    /// changes where that text is looked at.
    #[test]
    fn a_long_word_is_found_in_a_long_run() {
        let word = "WSmBJUxHvNko5fFgznlKMT1ct1AR38W6y63u";
        for patterns in ["", r#"{"name":"p","pattern":"ignore.*","output":"warn"}"#] {
            let config = format!(r#"{{"words":[{{"word":"{word}"}}],"patterns":[{patterns}]}}"#);
            let config: GuardConfig = serde_json::from_str(&config).unwrap();
            let guard = Guard::new(&config).unwrap();
            for before in 0..200 {
                let text = format!("{}+{word}+{}", "k9Z".repeat(before), "q7".repeat(50));
                let found = guard.check(Stage::Output, &text);
                let is_found = found.iter().any(|it| text[it.span.clone()].contains(word));
                assert!(is_found, "{before} before it, patterns: {patterns:?}");
            }
        }
    }

    #[test]
    fn own_words_patterns_and_limits_are_found() {
        let config: GuardConfig = serde_json::from_str(
            r#"{
                "words": [{"word": "Falcon"}, {"word": "blue heron", "input": "block"}, {"word": "quiet", "input": "off"}],
                "patterns": [{"name": "ticket", "pattern": "T-\\d+ [a-z]+", "input": "warn"}],
                "limits": {"input": 60}
            }"#,
        )
        .unwrap();
        let guard = Guard::new(&config).unwrap();
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("the falcon flies", &[("word", "falcon")]),
            ("falconry is old", &[]),
            ("a Blue Heron here", &[("word", "Blue Heron")]),
            ("blue, heron", &[]),
            ("be quiet", &[]),
            ("see T-12 open now", &[("ticket", "T-12 open")]),
            ("T-12\nopen", &[]),
            ("falcon T-1 x", &[("word", "falcon"), ("ticket", "T-1 x")]),
        ];
        for (text, expected) in cases {
            let found = guard.check(Stage::Input, text);
            let told: Vec<(&str, &str)> = found
                .iter()
                .map(|found| (&*found.rule, &text[found.span.clone()]))
                .collect();
            assert_eq!(&told, expected, "{text:?}");
        }
        let long = "word ".repeat(20);
        let found = guard.check(Stage::Input, &long);
        assert_eq!(found.len(), 1);
        assert_eq!(&*found[0].rule, "size");
        assert_eq!(guard.check(Stage::Output, &long), []);
    }
}
