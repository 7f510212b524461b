//! What goes with a prompt: `--image FILE` and `--file FILE`.
//!
//! What a file is, its bytes say, never its name. Pictures go as pictures; text becomes a part of
//! the prompt, under the file's name; anything else is refused before anything is sent. Reads no
//! more of a file than could be sent, and only real files: a pipe could keep it waiting.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use weir_core::guard;
use weir_core::tool::visible;
use weir_protocol::Image;

use crate::Failure;

/// More than any picture that can be sent, and than any prompt.
const LARGEST: u64 = 8 * 1024 * 1024;

/// A prompt with its files.
pub(crate) struct Attached {
    pub(crate) text: String,
    pub(crate) images: Vec<Image>,
}

pub(crate) fn attach(
    mut text: String,
    pictures: &[PathBuf],
    files: &[PathBuf],
) -> Result<Attached, Failure> {
    let mut images = Vec::new();
    for path in pictures {
        let bytes = read(path)?;
        images.push(picture(path, &bytes)?);
    }
    for path in files {
        let bytes = read(path)?;
        if is_picture(&bytes) {
            images.push(picture(path, &bytes)?);
        } else {
            let content = words(path, bytes)?;
            text.push_str(&section(&name(path), &content));
        }
    }
    Ok(Attached { text, images })
}

/// The JSON Schema that a file holds.
pub(crate) fn schema(path: &Path) -> Result<Value, Failure> {
    let bytes = read(path)?;
    let schema: Option<Value> = serde_json::from_slice(&bytes).ok();
    schema.filter(Value::is_object).ok_or_else(|| {
        Failure::usage(format!(
            "{} is no JSON Schema: it has to hold one JSON object.",
            name(path)
        ))
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let unread = |error: std::io::Error| {
        let message = format!("{} could not be read: {error}.", name(path));
        Failure::failed("io", message)
    };
    // Looked at before it is opened: opening a pipe would wait for its other end.
    if !std::fs::metadata(path).map_err(unread)?.is_file() {
        let message = format!("{} is no file that can be sent.", name(path));
        return Err(Failure::usage(message));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unread)?;
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(unread)?;
    if bytes.len() as u64 > LARGEST {
        let message = format!("{} is larger than anything Weir sends.", name(path));
        return Err(Failure::usage(message));
    }
    Ok(bytes)
}

fn encoded(bytes: &[u8]) -> Image {
    Image {
        media_type: String::new(),
        data: STANDARD.encode(bytes),
    }
}

fn is_picture(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(48)];
    guard::check_images(&mut [encoded(start)]).is_ok()
}

fn picture(path: &Path, bytes: &[u8]) -> Result<Image, Failure> {
    let mut images = [encoded(bytes)];
    guard::check_images(&mut images)
        .map_err(|error| Failure::usage(format!("{} cannot be sent: {error}", name(path))))?;
    let [image] = images;
    Ok(image)
}

fn words(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    let refuse = |why: &str| Failure::usage(format!("{} cannot be sent: {why}", name(path)));
    if bytes.starts_with(b"%PDF-") {
        return Err(refuse(
            "Weir sends no PDF files. Save its text and send that.",
        ));
    }
    if bytes.len() > guard::LONGEST_PROMPT {
        return Err(refuse(
            "it is longer than a prompt may be. Send a part of it.",
        ));
    }
    let neither = "it is neither UTF-8 text nor a PNG, JPEG, GIF or WebP picture.";
    if bytes.contains(&0) {
        return Err(refuse(neither));
    }
    let text = String::from_utf8(bytes).map_err(|_| refuse(neither))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// The last part of its path, with everything in it spelled out that hides or reorders.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    visible::line(&name.to_string_lossy())
}

/// A file in a prompt: its name, and its text in a fence that nothing inside of it closes.
fn section(name: &str, content: &str) -> String {
    let runs = content.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    let end = if content.ends_with('\n') || content.is_empty() {
        ""
    } else {
        "\n"
    };
    format!("\n\n{name}:\n{fence}\n{content}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cannot_close_its_own_fence() {
        let said = section("a.md", "x\n````\ny");
        assert_eq!(said, "\n\na.md:\n`````\nx\n````\ny\n`````\n");
        assert_eq!(section("empty", ""), "\n\nempty:\n```\n```\n");
    }

    #[test]
    fn a_name_hides_nothing() {
        let shown = name(Path::new("/a/b\u{202e}gpj.exe\n"));
        assert!(!shown.contains(['\u{202e}', '\n']), "{shown:?}");
        assert!(!shown.contains('/'), "{shown:?}");
    }
}
