//! The main window. It shows the page inside the program and goes nowhere else.

use tauri::webview::NewWindowResponse;
use tauri::{App, Url, WebviewUrl, WebviewWindowBuilder};

pub(crate) fn open(app: &App) -> tauri::Result<()> {
    WebviewWindowBuilder::new(app, "main", WebviewUrl::default())
        .title("Weir")
        .inner_size(1200.0, 800.0)
        .min_inner_size(480.0, 400.0)
        // A picture dropped on the page is the page's to take.
        .disable_drag_drop_handler()
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()?;
    Ok(())
}

/// `tauri://localhost`, or its form on Windows.
fn is_own_page(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => true,
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}
