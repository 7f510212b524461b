//! Where the user's data lives.

use std::path::PathBuf;

/// The folder asked for, else `WEIR_DATA_DIR`, else the platform's place for such things.
pub fn data_folder(asked: Option<PathBuf>) -> Option<PathBuf> {
    asked
        .or_else(|| {
            std::env::var_os("WEIR_DATA_DIR")
                .filter(|folder| !folder.is_empty())
                .map(PathBuf::from)
        })
        .or_else(|| {
            directories::ProjectDirs::from("app", "Weir", "Weir")
                .map(|folders| folders.data_dir().to_owned())
        })
}
