//! What the web view itself opens for a page, outside of the page.
//!
//! Invariant: none of it lies over a confirmation. A script can ask for all of it within seconds
//! of a click anywhere in the page.

use tauri::WebviewWindow;

/// A file chooser takes the turn that confirmations and pickers share, and keeps it until it is
/// closed. Menus and colours stay away while something is asked. Weir prints nothing.
#[cfg(target_os = "linux")]
pub(crate) fn take_turns(window: &WebviewWindow) -> tauri::Result<()> {
    use tauri::Manager;
    use webkit2gtk::glib::object::ObjectExt;
    use webkit2gtk::{ColorChooserRequestExt, FileChooserRequestExt, WebViewExt};

    use crate::confirm::Confirmations;

    let app = window.app_handle().clone();
    let is_asking = move || app.state::<Confirmations>().is_asking();
    let app = window.app_handle().clone();
    window.with_webview(move |view| {
        let view = view.inner();
        view.connect_print(|_, _| true);
        view.connect_run_file_chooser(move |_, request| {
            match app.state::<Confirmations>().try_turn() {
                Ok(turn) => {
                    // The chooser keeps the request for as long as it is open.
                    request.add_weak_ref_notify_local(move || drop(turn));
                    false
                }
                Err(_) => {
                    request.cancel();
                    true
                }
            }
        });
        let asking = is_asking.clone();
        view.connect_run_color_chooser(move |_, request| {
            let is_refused = asking();
            if is_refused {
                request.cancel();
            }
            is_refused
        });
        let asking = is_asking.clone();
        view.connect_show_option_menu(move |_, _, _, _| asking());
        view.connect_context_menu(move |_, _, _, _| is_asking());
    })
}

/// Other systems show what a page opens as a sheet of its own window.
#[cfg(not(target_os = "linux"))]
pub(crate) fn take_turns(_: &WebviewWindow) -> tauri::Result<()> {
    Ok(())
}
