//! Questions that the page cannot answer for the user.

use std::path::{Path, PathBuf};

use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt, MessageDialogButtons, MessageDialogKind};
use tauri_plugin_opener::OpenerExt;
use tokio::sync::oneshot;
use uuid::Uuid;
use weir_core::app::{App, AppError, Trial, Waiting};
use weir_core::source;
use weir_core::tool::visible;
use weir_protocol::{ErrorBody, GuardConfig, HookTrial, ProjectSummary, code};

/// Asks in a native dialog; an answer other than `yes` is an error with the code `declined`.
pub(crate) async fn ask(
    app: &AppHandle,
    title: &str,
    message: String,
    yes: &str,
) -> Result<(), ErrorBody> {
    let (answer, answered) = oneshot::channel();
    app.dialog()
        .message(message)
        .title(title)
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::OkCancelCustom(
            yes.to_owned(),
            "Cancel".to_owned(),
        ))
        .show(move |agreed| {
            // Nobody waits any more when the program is closing.
            let _ = answer.send(agreed);
        });
    match answered.await {
        Ok(true) => Ok(()),
        Ok(false) | Err(_) => Err(ErrorBody::new(code::DECLINED, "Nothing was changed.")),
    }
}

/// Opens an address outside of Weir, after showing the user where it really leads.
pub(crate) async fn open_link(app: &AppHandle, link: &str) -> Result<(), ErrorBody> {
    let url = outward(link)?;
    let message = format!("{url}\n\nOpen this address outside of Weir?");
    ask(app, "Open link", message, "Open").await?;
    app.opener()
        .open_url(url.as_str(), None::<&str>)
        .map_err(|error| ErrorBody::new("open_failed", format!("It could not be opened: {error}.")))
}

/// Asks before a source's key and prompts go to another address: the one that will really be
/// asked, whatever the page sent.
pub(crate) async fn base_url(
    app: &AppHandle,
    source: &str,
    base_url: &str,
) -> Result<(), ErrorBody> {
    let label = source::source(source).map_err(|error| error.body())?.label;
    let address = source::plain_base_url(base_url).map_err(|error| error.body())?;
    let message = match address.as_str() {
        "" => format!("Ask {label} at its own address again?"),
        address => format!("Send everything for {label}, its key too, to\n\n{address}"),
    };
    ask(app, "Change the address", message, "Change").await
}

/// Asks before guards hold back less than they do, everywhere or in a project; making them
/// stricter needs no word.
pub(crate) async fn looser_guards(
    app: &AppHandle,
    engine: &App,
    project: Option<&Path>,
    config: &GuardConfig,
) -> Result<(), ErrorBody> {
    const SHOWN: usize = 20;
    let looser = async || {
        let looser = engine.looser_guards(project, config).await;
        looser.map_err(|error| error.body())
    };
    let asked = looser().await?;
    if asked.is_empty() {
        return Ok(());
    }
    let mut lines: Vec<String> = asked.iter().map(|line| visible::short(line)).collect();
    let more = lines.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.truncate(SHOWN);
        lines.push(format!("and {more} more"));
    }
    let place = project.map_or_else(String::new, |path| {
        format!(" in {}", visible::short(&path.to_string_lossy()))
    });
    let message = format!(
        "Let the guards hold back less{place}?\n\n{}",
        lines.join("\n")
    );
    ask(app, "Loosen the guards", message, "Loosen").await?;
    if looser().await? != asked {
        let message = "The guards were changed while this was asked. Choose again.";
        return Err(ErrorBody::new(code::BAD_INPUT, message));
    }
    Ok(())
}

/// Asks before a tool call is allowed for good: the very call that waits, whatever the page
/// showed of it.
pub(crate) async fn always(app: &AppHandle, waiting: &Waiting) -> Result<(), ErrorBody> {
    let too_long = || {
        let message = "This call is longer than fits a dialog, so it cannot be allowed for good. Allow it once or for this session.";
        ErrorBody::new(code::BAD_INPUT, message)
    };
    let Some(folder) = waiting.folder.as_deref().map(Path::to_string_lossy) else {
        let message = "This session has no project to allow it in.";
        return Err(ErrorBody::new(code::BAD_INPUT, message));
    };
    let folder = visible::whole(&folder).ok_or_else(too_long)?;
    let tool = visible::whole(&waiting.tool_name).ok_or_else(too_long)?;
    let input = visible::whole(&waiting.input.to_string()).ok_or_else(too_long)?;
    let message = format!("Always let {tool} run in {folder} with exactly this?\n\n{input}");
    if lines_shown(&message) > MOST_LINES {
        return Err(too_long());
    }
    ask(app, "Allow always", message, "Allow always").await
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
    let sentences: Vec<&str> = spent.iter().map(|spent| spent.sentence.as_str()).collect();
    let message = format!("{}\n\nGo on past it this once?", sentences.join("\n"));
    ask(app, "Go on past a budget", message, "Go on").await?;
    engine.go_over_budget(session, spent);
    Ok(())
}

/// Lets the user choose a folder, and asks for their trust where it has none yet. `None` when
/// they chose nothing. The page has no say in which folder it is.
pub(crate) async fn open_project(
    app: &AppHandle,
    engine: &App,
) -> Result<Option<ProjectSummary>, ErrorBody> {
    let Some(folder) = choose_folder(app).await else {
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
    let text = offer.text();
    if lines_shown(&text) > MOST_LINES {
        let message = "This folder brings more than fits a dialog. Read all of it and agree in a terminal: weir trust, and the folder.";
        return Err(ErrorBody::new(code::UNTRUSTED, message));
    }
    ask(app, "Trust this folder?", text, "Trust").await?;
    engine.trust_project(&offer).await.map_err(body)
}

/// Tries a hook out on a sample, after showing the user what is really started, and where.
pub(crate) async fn try_hook(app: &AppHandle, trial: Trial) -> Result<HookTrial, ErrorBody> {
    let too_long = || {
        let message = "This hook is longer than fits a dialog, so it cannot be tried out here.";
        ErrorBody::new(code::BAD_INPUT, message)
    };
    let words = trial.argv();
    let words: Option<Vec<_>> = words.iter().map(|word| visible::whole(word)).collect();
    let words = words.ok_or_else(too_long)?.join("\n");
    let folder = visible::whole(&trial.folder().to_string_lossy()).ok_or_else(too_long)?;
    let message = format!("Run this once, with made-up input?\n\n{words}\n\nin {folder}");
    if lines_shown(&message) > MOST_LINES {
        return Err(too_long());
    }
    ask(app, "Run a hook", message, "Run").await?;
    Ok(trial.run().await)
}

async fn choose_folder(app: &AppHandle) -> Option<PathBuf> {
    let (answer, answered) = oneshot::channel();
    app.dialog().file().pick_folder(move |folder| {
        // Nobody waits any more when the program is closing.
        let _ = answer.send(folder);
    });
    answered.await.ok().flatten()?.into_path().ok()
}

/// More would push the buttons off a small screen, and what cannot be seen cannot be agreed to.
const MOST_LINES: usize = 40;

/// How many lines a text takes in a dialog, about.
fn lines_shown(text: &str) -> usize {
    const WIDTH: usize = 70;
    let lines = text.lines().map(|line| line.chars().count());
    lines.map(|count| count.div_ceil(WIDTH).max(1)).sum()
}

/// The address in its plain form (no look-alike letters, nothing invisible), if it is of a
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
    use super::{lines_shown, outward};

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
    fn counts_the_lines_of_a_dialog() {
        let long = "x".repeat(141);
        let rows = [("", 0), ("a", 1), ("a\n\nb\n", 3), (long.as_str(), 3)];
        for (text, lines) in rows {
            assert_eq!(lines_shown(text), lines, "{text}");
        }
    }

    #[test]
    fn shows_where_a_look_alike_leads() {
        let url = outward("https://ex\u{430}mple.com/").unwrap();
        assert_eq!(url.as_str(), "https://xn--exmple-4nf.com/");
    }
}
