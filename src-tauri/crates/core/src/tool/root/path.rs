//! A path as text, before anything is asked of the disk.

use std::path::PathBuf;

use super::PathError;
use crate::tool::visible;

const LONGEST_PATH: usize = 4_096;

/// The path from the root on, of plain names only. The same forms are refused on every system,
/// so that a conversation means the same wherever it goes on.
pub(super) fn relative(text: &str) -> Result<PathBuf, PathError> {
    let shown = || visible::line(text);
    if text.len() > LONGEST_PATH {
        return Err(PathError::TooLong);
    }
    if text.chars().any(char::is_control) {
        return Err(PathError::Control);
    }
    if text.trim().is_empty() {
        return Err(PathError::Empty);
    }
    if text.starts_with(['/', '\\']) || has_drive(text) {
        return Err(PathError::Absolute(shown()));
    }
    if text.split(['/', '\\']).any(|part| part.trim_end() == "..") {
        return Err(PathError::Parent(shown()));
    }
    if text.contains('\\') {
        return Err(PathError::Backslash(shown()));
    }
    let names = text
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".");
    let path: PathBuf = names.clone().collect();
    if cfg!(windows) && names.clone().any(is_windows_device) {
        return Err(PathError::Device(shown()));
    }
    Ok(path)
}

/// `C:\x`, `c:x`, and what comes after a file's name on Windows (`name:stream`) alike.
fn has_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    drive || (cfg!(windows) && text.contains(':'))
}

/// Names that open a device in every folder, whatever their ending.
fn is_windows_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    let stem = stem.to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|port| {
        stem.strip_prefix(port)
            .is_some_and(|rest| rest.chars().count() == 1 && rest != "0")
    });
    numbered
        || matches!(
            stem.as_str(),
            "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
        )
}

#[cfg(test)]
mod tests {
    use super::is_windows_device;

    #[test]
    fn knows_the_devices_of_windows() {
        for name in [
            "con",
            "NUL",
            "nul.txt",
            "Com1",
            "lpt9.tar.gz",
            "aux ",
            "CONIN$",
            "com²",
        ] {
            assert!(is_windows_device(name), "{name}");
        }
        for name in [
            "console",
            "null",
            "com10",
            "com0",
            "comma",
            "auxiliary.rs",
            "a.con",
        ] {
            assert!(!is_windows_device(name), "{name}");
        }
    }
}
