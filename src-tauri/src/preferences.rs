//! How the window looks: kept beside the data, never with it.

use std::path::Path;
use std::sync::Arc;

use tauri::{AppHandle, Wry};
use tauri_plugin_store::{Store, StoreExt};
use weir_protocol::{ErrorBody, Theme, code};

const FILE: &str = "preferences.json";
const THEME: &str = "theme";

/// Absent when its file cannot be used; the window then looks as it does by default.
pub(crate) struct Preferences(Option<Arc<Store<Wry>>>);

impl Preferences {
    pub(crate) fn open(app: &AppHandle, folder: Option<&Path>) -> Self {
        let path = folder.map_or_else(|| FILE.into(), |folder| folder.join(FILE));
        match app.store(path) {
            Ok(store) => Self(Some(store)),
            Err(error) => {
                tracing::warn!(%error, "preferences cannot be kept");
                Self(None)
            }
        }
    }

    pub(crate) fn theme(&self) -> Theme {
        self.0
            .as_ref()
            .and_then(|store| store.get(THEME))
            .and_then(|value| serde_json::from_value(value).ok())
            .unwrap_or_default()
    }

    pub(crate) fn set_theme(&self, theme: Theme) -> Result<(), ErrorBody> {
        let failed = |reason: String| {
            ErrorBody::new(
                code::STORAGE,
                format!("The theme could not be kept: {reason}."),
            )
        };
        let store = self
            .0
            .as_ref()
            .ok_or_else(|| failed("the data folder cannot be used".into()))?;
        let value = serde_json::to_value(theme).map_err(|error| failed(error.to_string()))?;
        store.set(THEME, value);
        store.save().map_err(|error| failed(error.to_string()))
    }
}
