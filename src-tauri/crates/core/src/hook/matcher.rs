//! Which hooks of a point run: a list of names, or a regular expression.

use regex::Regex;

use crate::tool::visible;

#[derive(Clone, Debug)]
pub(super) enum Matcher {
    All,
    /// Exactly one of these.
    Names(Vec<String>),
    /// Anywhere in the name.
    Pattern(Regex),
    /// No regular expression; why not.
    Broken(String),
}

impl Matcher {
    pub(super) fn read(text: &str) -> Self {
        if matches!(text.trim(), "" | "*") {
            return Self::All;
        }
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-,| ".contains(letter);
        if text.chars().all(plain) {
            let names = text.split([',', '|']).map(str::trim);
            let names = names.filter(|name| !name.is_empty()).map(str::to_owned);
            let names: Vec<String> = names.collect();
            // Separators alone name nothing in particular.
            return if names.is_empty() {
                Self::All
            } else {
                Self::Names(names)
            };
        }
        match Regex::new(text) {
            Ok(pattern) => Self::Pattern(pattern),
            Err(_) => {
                let text = visible::short(text);
                Self::Broken(format!("its matcher {text} is no regular expression"))
            }
        }
    }

    /// Nobody knows what a broken one was to match, so it matches all.
    pub(super) fn matches(&self, subjects: &[&str]) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => subjects
                .iter()
                .any(|subject| names.iter().any(|name| name == subject)),
            Self::Pattern(pattern) => subjects.iter().any(|subject| pattern.is_match(subject)),
            Self::Broken(_) => true,
        }
    }

    /// Why it matches nothing that anybody could know.
    pub(super) fn broken(&self) -> Option<String> {
        match self {
            Self::Broken(why) => Some(why.clone()),
            Self::All | Self::Names(_) | Self::Pattern(_) => None,
        }
    }
}
