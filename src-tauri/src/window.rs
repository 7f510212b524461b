//! The main window. It shows the page inside the program and goes nowhere else.

use tauri::webview::NewWindowResponse;
use tauri::{App, Manager, Url, WebviewUrl, WebviewWindowBuilder, WindowEvent};

use crate::confirm::Confirmations;

pub(crate) const MAIN: &str = "main";

pub(crate) fn open(app: &App) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Weir")
        .inner_size(1200.0, 800.0)
        .min_inner_size(480.0, 400.0)
        // A picture dropped on the page is the page's to take.
        .disable_drag_drop_handler()
        .proxy_url(no_network()?)
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()?;
    crate::native::take_turns(&window)?;
    let app = app.handle().clone();
    window.on_window_event(move |event| {
        if matches!(event, WindowEvent::Destroyed) {
            // Nobody is left to ask, and an open confirmation would keep the program running.
            app.state::<Confirmations>().close();
        }
    });
    Ok(())
}

/// A proxy that nobody runs. Pages come from inside the program and need no network; the content
/// policy does not cover everything that opens a connection (`preconnect` does), a proxy does.
pub(crate) fn no_network() -> tauri::Result<Url> {
    Url::parse("http://127.0.0.1:9").map_err(tauri::Error::InvalidUrl)
}

/// `tauri://localhost`, or its form on Windows.
fn is_own_page(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => true,
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}
