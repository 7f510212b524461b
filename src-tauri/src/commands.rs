//! What the page may ask. The list is fixed in `build.rs` and granted in `capabilities/`; a test
//! holds the three together.
//!
//! The page is untrusted, so every command says, in a line that begins with `From the page:`, why
//! a script in the page may call it, or what stands in its way: a confirmation in a window of its
//! own, or a limit. The size of what each may be given is in [`crate::limits`].

use std::path::PathBuf;
use std::sync::Arc;

use tauri::ipc::Channel;
use tauri::{AppHandle, State, Webview};
use uuid::Uuid;
use weir_core::app::{App, AppError, Prompt};
use weir_protocol::{
    ConfirmationAnswer, Decision, DecisionScope, ErrorBody, Forget, Forgotten, FoundSource, Frame,
    GuardChoice, GuardConfig, GuardSettings, GuardStage, GuardTrial, HookSummary, HookTrial, Image,
    Memory, MemoryList, MemorySwitch, NewSession, Notice, Page, ProjectSummary, SessionChange,
    SessionSummary, Settings, SettingsChange, Shown, Snapshot, Startup, UsageReport, code,
};

use crate::confirm::{self, Confirmations};
use crate::{Weir, rescue};

type Answer<T> = Result<T, ErrorBody>;

fn body(error: AppError) -> ErrorBody {
    error.body()
}

/// From the page: only reads, what the page shows anyway.
#[tauri::command]
pub(crate) async fn start(weir: State<'_, Weir>, channel: Channel<Frame>) -> Answer<Startup> {
    let engine = weir.engine()?;
    let store = engine.app.store();
    let lost = store.look_after().await.err().map(|error| error.body());
    let settings = settings(&weir).await;
    let settings = settings.map_err(|error| lost.clone().unwrap_or(error))?;
    let sessions = match store.sessions().await {
        // What is left of it may not be readable, and can be saved from here all the same.
        Err(_) if lost.is_some() => Vec::new(),
        sessions => sessions.map_err(|error| error.body())?,
    };
    let mut notices = engine.notices.clone();
    notices.extend(lost.map(|ErrorBody { code, message, .. }| Notice { code, message }));
    engine.stream.attach(channel, sessions.clone());
    Ok(Startup {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings,
        sessions,
        notices,
    })
}

/// From the page: only reads, what the page shows anyway.
#[tauri::command]
pub(crate) async fn open_session(weir: State<'_, Weir>, id: Uuid) -> Answer<Snapshot> {
    weir.engine()?.stream.open(id).await
}

/// From the page: only reads, what the page shows anyway.
#[tauri::command]
pub(crate) async fn events_since(
    weir: State<'_, Weir>,
    id: Uuid,
    since: u64,
) -> Answer<Vec<Shown>> {
    weir.engine()?.stream.events_since(id, since).await
}

/// From the page: only reads, what the page shows anyway.
#[tauri::command]
pub(crate) async fn events_before(weir: State<'_, Weir>, id: Uuid, before: u64) -> Answer<Page> {
    weir.engine()?.stream.events_before(id, before).await
}

/// From the page: what a user types; guards, hooks and budgets decide about it like about any prompt.
/// A script can answer a guard's question with "as it is", for text that the page has anyway; what a
/// rule redacts or blocks stays so.
/// History that would go to another recipient is confirmed first, whoever chose that recipient.
#[tauri::command]
pub(crate) async fn send_prompt(
    app: AppHandle,
    weir: State<'_, Weir>,
    session: Option<Uuid>,
    prompt: String,
    images: Vec<Image>,
    begins: NewSession,
    choice: GuardChoice,
) -> Answer<Uuid> {
    let NewSession { project, options } = begins;
    let prompt = Prompt {
        text: prompt,
        session,
        images,
        project: project.map(PathBuf::from),
        options,
        choice,
        ..Prompt::default()
    };
    let engine = &weir.engine()?.app;
    let send = |engine: Arc<App>| {
        let prompt = prompt.clone();
        async move { engine.send(prompt).await }
    };
    let session = confirm::moving(&app, engine, send).await?;
    use_for_new_sessions(engine, session).await;
    Ok(session)
}

/// New sessions begin with what was last sent. The turn is under way, whatever becomes of that.
async fn use_for_new_sessions(engine: &App, session: Uuid) {
    if let Err(error) = engine.use_for_new_sessions(session).await {
        tracing::warn!(%error, "new sessions begin with what was chosen before");
    }
}

/// From the page: like `send_prompt`; the edited turn stays on its branch.
#[tauri::command]
pub(crate) async fn edit_prompt(
    app: AppHandle,
    weir: State<'_, Weir>,
    session: Uuid,
    turn: Uuid,
    prompt: String,
    images: Vec<Image>,
    choice: GuardChoice,
) -> Answer<()> {
    let engine = &weir.engine()?.app;
    let edit = |engine: Arc<App>| {
        let (prompt, images) = (prompt.clone(), images.clone());
        async move { engine.edit(session, turn, prompt, images, choice).await }
    };
    confirm::moving(&app, engine, edit).await?;
    use_for_new_sessions(engine, session).await;
    Ok(())
}

/// From the page: sends a prompt that was sent before; budgets count it, and a move to another
/// recipient is confirmed.
#[tauri::command]
pub(crate) async fn ask_again(
    app: AppHandle,
    weir: State<'_, Weir>,
    session: Uuid,
    turn: Uuid,
) -> Answer<()> {
    let engine = &weir.engine()?.app;
    let ask = |engine: Arc<App>| async move { engine.ask_again(session, turn).await };
    confirm::moving(&app, engine, ask).await?;
    use_for_new_sessions(engine, session).await;
    Ok(())
}

/// From the page: sends nothing; the next prompt asks before history goes to another recipient.
/// Options are bounded, and only shape what that provider is asked anyway; a tool that a provider
/// runs sees what the provider sees.
#[tauri::command]
pub(crate) async fn choose_model(
    weir: State<'_, Weir>,
    session: Uuid,
    change: SessionChange,
) -> Answer<SessionSummary> {
    let engine = &weir.engine()?.app;
    engine.choose(session, change).await.map_err(body)
}

/// From the page: only changes which branch is shown; nothing is lost.
#[tauri::command]
pub(crate) async fn choose_branch(weir: State<'_, Weir>, session: Uuid, turn: Uuid) -> Answer<()> {
    let app = &weir.engine()?.app;
    app.choose_branch(session, turn).await.map_err(body)
}

/// From the page: adds a copy, and the original stays; a limit on how many a minute.
#[tauri::command]
pub(crate) async fn fork_session(
    weir: State<'_, Weir>,
    session: Uuid,
    turn: Option<Uuid>,
) -> Answer<SessionSummary> {
    let app = &weir.engine()?.app;
    if weir.forks.is_exceeded() {
        let message = "Many sessions were forked just now. Try again in a minute.";
        return Err(ErrorBody::new(code::BUSY, message));
    }
    app.fork(session, turn).await.map_err(body)
}

/// From the page: confirmed once for each session, until Weir closes.
#[tauri::command]
pub(crate) async fn show_original(
    app: AppHandle,
    weir: State<'_, Weir>,
    session: Uuid,
    placeholder: String,
) -> Answer<Option<String>> {
    let engine = weir.engine()?;
    let revealed = engine.stream.revealed();
    if !revealed.contains(session) {
        confirm::show_originals(&app, &engine.app, session).await?;
        revealed.insert(session);
    }
    engine.stream.original(session, &placeholder).await
}

/// From the page: a stopped turn keeps what arrived.
#[tauri::command]
pub(crate) async fn stop_turn(weir: State<'_, Weir>, session: Option<Uuid>) -> Answer<()> {
    let app = &weir.engine()?.app;
    match session {
        Some(session) => app.stop(session).await.map_err(body),
        None => {
            app.stop_sending(None).await;
            Ok(())
        }
    }
}

/// From the page: once is bound to one call that is stored and shown; for the session, for the
/// project, with what guards redacted, or with an id that asked before in its turn it is confirmed,
/// and holds for the call that was shown.
#[tauri::command]
pub(crate) async fn decide_permission(
    app: AppHandle,
    weir: State<'_, Weir>,
    session: Uuid,
    turn: Uuid,
    tool_call_id: String,
    decision: Decision,
    scope: DecisionScope,
) -> Answer<()> {
    let engine = &weir.engine()?.app;
    let id = tool_call_id.as_str();
    let decided = match decision {
        Decision::Allow => {
            let waiting = engine.waiting(session, turn, id).map_err(body)?;
            confirm::allow_call(&app, engine, session, &waiting, scope).await?;
            engine.allow(session, turn, id, &waiting, scope).await
        }
        Decision::Deny => engine.decide(session, turn, id, decision, scope).await,
    };
    decided.map_err(body)
}

/// From the page: a limit on its length; it can be renamed again.
#[tauri::command]
pub(crate) async fn rename_session(
    weir: State<'_, Weir>,
    session: Uuid,
    title: String,
) -> Answer<SessionSummary> {
    weir.engine()?
        .app
        .rename(session, &title)
        .await
        .map_err(body)
}

/// From the page: it can be restored for a week; more than a few in a minute are confirmed.
#[tauri::command]
pub(crate) async fn delete_session(
    app: AppHandle,
    weir: State<'_, Weir>,
    session: Uuid,
) -> Answer<()> {
    let engine = &weir.engine()?.app;
    if weir.deletions.is_exceeded() {
        confirm::delete_another(&app, engine, session).await?;
    }
    engine.delete(session).await.map_err(body)
}

/// From the page: only brings back what was there.
#[tauri::command]
pub(crate) async fn restore_session(
    weir: State<'_, Weir>,
    session: Uuid,
) -> Answer<SessionSummary> {
    weir.engine()?.app.restore(session).await.map_err(body)
}

/// From the page: another address, and a budget or price that allows more, are confirmed; the rest can be changed back.
#[tauri::command]
pub(crate) async fn change_settings(
    app: AppHandle,
    weir: State<'_, Weir>,
    change: SettingsChange,
) -> Answer<Settings> {
    let loosened = weir.engine()?.app.loosened(&change).await.map_err(body)?;
    if let Some(loosened) = loosened {
        confirm::loosen_budget(&app, &loosened, &change).await?;
    }
    match &change {
        SettingsChange::Theme { theme } => weir.preferences.set_theme(*theme)?,
        SettingsChange::BaseUrl { source, base_url } => {
            let source = weir.engine()?.app.source(source).await.map_err(body)?;
            confirm::base_url(&app, source, base_url).await?;
        }
        SettingsChange::AddServer { server } => confirm::add_server(&app, server).await?,
        SettingsChange::RemoveServer { name } => confirm::remove_server(&app, name).await?,
        SettingsChange::Source { .. }
        | SettingsChange::Model { .. }
        | SettingsChange::Thinking { .. }
        | SettingsChange::Price { .. }
        | SettingsChange::ForgetPrice { .. }
        | SettingsChange::Budget { .. }
        | SettingsChange::RemoveBudget { .. } => {}
    }
    weir.engine()?.app.change(change).await.map_err(body)?;
    settings(&weir).await
}

/// From the page: only reads.
#[tauri::command]
pub(crate) async fn guards(
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
) -> Answer<GuardSettings> {
    let engine = &weir.engine()?.app;
    engine.guards(project.as_deref()).await.map_err(body)
}

/// From the page: anything that holds back less is confirmed.
#[tauri::command]
pub(crate) async fn change_guards(
    app: AppHandle,
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
    config: GuardConfig,
) -> Answer<GuardSettings> {
    let engine = &weir.engine()?.app;
    let project = project.as_deref();
    confirm::loosen_guards(&app, engine, project, &config).await?;
    engine.set_guards(project, &config).await.map_err(body)?;
    engine.guards(project).await.map_err(body)
}

/// From the page: only computes; nothing is kept.
#[tauri::command]
pub(crate) async fn try_guards(
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
    stage: GuardStage,
    text: String,
) -> Answer<GuardTrial> {
    let engine = &weir.engine()?.app;
    let tried = engine.try_guards(project.as_deref(), stage, text).await;
    tried.map_err(body)
}

/// From the page: confirmed; the owner of a key's account can read what is sent with it.
#[tauri::command]
pub(crate) async fn set_key(
    app: AppHandle,
    weir: State<'_, Weir>,
    source: String,
    key: String,
) -> Answer<Settings> {
    let known = weir.engine()?.app.source(&source).await.map_err(body)?;
    confirm::set_key(&app, known, &key).await?;
    weir.engine()?
        .app
        .set_key(&source, key.into())
        .await
        .map_err(body)?;
    settings(&weir).await
}

/// From the page: confirmed; the key may exist nowhere else.
#[tauri::command]
pub(crate) async fn delete_key(
    app: AppHandle,
    weir: State<'_, Weir>,
    source: String,
) -> Answer<Settings> {
    let known = weir.engine()?.app.source(&source).await.map_err(body)?;
    confirm::delete_key(&app, known).await?;
    weir.engine()?.app.delete_key(&source).await.map_err(body)?;
    settings(&weir).await
}

/// From the page: asks the source's own address, which only a confirmation changes.
#[tauri::command]
pub(crate) async fn list_models(weir: State<'_, Weir>, source: String) -> Answer<Vec<String>> {
    weir.engine()?.app.models(&source).await.map_err(body)
}

/// From the page: asks fixed addresses on this machine, without a key.
#[tauri::command]
pub(crate) async fn find_sources(weir: State<'_, Weir>) -> Answer<Vec<FoundSource>> {
    weir.engine()?.app.found_here().await.map_err(body)
}

/// From the page: only reads.
#[tauri::command]
pub(crate) async fn usage(weir: State<'_, Weir>, days: u32) -> Answer<UsageReport> {
    weir.engine()?.app.usage_report(days).await.map_err(body)
}

/// From the page: confirmed.
#[tauri::command]
pub(crate) async fn go_over_budget(
    app: AppHandle,
    weir: State<'_, Weir>,
    session: Option<Uuid>,
    project: Option<PathBuf>,
) -> Answer<()> {
    let engine = &weir.engine()?.app;
    confirm::over_budget(&app, engine, session, project.as_deref()).await
}

/// From the page: confirmed, with the address that is opened.
#[tauri::command]
pub(crate) async fn open_link(app: AppHandle, url: String) -> Answer<()> {
    confirm::open_link(&app, &url).await
}

/// From the page: only reads, names of folders that are trusted.
#[tauri::command]
pub(crate) async fn projects(weir: State<'_, Weir>) -> Answer<Vec<ProjectSummary>> {
    weir.engine()?.app.projects().await.map_err(body)
}

/// From the page: the user chooses the folder in the system's own dialog, which never lies over a
/// confirmation; trust is confirmed.
#[tauri::command]
pub(crate) async fn open_project(
    app: AppHandle,
    weir: State<'_, Weir>,
) -> Answer<Option<ProjectSummary>> {
    confirm::open_project(&app, &weir.engine()?.app).await
}

/// From the page: only reads.
#[tauri::command]
pub(crate) async fn session_project(
    weir: State<'_, Weir>,
    id: Uuid,
) -> Answer<Option<ProjectSummary>> {
    weir.engine()?.app.session_project(id).await.map_err(body)
}

/// From the page: confirmed, with everything that the folder brings.
#[tauri::command]
pub(crate) async fn trust_project(
    app: AppHandle,
    weir: State<'_, Weir>,
    project: PathBuf,
) -> Answer<ProjectSummary> {
    confirm::trust(&app, &weir.engine()?.app, &project).await
}

/// From the page: only reads.
#[tauri::command]
pub(crate) async fn hooks(weir: State<'_, Weir>) -> Answer<Vec<HookSummary>> {
    weir.engine()?.app.hooks().await.map_err(body)
}

/// From the page: confirmed, with the exact program and arguments.
#[tauri::command]
pub(crate) async fn try_hook(
    app: AppHandle,
    weir: State<'_, Weir>,
    project: PathBuf,
    id: String,
) -> Answer<HookTrial> {
    let trial = weir.engine()?.app.hook_to_try(&project, &id).await;
    confirm::try_hook(&app, trial.map_err(body)?).await
}

/// From the page: only reads.
#[tauri::command]
pub(crate) async fn memories(
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
) -> Answer<MemoryList> {
    let app = &weir.engine()?.app;
    app.memories(project.as_deref()).await.map_err(body)
}

/// From the page: only reads.
#[tauri::command]
pub(crate) async fn memories_by_id(weir: State<'_, Weir>, ids: Vec<Uuid>) -> Answer<Vec<Memory>> {
    weir.engine()?.app.memories_by_id(&ids).await.map_err(body)
}

/// From the page: turning it on is confirmed; off is the safe side.
#[tauri::command]
pub(crate) async fn switch_memory(
    app: AppHandle,
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
    to: MemorySwitch,
) -> Answer<()> {
    let project = project.as_deref();
    if to == MemorySwitch::On {
        confirm::switch_memory_on(&app, project).await?;
    }
    let engine = &weir.engine()?.app;
    engine.switch_memory(project, to).await.map_err(body)
}

/// From the page: confirmed, with the new words; they go with later sessions, and the old ones are gone.
#[tauri::command]
pub(crate) async fn edit_memory(
    app: AppHandle,
    weir: State<'_, Weir>,
    id: Uuid,
    content: String,
) -> Answer<Memory> {
    let engine = &weir.engine()?.app;
    confirm::edit_memory(&app, engine, id, &content).await?;
    engine.edit_memory(id, &content).await.map_err(body)
}

/// From the page: one at a time; many of them in a minute or an hour, or a whole project, session or everything, are confirmed.
#[tauri::command]
pub(crate) async fn forget_memories(
    app: AppHandle,
    weir: State<'_, Weir>,
    which: Forget,
) -> Answer<Forgotten> {
    let engine = &weir.engine()?.app;
    if !matches!(which, Forget::One { .. }) || weir.forgettings.is_exceeded() {
        confirm::forget(&app, engine, &which).await?;
    }
    engine.forget_memories(which).await.map_err(body)
}

/// From the page: not granted to it; the confirmation window alone may call this.
#[tauri::command]
pub(crate) fn answer_confirmation(
    webview: Webview,
    confirmations: State<'_, Confirmations>,
    id: Uuid,
    answer: ConfirmationAnswer,
) -> Answer<()> {
    confirmations.answer(webview.label(), id, answer)
}

/// From the page: the user chooses the file in the system's own dialog, which never lies over a
/// confirmation, and only while the database is lost.
#[tauri::command]
pub(crate) async fn save_copy(app: AppHandle, weir: State<'_, Weir>) -> Answer<Option<String>> {
    rescue::save_copy(&app, weir.engine()?.app.store()).await
}

async fn settings(weir: &Weir) -> Answer<Settings> {
    let theme = weir.preferences.theme();
    weir.engine()?.app.settings(theme).await.map_err(body)
}
