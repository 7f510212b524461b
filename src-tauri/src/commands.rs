//! What the page may ask, one line each. The list is fixed in `build.rs` and granted in
//! `capabilities/main.json`; a test holds the three together.

use std::path::PathBuf;

use tauri::ipc::Channel;
use tauri::{AppHandle, State};
use uuid::Uuid;
use weir_core::app::{AppError, Prompt};
use weir_protocol::{
    Decision, DecisionScope, ErrorBody, Forget, Forgotten, FoundSource, Frame, GuardChoice,
    GuardConfig, GuardSettings, GuardStage, GuardTrial, HookSummary, HookTrial, Image, Memory,
    MemoryList, MemorySwitch, Page, ProjectSummary, SessionSummary, Settings, SettingsChange,
    Shown, Snapshot, Startup, UsageReport,
};

use crate::{Weir, confirm};

type Answer<T> = Result<T, ErrorBody>;

fn body(error: AppError) -> ErrorBody {
    error.body()
}

#[tauri::command]
pub(crate) async fn start(weir: State<'_, Weir>, channel: Channel<Frame>) -> Answer<Startup> {
    let engine = weir.engine()?;
    let settings = settings(&weir).await?;
    let store = engine.app.store();
    let sessions = store.sessions().await.map_err(|error| error.body())?;
    engine.stream.attach(channel, sessions.clone());
    Ok(Startup {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings,
        sessions,
        notices: engine.notices.clone(),
    })
}

#[tauri::command]
pub(crate) async fn open_session(weir: State<'_, Weir>, id: Uuid) -> Answer<Snapshot> {
    weir.engine()?.stream.open(id).await
}

#[tauri::command]
pub(crate) async fn events_since(
    weir: State<'_, Weir>,
    id: Uuid,
    since: u64,
) -> Answer<Vec<Shown>> {
    weir.engine()?.stream.events_since(id, since).await
}

#[tauri::command]
pub(crate) async fn events_before(weir: State<'_, Weir>, id: Uuid, before: u64) -> Answer<Page> {
    weir.engine()?.stream.events_before(id, before).await
}

#[tauri::command]
pub(crate) async fn send_prompt(
    weir: State<'_, Weir>,
    session: Option<Uuid>,
    prompt: String,
    images: Vec<Image>,
    project: Option<PathBuf>,
    choice: GuardChoice,
) -> Answer<Uuid> {
    let prompt = Prompt {
        text: prompt,
        session,
        images,
        project,
        choice,
        ..Prompt::default()
    };
    weir.engine()?.app.send(prompt).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn edit_prompt(
    weir: State<'_, Weir>,
    session: Uuid,
    turn: Uuid,
    prompt: String,
    images: Vec<Image>,
    choice: GuardChoice,
) -> Answer<()> {
    let app = &weir.engine()?.app;
    let edited = app.edit(session, turn, prompt, images, choice).await;
    edited.map_err(body)
}

#[tauri::command]
pub(crate) async fn ask_again(weir: State<'_, Weir>, session: Uuid, turn: Uuid) -> Answer<()> {
    let app = &weir.engine()?.app;
    app.ask_again(session, turn).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn choose_branch(weir: State<'_, Weir>, session: Uuid, turn: Uuid) -> Answer<()> {
    let app = &weir.engine()?.app;
    app.choose_branch(session, turn).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn fork_session(
    weir: State<'_, Weir>,
    session: Uuid,
    turn: Option<Uuid>,
) -> Answer<SessionSummary> {
    let app = &weir.engine()?.app;
    app.fork(session, turn).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn show_original(
    weir: State<'_, Weir>,
    session: Uuid,
    placeholder: String,
) -> Answer<Option<String>> {
    weir.engine()?.stream.original(session, &placeholder).await
}

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
    if (decision, scope) == (Decision::Allow, DecisionScope::Project) {
        let waiting = engine.waiting(session, turn, &tool_call_id).map_err(body)?;
        confirm::always(&app, &waiting).await?;
    }
    let decided = engine.decide(session, turn, &tool_call_id, decision, scope);
    decided.await.map_err(body)
}

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

#[tauri::command]
pub(crate) async fn delete_session(weir: State<'_, Weir>, session: Uuid) -> Answer<()> {
    weir.engine()?.app.delete(session).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn restore_session(
    weir: State<'_, Weir>,
    session: Uuid,
) -> Answer<SessionSummary> {
    weir.engine()?.app.restore(session).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn change_settings(
    app: AppHandle,
    weir: State<'_, Weir>,
    change: SettingsChange,
) -> Answer<Settings> {
    let loosened = weir.engine()?.app.loosened(&change).await.map_err(body)?;
    if let Some(question) = loosened {
        confirm::ask(&app, "Change a budget", question, "Change").await?;
    }
    match &change {
        SettingsChange::Theme { theme } => weir.preferences.set_theme(*theme)?,
        SettingsChange::BaseUrl { source, base_url } => {
            confirm::base_url(&app, source, base_url).await?;
        }
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

#[tauri::command]
pub(crate) async fn guards(
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
) -> Answer<GuardSettings> {
    let engine = &weir.engine()?.app;
    engine.guards(project.as_deref()).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn change_guards(
    app: AppHandle,
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
    config: GuardConfig,
) -> Answer<GuardSettings> {
    let engine = &weir.engine()?.app;
    let project = project.as_deref();
    confirm::looser_guards(&app, engine, project, &config).await?;
    engine.set_guards(project, &config).await.map_err(body)?;
    engine.guards(project).await.map_err(body)
}

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

#[tauri::command]
pub(crate) async fn set_key(
    weir: State<'_, Weir>,
    source: String,
    key: String,
) -> Answer<Settings> {
    weir.engine()?
        .app
        .set_key(&source, key.into())
        .await
        .map_err(body)?;
    settings(&weir).await
}

#[tauri::command]
pub(crate) async fn delete_key(weir: State<'_, Weir>, source: String) -> Answer<Settings> {
    weir.engine()?.app.delete_key(&source).await.map_err(body)?;
    settings(&weir).await
}

#[tauri::command]
pub(crate) async fn list_models(weir: State<'_, Weir>, source: String) -> Answer<Vec<String>> {
    weir.engine()?.app.models(&source).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn find_sources(weir: State<'_, Weir>) -> Answer<Vec<FoundSource>> {
    weir.engine()?.app.found_here().await.map_err(body)
}

#[tauri::command]
pub(crate) async fn usage(weir: State<'_, Weir>, days: u32) -> Answer<UsageReport> {
    weir.engine()?.app.usage_report(days).await.map_err(body)
}

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

#[tauri::command]
pub(crate) async fn open_link(app: AppHandle, url: String) -> Answer<()> {
    confirm::open_link(&app, &url).await
}

#[tauri::command]
pub(crate) async fn projects(weir: State<'_, Weir>) -> Answer<Vec<ProjectSummary>> {
    weir.engine()?.app.projects().await.map_err(body)
}

#[tauri::command]
pub(crate) async fn open_project(
    app: AppHandle,
    weir: State<'_, Weir>,
) -> Answer<Option<ProjectSummary>> {
    confirm::open_project(&app, &weir.engine()?.app).await
}

#[tauri::command]
pub(crate) async fn session_project(
    weir: State<'_, Weir>,
    id: Uuid,
) -> Answer<Option<ProjectSummary>> {
    weir.engine()?.app.session_project(id).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn trust_project(
    app: AppHandle,
    weir: State<'_, Weir>,
    project: PathBuf,
) -> Answer<ProjectSummary> {
    confirm::trust(&app, &weir.engine()?.app, &project).await
}

#[tauri::command]
pub(crate) async fn hooks(weir: State<'_, Weir>) -> Answer<Vec<HookSummary>> {
    weir.engine()?.app.hooks().await.map_err(body)
}

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

#[tauri::command]
pub(crate) async fn memories(
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
) -> Answer<MemoryList> {
    let app = &weir.engine()?.app;
    app.memories(project.as_deref()).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn memories_by_id(weir: State<'_, Weir>, ids: Vec<Uuid>) -> Answer<Vec<Memory>> {
    weir.engine()?.app.memories_by_id(&ids).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn switch_memory(
    weir: State<'_, Weir>,
    project: Option<PathBuf>,
    to: MemorySwitch,
) -> Answer<()> {
    let app = &weir.engine()?.app;
    app.switch_memory(project.as_deref(), to)
        .await
        .map_err(body)
}

#[tauri::command]
pub(crate) async fn edit_memory(
    weir: State<'_, Weir>,
    id: Uuid,
    content: String,
) -> Answer<Memory> {
    let app = &weir.engine()?.app;
    app.edit_memory(id, &content).await.map_err(body)
}

#[tauri::command]
pub(crate) async fn forget_memories(weir: State<'_, Weir>, which: Forget) -> Answer<Forgotten> {
    weir.engine()?
        .app
        .forget_memories(which)
        .await
        .map_err(body)
}

async fn settings(weir: &Weir) -> Answer<Settings> {
    let theme = weir.preferences.theme();
    weir.engine()?.app.settings(theme).await.map_err(body)
}
