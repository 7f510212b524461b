//! Questions that the page cannot answer for the user. Each is asked in the confirmation window,
//! with text that Rust has read itself, whatever the page showed of it.

mod picker;
mod window;

use std::path::Path;
use std::sync::Arc;

use tauri::{AppHandle, Manager};
use tauri_plugin_opener::OpenerExt;
use uuid::Uuid;
use weir_core::app::{App, AppError, Loosened, MoveAsks, SpentBudget, Trial, Waiting, WhyHeld};
use weir_core::confirmation::{
    FixedText, Subject, code as quote, code_lines, confirmation, prose, statement, value,
};
use weir_core::source::{self, Source};
use weir_protocol::{
    Confirmation, ConfirmationSection, CustomServer, DecisionScope, ErrorBody, Forget, GuardConfig,
    HookTrial, ProjectSummary, SettingsChange, code,
};

use crate::Weir;
pub(crate) use picker::{choose_file, choose_folder};
pub(crate) use window::{Confirmations, SCHEME, serve};

const EVERYWHERE: Subject<'static> = Subject::Part("Everywhere");
const FOLDER: &str = "Folder";
const SERVERS: Subject<'static> = Subject::Part("Servers");
const BUDGETS: Subject<'static> = Subject::Part("Budgets");
const NO_PROJECT: Subject<'static> = Subject::Part("Sessions without a project");

/// Anything but Accept is an error with the code `declined`.
async fn ask(app: &AppHandle, mut request: Confirmation) -> Result<(), ErrorBody> {
    request.theme = app.state::<Weir>().preferences.theme();
    let confirmations = app.state::<Confirmations>();
    confirmations.ask(app, &request).await
}

/// Opens an address outside of Weir, after showing the user where it really leads.
pub(crate) async fn open_link(app: &AppHandle, link: &str) -> Result<(), ErrorBody> {
    let url = outward(link)?;
    let host = url.host_str().unwrap_or_else(|| url.path());
    let mut request = confirmation("Open this link?", Subject::Named("Leads to", host), "Open");
    request.sections = vec![
        value("Address", url.as_str()),
        statement("It opens outside of Weir, in the program that your system uses for it."),
    ];
    ask(app, request).await?;
    app.opener()
        .open_url(url.as_str(), None::<&str>)
        .map_err(|error| ErrorBody::new("open_failed", format!("It could not be opened: {error}.")))
}

/// Asks before a source's key and prompts go to another address: the one that will really be
/// asked, whatever the page sent.
pub(crate) async fn base_url(
    app: &AppHandle,
    source: &'static Source,
    base_url: &str,
) -> Result<(), ErrorBody> {
    let address = source::plain_base_url(base_url).map_err(|error| error.body())?;
    let mut request = confirmation("Change the address?", named(source), "Change");
    request.sections = match address.as_str() {
        "" => vec![statement("Requests will go to the default address again.")],
        address => vec![
            statement("Every prompt for this source, and its key, will be sent to this address."),
            value("New address", address),
        ],
    };
    ask(app, request).await
}

/// Sends a prompt, and asks where that would send a session's history to a recipient that has not
/// had it: the one that will really be asked, whatever the page chose meanwhile. Cancelled, nothing
/// was sent and the prompt is still the user's.
pub(crate) async fn moving<T, Sending>(
    app: &AppHandle,
    engine: &Arc<App>,
    send: impl Fn(Arc<App>) -> Sending,
) -> Result<T, ErrorBody>
where
    Sending: Future<Output = Result<T, AppError>> + Send,
{
    loop {
        match send(Arc::clone(engine)).await {
            Err(AppError::MoveAsks(asks)) => {
                allow_move(app, engine, &asks).await?;
                let agreed = engine.allow_move(&asks).await;
                agreed.map_err(|error| error.body())?;
            }
            sent => return sent.map_err(|error| error.body()),
        }
    }
}

async fn allow_move(app: &AppHandle, engine: &App, asks: &MoveAsks) -> Result<(), ErrorBody> {
    let title = "Send this session to another source?";
    let mut request = confirmation(title, Subject::Named("Source", &asks.label), "Send");
    let count = FixedText::from("").number(asks.messages as u64);
    let count = match asks.messages {
        1 => count.text(" message"),
        _ => count.text(" messages"),
    };
    let what = " of this session, with their pictures and tool results, will be sent to another source together with your prompt.";
    request.sections = vec![
        statement(count.text(what)),
        value("Sent to", &asks.label),
        value("Host", &asks.recipient.host),
        value("So far they went to", &asks.before),
        session_title(engine, asks.session).await,
        statement(
            "You are asked once. If you cancel, nothing is sent and your prompt stays where it is.",
        ),
    ];
    ask(app, request)
        .await
        .map_err(|error| match error.code.as_str() {
            code::DECLINED => ErrorBody::new(code::DECLINED, "Nothing was sent."),
            _ => error,
        })
}

/// Asks before prompts can go to a server that the page names.
pub(crate) async fn add_server(app: &AppHandle, server: &CustomServer) -> Result<(), ErrorBody> {
    let address = source::plain_base_url(&server.base_url).map_err(|error| error.body())?;
    let mut request = confirmation("Add this server?", SERVERS, "Add");
    request.sections = vec![
        statement(
            "Prompts for this source, and the key you store for it, will be sent to this address.",
        ),
        value("Name", &server.name),
        value("Address", &address),
    ];
    ask(app, request).await
}

/// Asks before a server is removed: its key is deleted for good.
pub(crate) async fn remove_server(app: &AppHandle, name: &str) -> Result<(), ErrorBody> {
    let mut request = confirmation("Remove this server?", SERVERS, "Remove");
    request.sections = vec![
        statement("It is removed from the sources, and its key is deleted from the keychain."),
        value("Name", name),
    ];
    ask(app, request).await
}

/// Asks before a budget allows more than it does.
pub(crate) async fn loosen_budget(
    app: &AppHandle,
    loosened: &Loosened,
    change: &SettingsChange,
) -> Result<(), ErrorBody> {
    let mut request = confirmation("Change the budget?", BUDGETS, "Change");
    let exactly = serde_json::to_string_pretty(change).unwrap_or_default();
    request.sections = loosened_sections(loosened);
    let exactly = code_lines("Exactly this change", exactly.lines());
    request.sections.push(exactly);
    ask(app, request).await
}

fn loosened_sections(loosened: &Loosened) -> Vec<ConfirmationSection> {
    match loosened {
        Loosened::Raised { from, to } => vec![
            statement("This budget will let more through than it does now."),
            value("Limit now", from),
            value("New limit", to),
        ],
        Loosened::Removed { limit } => vec![
            statement("This budget will be removed. What it held back is no longer limited."),
            value("Limit now", limit),
        ],
        Loosened::Priced { model } => vec![
            statement(
                "The steps of this model will be counted at another price from now on. Your budgets are counted with it.",
            ),
            value("Model", model),
        ],
    }
}

/// Asks before guards hold back less than they do, everywhere or in a project; making them
/// stricter needs no confirmation.
pub(crate) async fn loosen_guards(
    app: &AppHandle,
    engine: &App,
    project: Option<&Path>,
    config: &GuardConfig,
) -> Result<(), ErrorBody> {
    let looser = async || {
        let looser = engine.looser_guards(project, config).await;
        looser.map_err(|error| error.body())
    };
    let asked = looser().await?;
    if asked.is_empty() {
        return Ok(());
    }
    let place = place(project);
    let subject = in_folder(place.as_deref(), EVERYWHERE);
    let mut request = confirmation("Loosen the guards?", subject, "Loosen");
    let lines = asked.iter().map(String::as_str);
    request.sections = vec![code_lines("What the guards will hold back less", lines)];
    ask(app, request).await?;
    if looser().await? != asked {
        let message = "The guards were changed while this was asked. Choose again.";
        return Err(ErrorBody::new(code::BAD_INPUT, message));
    }
    Ok(())
}

/// Asks before a tool call is allowed for the session or for good, or is given what guards
/// redacted: the very call that waits, whatever the page showed of it.
pub(crate) async fn allow_call(
    app: &AppHandle,
    engine: &App,
    session: Uuid,
    waiting: &Waiting,
    scope: DecisionScope,
) -> Result<(), ErrorBody> {
    let id = session.to_string();
    let folder;
    let (title, accept, subject) = match scope {
        DecisionScope::Once if waiting.originals.is_empty() && waiting.asked_before == 0 => {
            return Ok(());
        }
        // The click may have been for the call before.
        DecisionScope::Once if waiting.originals.is_empty() => {
            ("Allow this call too?", "Allow once", in_session(&id))
        }
        DecisionScope::Once => ("Pass on what was redacted?", "Pass on", in_session(&id)),
        DecisionScope::Session => (
            "Allow this call for the whole session?",
            "Allow for this session",
            in_session(&id),
        ),
        DecisionScope::Project => {
            let Some(path) = &waiting.folder else {
                let message = "This session has no project to allow it in.";
                return Err(ErrorBody::new(code::BAD_INPUT, message));
            };
            folder = path.to_string_lossy();
            let subject = Subject::Named(FOLDER, &folder);
            ("Always allow this call?", "Always allow", subject)
        }
    };
    let mut request = confirmation(title, subject, accept);
    request.sections = vec![
        value("Tool", &waiting.tool_name),
        quote("With exactly this input", &waiting.input.to_string()),
    ];
    if !waiting.originals.is_empty() {
        let placeholders = waiting.originals.iter().map(String::as_str);
        let heading = "The tool is given the originals of these placeholders";
        request
            .sections
            .insert(0, code_lines(heading, placeholders));
    }
    request.sections.push(session_title(engine, session).await);
    ask(app, request).await
}

/// Asks before one prompt goes on past spent budgets: those that are spent, whatever the page
/// showed.
pub(crate) async fn over_budget(
    app: &AppHandle,
    engine: &App,
    session: Option<Uuid>,
    project: Option<&Path>,
) -> Result<(), ErrorBody> {
    let spent = engine.spent_budgets(session, project).await;
    let spent = spent.map_err(|error| error.body())?;
    if spent.is_empty() {
        // Nothing stands in the way, and nothing is agreed to for later.
        return Ok(());
    }
    let (id, place) = (session.map(|id| id.to_string()), place(project));
    let subject = match &id {
        Some(id) => in_session(id),
        None => in_folder(place.as_deref(), Subject::Part("A new session")),
    };
    let mut request = confirmation("Go past the budget?", subject, "Go on once");
    request.sections = spent.iter().flat_map(spent_sections).collect();
    ask(app, request).await?;
    engine.go_over_budget(session, spent);
    Ok(())
}

fn spent_sections(held: &SpentBudget) -> Vec<ConfirmationSection> {
    let SpentBudget {
        name, limit, why, ..
    } = held;
    match why {
        WhyHeld::Spent { spent } => vec![
            statement("This budget is spent."),
            value("Budget for", name),
            value("Spent", spent),
            value("Limit", limit),
        ],
        WhyHeld::Unpriced { model } => vec![
            statement(
                "The price of this model is not known, so this budget cannot count what it costs. If you go on, this session uses it uncounted.",
            ),
            value("Model", model),
            value("Budget for", name),
            value("Limit", limit),
        ],
        WhyHeld::OwnTools { model } => vec![
            statement(
                "The provider charges for tools of its own beyond the tokens, and this budget cannot count that. If you go on, this session uses them uncounted.",
            ),
            value("Model", model),
            value("Budget for", name),
            value("Limit", limit),
        ],
    }
}

/// Asks before the page is given what guards redacted in a session.
pub(crate) async fn show_originals(
    app: &AppHandle,
    engine: &App,
    session: Uuid,
) -> Result<(), ErrorBody> {
    let id = session.to_string();
    let mut request = confirmation("Show the originals?", in_session(&id), "Show");
    request.sections = vec![
        session_title(engine, session).await,
        statement("Guards redacted secrets or personal data in this session."),
        statement("Once shown, they can be read in the window until Weir closes."),
    ];
    ask(app, request).await
}

/// Asks before a key is used from now on: whoever owns its account can read what is sent with it.
pub(crate) async fn set_key(
    app: &AppHandle,
    source: &'static Source,
    key: &str,
) -> Result<(), ErrorBody> {
    const SHOWN: usize = 4;
    let key = key.trim();
    let mut request = confirmation("Store this key?", named(source), "Store");
    request.sections = vec![
        statement(
            "Prompts to this source will be sent with it. Whoever owns the key's account may be able to read them.",
        ),
        statement("A key that is stored already will be replaced."),
    ];
    let length = key.chars().count();
    if length >= 4 * SHOWN {
        let ending: String = key.chars().skip(length - SHOWN).collect();
        request.sections.push(value("The key ends with", &ending));
    }
    ask(app, request).await
}

/// Asks before a key is gone: it may exist nowhere else.
pub(crate) async fn delete_key(app: &AppHandle, source: &'static Source) -> Result<(), ErrorBody> {
    let mut request = confirmation("Delete this key?", named(source), "Delete");
    let text = "It will be removed from the keychain. Weir keeps no copy of it.";
    request.sections = vec![statement(text)];
    ask(app, request).await
}

/// Asks before what the user says in a place is kept for later sessions.
pub(crate) async fn switch_memory_on(
    app: &AppHandle,
    project: Option<&Path>,
) -> Result<(), ErrorBody> {
    let place = place(project);
    let subject = in_folder(place.as_deref(), NO_PROJECT);
    let mut request = confirmation("Turn memory on?", subject, "Turn on");
    let text = "Sentences from your prompts there will be kept and sent with later sessions there.";
    request.sections = vec![statement(text)];
    ask(app, request).await
}

/// Asks before memories are gone for good.
pub(crate) async fn forget(app: &AppHandle, engine: &App, which: &Forget) -> Result<(), ErrorBody> {
    let (id, place);
    let (subject, text) = match which {
        Forget::One { .. } => (
            EVERYWHERE,
            "Many memories were forgotten just now. Forget one more?",
        ),
        Forget::Session { session } => {
            id = session.to_string();
            let text = "Everything that was remembered from this session will be forgotten.";
            (in_session(&id), text)
        }
        Forget::Project { project } => {
            place = self::place(project.as_deref().map(Path::new));
            let text = "Everything that was remembered there will be forgotten.";
            (in_folder(place.as_deref(), NO_PROJECT), text)
        }
        Forget::Everything => (
            EVERYWHERE,
            "Everything that was ever remembered will be forgotten.",
        ),
    };
    let mut request = confirmation("Forget these memories?", subject, "Forget");
    request.sections = vec![statement(text), statement("This cannot be undone.")];
    if let Forget::Session { session } = which {
        request.sections.push(session_title(engine, *session).await);
    }
    ask(app, request).await
}

/// Asks before a memory says something else: its old words are gone then.
pub(crate) async fn edit_memory(
    app: &AppHandle,
    engine: &App,
    id: Uuid,
    content: &str,
) -> Result<(), ErrorBody> {
    let known = engine.memories_by_id(&[id]).await;
    let known = known.map_err(|error| error.body())?.pop();
    let project = known.as_ref().and_then(|memory| memory.project.as_deref());
    let place = place(project.map(Path::new));
    let subject = in_folder(place.as_deref(), NO_PROJECT);
    let mut request = confirmation("Change this memory?", subject, "Change");
    if let Some(memory) = &known {
        request.sections.push(prose("It says now", &memory.content));
    }
    request.sections.push(prose("It will say", content));
    ask(app, request).await
}

/// Asks before one more of many sessions is deleted.
pub(crate) async fn delete_another(
    app: &AppHandle,
    engine: &App,
    session: Uuid,
) -> Result<(), ErrorBody> {
    let id = session.to_string();
    let mut request = confirmation("Delete another session?", in_session(&id), "Delete");
    let text = "Many sessions were deleted just now. A deleted session can be restored for a week.";
    request.sections = vec![session_title(engine, session).await, statement(text)];
    ask(app, request).await
}

/// Lets the user choose a folder, and asks for their trust where it has none yet. `None` when
/// they chose nothing. The page has no say in which folder it is.
pub(crate) async fn open_project(
    app: &AppHandle,
    engine: &App,
) -> Result<Option<ProjectSummary>, ErrorBody> {
    let Some(folder) = choose_folder(app).await? else {
        return Ok(None);
    };
    if let Ok(project) = engine.open_project(&folder).await {
        if !project.asks_again() {
            return Ok(Some(engine.project_summary(&project)));
        }
        // It is trusted all the same; new hooks do not run, and missing ones hold back.
        let known = engine.project_summary(&project);
        return match trust(app, engine, &folder).await {
            Err(error) if error.code == code::DECLINED => Ok(Some(known)),
            trusted => trusted.map(Some),
        };
    }
    trust(app, engine, &folder).await.map(Some)
}

/// Shows all that a folder would bring and asks for the user's trust in exactly that.
pub(crate) async fn trust(
    app: &AppHandle,
    engine: &App,
    folder: &Path,
) -> Result<ProjectSummary, ErrorBody> {
    let body = |error: AppError| error.body();
    let offer = engine.offer_project(folder).await.map_err(body)?;
    let mut request = confirmation(
        "Trust this folder?",
        Subject::Named(FOLDER, &offer.trust.path),
        "Trust",
    );
    request.sections = offer.sections();
    ask(app, request).await?;
    engine.trust_project(&offer).await.map_err(body)
}

/// Tries a hook out on a sample, after showing the user what is really started, and where.
pub(crate) async fn try_hook(app: &AppHandle, trial: Trial) -> Result<HookTrial, ErrorBody> {
    let folder = trial.folder().to_string_lossy().into_owned();
    let mut request = confirmation("Run this hook?", Subject::Named(FOLDER, &folder), "Run");
    let words = trial.argv();
    request.sections = vec![
        code_lines("Program and arguments", words.iter().map(String::as_str)),
        statement("It runs once, with sample input."),
    ];
    ask(app, request).await?;
    Ok(trial.run().await)
}

/// Where a path really leads, whatever the page called it.
fn place(path: Option<&Path>) -> Option<String> {
    let path = path?;
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Some(path.to_string_lossy().into_owned())
}

fn in_folder<'a>(place: Option<&'a str>, none: Subject<'a>) -> Subject<'a> {
    place.map_or(none, |place| Subject::Named(FOLDER, place))
}

/// By its id: a title is whatever was typed there last, and is quoted on its own.
fn in_session(id: &str) -> Subject<'_> {
    Subject::Named("Session", id)
}

/// The name of a server of the user's own came from the page.
fn named(source: &'static Source) -> Subject<'static> {
    Subject::Named("Source", source.label)
}

async fn session_title(engine: &App, session: Uuid) -> ConfirmationSection {
    match engine.store().session(session).await {
        Ok(session) => value("Title of the session", &session.title),
        // What it left behind can outlive it.
        Err(_) => statement("The session was deleted."),
    }
}

/// The address in its plain form (no look-alike characters, nothing invisible), if it is of a
/// kind that may leave.
fn outward(link: &str) -> Result<tauri::Url, ErrorBody> {
    let url = tauri::Url::parse(link)
        .map_err(|_| ErrorBody::new(code::BAD_INPUT, "That is no address."))?;
    match url.scheme() {
        "http" | "https" | "mailto" => Ok(url),
        scheme => Err(ErrorBody::new(
            code::BAD_INPUT,
            format!("Weir opens http, https and mailto addresses, not {scheme}."),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::outward;

    #[test]
    fn only_the_web_and_mail_lead_out() {
        for link in [
            "https://example.com/a?b#c",
            "http://localhost:1",
            "mailto:a@example.com",
        ] {
            assert!(outward(link).is_ok(), "{link}");
        }
        let refused = [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "smb://host/share",
            "ms-msdt:/id",
            "vbscript:x",
            "tauri://localhost",
            "ipc://localhost",
            "weir-confirm://localhost",
            "blob:https://example.com/x",
            "about:blank",
            "ftp://example.com",
            "ssh://example.com",
            "x-apple.systempreferences:",
            "//example.com",
            "example.com",
            "",
        ];
        for link in refused {
            assert!(outward(link).is_err(), "{link}");
        }
    }

    #[test]
    fn shows_where_a_look_alike_leads() {
        let url = outward("https://ex\u{430}mple.com/").unwrap();
        assert_eq!(url.as_str(), "https://xn--exmple-4nf.com/");
    }
}
