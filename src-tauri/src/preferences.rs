//! How the window looks: kept beside the data, never with it.

use std::path::Path;
use std::sync::Arc;

use tauri::{AppHandle, Manager, Wry};
use tauri_plugin_store::{Store, StoreExt};
use weir_core::private;
use weir_protocol::{ErrorBody, Theme, code};

const FILE: &str = "preferences.json";
const THEME: &str = "theme";

/// Tauri writes these files by their path, with whatever rights they have: they exist, closed to
/// others, before it does. WebKit's are in folders of the window's own, which are closed as a whole.
pub(crate) fn keep_private(app: &AppHandle, folder: Option<&Path>) {
    let own = [app.path().app_config_dir(), app.path().app_local_data_dir()];
    for folder in own.into_iter().flatten() {
        let closed =
            private::create_folder(&folder).and_then(|()| private::tighten_folder(&folder));
        if !matches!(closed, Ok(Ok(()))) {
            tracing::warn!(?closed, path = %folder.display(), "others may look into a folder");
        }
    }
    let preferences = folder.map(|folder| folder.join(FILE));
    let config = app.path().app_config_dir().ok();
    let places = config.map(|folder| folder.join(tauri_plugin_window_state::DEFAULT_FILENAME));
    for path in preferences.into_iter().chain(places) {
        if let Err(error) = private::ensure(&path, b"{}") {
            tracing::warn!(%error, path = %path.display(), "others may read a file");
        }
    }
}

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
