//! The window over the engine: one page, a fixed list of commands, one stream of frames.
//!
//! The page is untrusted: it can ask for what a user could click. What leads out of the
//! program, loosens a check or cannot be undone is confirmed in a window of its own, which the
//! page can neither read nor script.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod commands;
mod confirm;
mod limits;
mod native;
mod preferences;
mod rescue;
mod stream;
mod window;

use std::sync::Arc;

use tauri::Manager;
use weir_core::app::App;
use weir_core::secret::SystemKeychain;
use weir_protocol::{ErrorBody, Notice, code};

use confirm::Confirmations;
use limits::RateLimit;
use preferences::Preferences;
use stream::Stream;

/// What every command can reach. A start that failed keeps its reason, for the page to show.
struct Weir {
    engine: Result<Engine, ErrorBody>,
    preferences: Preferences,
    deletions: RateLimit,
    forgettings: RateLimit,
    forks: RateLimit,
}

struct Engine {
    app: Arc<App>,
    stream: Stream,
    notices: Vec<Notice>,
}

impl Weir {
    fn engine(&self) -> Result<&Engine, ErrorBody> {
        self.engine.as_ref().map_err(Clone::clone)
    }
}

fn main() -> Result<(), tauri::Error> {
    let begun = weir_core::startup::begin();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("WEIR_LOG"))
        .with_writer(std::io::stderr)
        .init();
    if let Err(error) = begun {
        tracing::warn!(%error, "a crash may leave a copy of memory on the disk");
    }
    tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .plugin(tauri_plugin_store::Builder::default().build())
        .plugin(
            tauri_plugin_window_state::Builder::default()
                .with_filter(|label| label == window::MAIN)
                .build(),
        )
        .register_uri_scheme_protocol(confirm::SCHEME, confirm::serve)
        .setup(|app| {
            let folder = weir_core::folder::data_folder(None);
            let preferences = Preferences::open(app.handle(), folder.as_deref());
            let engine = tauri::async_runtime::block_on(start(folder.clone()));
            preferences::keep_private(app.handle(), folder.as_deref());
            app.manage(Weir {
                engine,
                preferences,
                deletions: RateLimit::new(limits::A_FEW),
                forgettings: RateLimit::new(limits::A_FEW_AN_HOUR),
                forks: RateLimit::new(limits::A_FEW),
            });
            app.manage(Confirmations::default());
            window::open(app)?;
            Ok(())
        })
        .invoke_handler(limits::checked(tauri::generate_handler![
            commands::start,
            commands::open_session,
            commands::events_since,
            commands::events_before,
            commands::send_prompt,
            commands::edit_prompt,
            commands::ask_again,
            commands::choose_model,
            commands::choose_branch,
            commands::fork_session,
            commands::show_original,
            commands::stop_turn,
            commands::decide_permission,
            commands::rename_session,
            commands::delete_session,
            commands::restore_session,
            commands::change_settings,
            commands::guards,
            commands::change_guards,
            commands::try_guards,
            commands::set_key,
            commands::delete_key,
            commands::list_models,
            commands::find_sources,
            commands::usage,
            commands::go_over_budget,
            commands::open_link,
            commands::projects,
            commands::open_project,
            commands::session_project,
            commands::trust_project,
            commands::hooks,
            commands::try_hook,
            commands::memories,
            commands::memories_by_id,
            commands::switch_memory,
            commands::edit_memory,
            commands::forget_memories,
            commands::save_copy,
            commands::answer_confirmation,
        ]))
        .build(tauri::generate_context!())?
        .run(|app, event| {
            if matches!(event, tauri::RunEvent::Exit) {
                weir_core::hook::end_all();
                if let Ok(Engine { app, .. }) = app.state::<Weir>().engine() {
                    tauri::async_runtime::block_on(close(app));
                }
            }
        });
    Ok(())
}

/// Finishes what is still to be remembered or sealed, however slow the machine is: everything that
/// closing does ends by itself, and a silent keychain is given up there. All that was shown is
/// durable already.
async fn close(app: &App) {
    app.close().await;
}

async fn start(folder: Option<std::path::PathBuf>) -> Result<Engine, ErrorBody> {
    let folder = folder.ok_or_else(|| {
        ErrorBody::new(
            code::STORAGE,
            "This system has no home folder. Say where to keep data with WEIR_DATA_DIR.",
        )
    })?;
    let (app, notices) = App::open(folder, Arc::new(SystemKeychain))
        .await
        .map_err(|error| error.body())?;
    let stream = Stream::start(Arc::clone(&app));
    // A turn that is cut off here is one that the next start finds interrupted.
    let ending = Arc::clone(&app);
    weir_core::hook::end_with_weir(move || {
        let app = Arc::clone(&ending);
        Box::pin(async move { close(&app).await })
    });
    app.check_in_background();
    Ok(Engine {
        app,
        stream,
        notices,
    })
}
