//! `read_file`: lines of a text file, with their numbers.

use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{FileError, Folder, Job};
use crate::tool::{UNFINISHED_LINE, visible};

pub(super) const DESCRIPTION: &str = "Reads a text file of the project. Answers its lines, each \
with its number and a tab before it. Reads up to 2000 lines at a time: use offset to go on.";

const MOST_LINES: usize = 2_000;
pub(super) const LONGEST_LINE: usize = 2_000;
pub(super) const LONGEST_CHECKED_LINE: usize = 64 * 1024;
/// How much one answer holds.
const MOST_OUT: usize = 128 * 1024;
/// How far into a file lines are looked for.
const MOST_IN: u64 = 32 * 1024 * 1024;
/// How much of a file shows whether it is text.
const SNIFFED: usize = 8 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    path: String,
    #[serde(default)]
    offset: Option<usize>,
    #[serde(default)]
    limit: Option<usize>,
}

pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "From the project folder on, with /."},
            "offset": {"type": "integer", "minimum": 1, "description": "The first line to read; 1 by default."},
            "limit": {"type": "integer", "minimum": 1, "description": "How many lines to read; 2000 by default and at most."},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

pub(super) fn run(folder: &Folder, input: Input) -> Result<String, FileError> {
    let place = folder.resolve(Job::Read, &input.path)?;
    let file = folder.root.file(&place)?;
    let bytes = file.metadata().map_or(0, |found| found.len());
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(MOST_IN));
    let start = reader
        .fill_buf()
        .map_err(|error| FileError::io(&place, &error))?;
    if is_binary(start) {
        let path = visible::line(&place.name());
        return Err(FileError::Binary { path, bytes });
    }
    if start.is_empty() {
        return Ok("[The file is empty.]".into());
    }
    let first = input.offset.unwrap_or(1).max(1);
    let limit = input.limit.unwrap_or(MOST_LINES).clamp(1, MOST_LINES);
    let mut out = String::new();
    let mut number = 0;
    let mut line = Vec::new();
    let mut shown = 0;
    let more = loop {
        line.clear();
        let read = reader
            .read_until(b'\n', &mut line)
            .map_err(|error| FileError::io(&place, &error))?;
        if read == 0 {
            break false;
        }
        number += 1;
        if number < first {
            continue;
        }
        if shown == limit || out.len() >= MOST_OUT {
            break true;
        }
        shown += 1;
        let text = match number {
            1 => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line),
            _ => &line,
        };
        out.push_str(&format!("{number}\t{}\n", line_text(text)));
    };
    let next = first + shown;
    if shown == 0 {
        out.push_str(&format!(
            "[The file has {number} lines; there is no line {first}.]"
        ));
    } else if more {
        out.push_str(&format!("[There is more. Go on with offset {next}.]"));
    } else if bytes > MOST_IN {
        out.push_str(&format!(
            "[The file has {bytes} bytes; only its first {MOST_IN} can be read.]"
        ));
    }
    Ok(out)
}

/// A line without its end, in characters. What is longer than any line of text is no use to
/// anybody; the rest is cut once it has been checked. A line that ends here already is marked, so
/// that nobody is shown this end of it.
pub(super) fn line_text(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.get(..LONGEST_CHECKED_LINE) {
        Some(start) if start.len() < line.len() => {
            String::from_utf8_lossy(start).into_owned() + UNFINISHED_LINE
        }
        Some(_) | None => String::from_utf8_lossy(line).into_owned(),
    }
}

pub(super) fn is_binary(start: &[u8]) -> bool {
    start.iter().take(SNIFFED).any(|byte| *byte == 0)
}
