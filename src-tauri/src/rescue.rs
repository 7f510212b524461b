//! Saving what is left of a database that was deleted or replaced, where the user says.
//!
//! The page can only ask for it: the file is chosen in the system's own dialog, one at a time.

use tauri::AppHandle;
use weir_core::store::Store;
use weir_protocol::{ErrorBody, code};

use crate::confirm::choose_file;

/// Says where the copy is; `None` when the user chose no file.
pub(crate) async fn save_copy(app: &AppHandle, store: &Store) -> Result<Option<String>, ErrorBody> {
    if store.look_after().await.is_ok() {
        let message = "The database is where it should be; weir backup copies it.";
        return Err(ErrorBody::new(code::BAD_INPUT, message));
    }
    let Some(path) = choose_file(app, "Save a copy", "weir-rescued.db").await? else {
        return Ok(None);
    };
    let rescued = store.rescue(Some(&path)).await;
    let rescued = rescued.map_err(|error| error.body())?;
    Ok(Some(rescued.sentence()))
}
