//! The system's own pickers, for a folder or a file.
//!
//! Invariant: none is open together with a confirmation, which it could cover. They take the same
//! turn; who finds it taken is refused, since a picker that opens by itself later would be no
//! answer to what the user clicked.

use std::path::PathBuf;

use tauri::{AppHandle, Manager};
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder, FilePath};
use tokio::sync::oneshot;
use weir_protocol::ErrorBody;

use super::Confirmations;

/// `None` when the user chose nothing.
pub(crate) async fn choose_folder(app: &AppHandle) -> Result<Option<PathBuf>, ErrorBody> {
    let _turn = app.state::<Confirmations>().try_turn()?;
    let (answer, answered) = oneshot::channel();
    dialog(app).pick_folder(move |folder| {
        // Nobody waits any more when the program is closing.
        let _ = answer.send(folder);
    });
    Ok(chosen(app, answered).await)
}

/// `None` when the user chose no file.
pub(crate) async fn choose_file(
    app: &AppHandle,
    title: &'static str,
    name: &'static str,
) -> Result<Option<PathBuf>, ErrorBody> {
    let _turn = app.state::<Confirmations>().try_turn()?;
    let (answer, answered) = oneshot::channel();
    let dialog = dialog(app).set_title(title).set_file_name(name);
    dialog.save_file(move |file| {
        // Nobody waits any more when the program is closing.
        let _ = answer.send(file);
    });
    Ok(chosen(app, answered).await)
}

fn dialog(app: &AppHandle) -> FileDialogBuilder<tauri::Wry> {
    let dialog = app.dialog().file();
    match app.get_webview_window(crate::window::MAIN) {
        Some(main) => dialog.set_parent(&main),
        None => dialog,
    }
}

async fn chosen(app: &AppHandle, answered: oneshot::Receiver<Option<FilePath>>) -> Option<PathBuf> {
    let chosen = answered.await.ok().flatten();
    if chosen.is_none() {
        app.state::<Confirmations>().count_decline();
    }
    chosen?.into_path().ok()
}
