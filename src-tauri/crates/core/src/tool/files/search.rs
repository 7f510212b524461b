//! `search_text`: lines that match, with file and number.
//!
//! Each line is searched once, by an engine whose time is linear in the text whatever the
//! pattern is; no pattern can make a search hang.

use std::io::Read;

use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::read::{is_binary, line_text};
use super::walk::{Next, walk};
use super::{FileError, Folder, Job, Stop};
use crate::tool::root::ResolvedPath;
use crate::tool::visible;

pub(super) const DESCRIPTION: &str = "Searches the text files of the project for a regular \
expression, line by line. Answers path:line:text. What .gitignore names is left out.";

const MOST_MATCHES: usize = 200;
const MOST_OUT: usize = 64 * 1024;
/// Before its long lines are cut. A result is checked whole, and what is longer than a turn checks
/// of one would be cut in the middle of a line.
const MOST_UNCUT: usize = 512 * 1024;
pub(super) const LONGEST_LINE: usize = 300;
const LARGEST_FILE: u64 = 8 * 1024 * 1024;
const MOST_IN: u64 = 512 * 1024 * 1024;
const LONGEST_PATTERN: usize = 1_000;
/// Memory for the compiled pattern.
const LARGEST_PATTERN: usize = 2 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    pattern: String,
    #[serde(default)]
    literal: Option<bool>,
    #[serde(default)]
    ignore_case: Option<bool>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    glob: Option<String>,
}

pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "A regular expression, without look-around and back references."},
            "literal": {"type": "boolean", "description": "Search for the pattern as plain text."},
            "ignore_case": {"type": "boolean"},
            "path": {"type": "string", "description": "A file or folder, from the project folder on; the project folder by default."},
            "glob": {"type": "string", "description": "Only files that match, such as *.rs or src/**/*.ts."},
        },
        "required": ["pattern"],
        "additionalProperties": false,
    })
}

pub(super) fn run(folder: &Folder, input: Input, stop: &Stop) -> Result<String, FileError> {
    let pattern = compile(&input)?;
    let glob = input.glob.as_deref().map(file_glob).transpose()?;
    let from = folder.resolve(Job::Search, input.path.as_deref().unwrap_or("."))?;
    let mut search = Search {
        folder,
        pattern,
        out: String::new(),
        length: 0,
        matches: 0,
        bytes: 0,
        too_large: 0,
    };
    let left_out = walk(folder, &from, stop, |place| {
        if glob.as_ref().is_none_or(|glob| glob.is_match(place.name())) {
            search.file(place, stop)?;
        }
        Ok(if search.is_full() {
            Next::Enough
        } else {
            Next::GoOn
        })
    })?;
    let full = search.is_full();
    let mut out = search.out;
    if search.matches == 0 {
        out.push_str("[Nothing matches.]\n");
    }
    if full || left_out.cut {
        out.push_str("[There may be more: the search ended early. Narrow it with path or glob.]\n");
    }
    if search.too_large > 0 {
        let count = search.too_large;
        out.push_str(&format!(
            "[{count} files are too large and were left out.]\n"
        ));
    }
    if left_out.held_back > 0 {
        let count = left_out.held_back;
        out.push_str(&format!(
            "[{count} files were left out by a rule or because they look like they hold secrets.]\n"
        ));
    }
    Ok(out)
}

fn compile(input: &Input) -> Result<Regex, FileError> {
    if input.pattern.is_empty() || input.pattern.len() > LONGEST_PATTERN {
        return Err(FileError::Input(format!(
            "the pattern has to have 1 to {LONGEST_PATTERN} bytes"
        )));
    }
    let pattern = if input.literal.unwrap_or_default() {
        regex::escape(&input.pattern)
    } else {
        input.pattern.clone()
    };
    RegexBuilder::new(&pattern)
        .case_insensitive(input.ignore_case.unwrap_or_default())
        .size_limit(LARGEST_PATTERN)
        .dfa_size_limit(LARGEST_PATTERN)
        .build()
        .map_err(|error| {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            FileError::Input(format!(
                "the pattern cannot be used ({})",
                last.trim_start_matches("error: ").trim_end_matches('.')
            ))
        })
}

/// A pattern without a slash matches a name at any depth.
fn file_glob(glob: &str) -> Result<GlobMatcher, FileError> {
    let plain = glob.trim_start_matches("./").trim_start_matches('/');
    let glob = if plain.contains('/') {
        plain.to_owned()
    } else {
        format!("**/{plain}")
    };
    let built = GlobBuilder::new(&glob).literal_separator(true).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|error| FileError::Input(format!("the glob cannot be used ({})", error.kind())))
}

struct Search<'a> {
    folder: &'a Folder,
    pattern: Regex,
    out: String,
    /// What is left of `out` once its long lines are cut.
    length: usize,
    matches: usize,
    bytes: u64,
    too_large: usize,
}

impl Search<'_> {
    fn is_full(&self) -> bool {
        self.matches >= MOST_MATCHES
            || self.length >= MOST_OUT
            || self.out.len() >= MOST_UNCUT
            || self.bytes >= MOST_IN
    }

    fn file(&mut self, place: &ResolvedPath, stop: &Stop) -> Result<(), FileError> {
        // What cannot be read, or has become something else, has no lines.
        let Ok(file) = self.folder.root.file(place) else {
            return Ok(());
        };
        let length = file.metadata().map_or(0, |found| found.len());
        if length > LARGEST_FILE {
            self.too_large += 1;
            return Ok(());
        }
        let mut text = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        if file.take(LARGEST_FILE).read_to_end(&mut text).is_err() || is_binary(&text) {
            return Ok(());
        }
        self.bytes += text.len() as u64;
        stop.check()?;
        let name = visible::line(&place.name());
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !self.pattern.is_match(line) {
                continue;
            }
            let shown = line_text(line);
            self.length += shown.len().min(LONGEST_LINE);
            self.out.push_str(&format!("{name}:{number}:{shown}\n"));
            self.matches += 1;
            if self.is_full() {
                break;
            }
        }
        Ok(())
    }
}
