//! Saving what is left of a database that was deleted or replaced, where the user says.
//!
//! The page can only ask for it: the file is chosen in the system's own dialog, one at a time.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;
use weir_core::store::Store;
use weir_protocol::{ErrorBody, code};

/// Whether a dialog is open.
static ASKING: AtomicBool = AtomicBool::new(false);

/// Says where the copy is; `None` when the user chose no file.
pub(crate) async fn save_copy(app: &AppHandle, store: &Store) -> Result<Option<String>, ErrorBody> {
    if store.look_after().await.is_ok() {
        let message = "The database is where it should be; weir backup copies it.";
        return Err(ErrorBody::new(code::BAD_INPUT, message));
    }
    if ASKING.swap(true, Ordering::Relaxed) {
        let message = "You are asked already where to save the copy.";
        return Err(ErrorBody::new(code::BUSY, message));
    }
    let chosen = choose_file(app).await;
    ASKING.store(false, Ordering::Relaxed);
    let Some(path) = chosen else {
        return Ok(None);
    };
    let rescued = store.rescue(Some(&path)).await;
    let rescued = rescued.map_err(|error| error.body())?;
    Ok(Some(rescued.sentence()))
}

async fn choose_file(app: &AppHandle) -> Option<PathBuf> {
    let (answer, answered) = oneshot::channel();
    let dialog = app.dialog().file().set_title("Save a copy");
    let dialog = dialog.set_file_name("weir-rescued.db");
    dialog.save_file(move |file| {
        // Nobody waits any more when the program is closing.
        let _ = answer.send(file);
    });
    answered.await.ok().flatten()?.into_path().ok()
}
