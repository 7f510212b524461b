//! A key that can be recognised anywhere and is worth nothing.

use std::path::Path;

use uuid::Uuid;

use crate::files;

/// Shaped like a provider's key, but made at run time: no file of the project holds one.
pub struct Canary {
    key: String,
}

impl Canary {
    pub fn new() -> Self {
        let parts = [Uuid::new_v4().simple(), Uuid::new_v4().simple()];
        let random: String = parts.iter().map(ToString::to_string).collect();
        let prefix = ["sk", "ant", "api03"].join("-");
        Self {
            key: format!("{prefix}-{random}"),
        }
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// The part that no mask of the program's could leave standing by right.
    fn needles(&self) -> [Vec<u8>; 3] {
        let middle = &self.key[14..46];
        let wide = middle.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let reversed = middle.bytes().rev().collect();
        [middle.as_bytes().to_vec(), wide, reversed]
    }

    pub fn check_absent_from_text(&self, what: &str, text: &str) {
        for needle in self.needles() {
            assert!(
                !files::contains(text.as_bytes(), &needle),
                "{what} shows the key: {text}"
            );
        }
    }

    pub fn check_absent_below(&self, folder: &Path) {
        assert!(
            !files::below(folder).is_empty(),
            "nothing to search in {}",
            folder.display()
        );
        for needle in self.needles() {
            let holding = files::holding(folder, &needle);
            assert!(holding.is_empty(), "the key is in {holding:?}");
        }
    }
}

impl Default for Canary {
    fn default() -> Self {
        Self::new()
    }
}
