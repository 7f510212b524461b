//! Searching what a program has written.

use std::path::{Path, PathBuf};

/// Every regular file below `folder`; links are not followed.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                Ok(_) | Err(_) => {}
            }
        }
    }
    files.sort();
    files
}

/// The files below `folder` that hold `needle` anywhere.
pub fn holding(folder: &Path, needle: &[u8]) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| {
        // A file that goes away while it is looked for holds nothing.
        let bytes = std::fs::read(path).unwrap_or_default();
        contains(&bytes, needle)
    };
    below(folder).into_iter().filter(holds).collect()
}

pub fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}
