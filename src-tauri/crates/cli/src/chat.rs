//! `weir chat`: one turn, printed as it becomes durable.

use std::io::Read;
use std::pin::pin;
use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;
use weir_core::app::{App, AppError, Moving, Prompt, Raise, budget_sentence};
use weir_core::guard;
use weir_core::publish::Published;
use weir_core::tool::Mode;
use weir_protocol::{BudgetLevel, ErrorBody, Event, EventBody, RequestOptions, StopReason, code};

use crate::arguments::Chat;
use crate::attach::{self, Attached};
use crate::hook;
use crate::permission::Asker;
use crate::print::Printer;
use crate::{Exit, Failure, READER_GONE, guarding, output};

pub(crate) async fn run(app: &Arc<App>, chat: Chat) -> Result<Exit, Failure> {
    let mut printer = Printer::new(chat.to());
    let outcome = take_turn(app, chat, &mut printer).await;
    match outcome {
        // Whoever reads a stream reads there why it ends; the person, on stderr.
        Err(failure) if failure.error.code != READER_GONE && printer.fail(&failure.error)? => {
            output::complain(&failure.error.message);
            Ok(failure.exit)
        }
        outcome => outcome,
    }
}

async fn take_turn(app: &Arc<App>, chat: Chat, printer: &mut Printer) -> Result<Exit, Failure> {
    let text = match chat.prompt.as_str() {
        "-" => read_prompt()?,
        prompt => prompt.to_owned(),
    };
    let Attached { text, images } = attach::attach(text, &chat.image, &chat.file)?;
    let schema = match chat.options.schema.as_deref() {
        None => None,
        Some(file) if file.as_os_str() == "none" => None,
        Some(file) => Some(attach::schema(file)?),
    };
    let kept = match chat.session {
        Some(session) => {
            let kept = app.store().session(session).await;
            kept.map_err(AppError::from)?.options
        }
        None => RequestOptions::default(),
    };
    let running = Arc::new(OnceLock::new());
    stop_on_end(app, &running);
    let mut published = app.subscribe();
    let prompt = Prompt {
        text,
        images,
        session: chat.session,
        source: chat.source,
        model: chat.model,
        base_url: chat.base_url,
        thinking: chat.thinking,
        options: Some(chat.options.over(kept, schema)),
        system: chat.system,
        max_turns: Some(chat.max_turns),
        project: chat.project,
        mode: if chat.plan { Mode::Plan } else { Mode::Act },
        memory: chat.memory,
        raise: if chat.over_budget {
            Raise::Everything
        } else {
            Raise::default()
        },
        moving: if chat.moves {
            Moving::Allowed
        } else {
            Moving::Ask
        },
        ..Prompt::default()
    };
    let session = send(app, prompt).await?;
    let session = *running.get_or_init(|| session);
    printer.restore_from(app.vault(session).await?);
    let asker = Asker::start(app, session);
    stop_on_interrupt(app, session);
    let exit = follow(app, session, &mut published, printer, &asker).await;
    if exit.is_err() {
        app.stop(session).await?;
    }
    if matches!(exit, Ok(Exit::Done | Exit::Interrupted | Exit::HeldBack)) {
        printer.close(session)?;
    }
    exit
}

/// A stop is heard before it is sent too: a hook may take its time over a prompt.
async fn send(app: &Arc<App>, prompt: Prompt) -> Result<Uuid, Failure> {
    let asked = prompt.session;
    let mut sending = pin!(guarding::send(app, prompt));
    tokio::select! {
        sent = &mut sending => return sent,
        _ = tokio::signal::ctrl_c() => {}
    }
    tokio::select! {
        biased;
        // What was saved in this instant is a turn that stops.
        sent = &mut sending => sent,
        // None of it is on its way: a guard's question waits at the terminal.
        () = app.stop_sending(asked) => Err(AppError::Stopped.into()),
    }
}

/// All of stdin, up to just past what a prompt may have.
fn read_prompt() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let most = 8 * guard::LONGEST_PROMPT;
    std::io::stdin().take(most as u64).read_to_end(&mut bytes)?;
    if bytes.len() == most {
        // It may be cut in the middle of a letter, and nobody reads on to see how long it is.
        return Err(Failure::usage(format!(
            "The prompt on stdin is at least {most} bytes long; Weir sends at most {}. Shorten it or send it in parts.",
            guard::LONGEST_PROMPT
        )));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("The prompt on stdin is not UTF-8 text."))
}

/// The first Ctrl-C stops the turn, whose end is published like everything else; the second
/// does not wait for it. Listens beside the printing, which a full pipe may hold up.
fn stop_on_interrupt(app: &Arc<App>, session: Uuid) {
    let app = Arc::clone(app);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            tokio::spawn(async move { app.stop(session).await });
            if tokio::signal::ctrl_c().await.is_ok() {
                hook::exit(130);
            }
        }
    });
}

/// A closed terminal and a plain `kill` stop the turn too, so that what it used is counted.
fn stop_on_end(app: &Arc<App>, running: &Arc<OnceLock<Uuid>>) {
    let (app, running) = (Arc::clone(app), Arc::clone(running));
    weir_core::hook::end_with_weir(move || {
        let (app, session) = (Arc::clone(&app), running.get().copied());
        Box::pin(async move {
            if let Some(session) = session
                && let Err(error) = app.stop(session).await
            {
                tracing::warn!(%error, "the turn is found interrupted at the next start");
            }
        })
    });
}

async fn follow(
    app: &Arc<App>,
    session: Uuid,
    published: &mut UnboundedReceiver<Published>,
    printer: &mut Printer,
    asker: &Asker,
) -> Result<Exit, Failure> {
    loop {
        match published.recv().await {
            Some(Published::Events(events)) => {
                for event in events.iter().filter(|event| event.session_id == session) {
                    printer.print(event)?;
                    asker.hear(event);
                    if let EventBody::Error { error } = &event.body {
                        output::complain(&sentence(error));
                    }
                    if let Some(why) = held_back(event) {
                        output::complain(&why);
                    }
                    if let Some(exit) = end_of(event) {
                        printer.finish()?;
                        app.wait(session).await;
                        return Ok(exit);
                    }
                }
            }
            Some(Published::Notice(notice))
                if [code::PROJECT_CHANGED, code::REDACTION, code::MEMORY]
                    .contains(&notice.code.as_str()) =>
            {
                output::complain(&notice.message);
            }
            Some(Published::Notice(notice)) => {
                return Err(Failure::failed(&notice.code, notice.message));
            }
            Some(Published::Session(_) | Published::Deleted(_) | Published::Look(_)) => {}
            None => return Ok(Exit::Failed),
        }
    }
}

/// Why the turn failed, and when to try again where the source says so.
fn sentence(error: &ErrorBody) -> String {
    let mut sentence = error.message.clone();
    if let Some(seconds) = error.retry_after {
        sentence.push_str(&format!(" The source asks to wait {seconds} s."));
    }
    if let Some(advice) = advice(&error.code) {
        sentence.push(' ');
        sentence.push_str(advice);
    }
    sentence
}

/// What to do about an error that asking again does not change.
fn advice(code: &str) -> Option<&'static str> {
    match code {
        code::INVALID_KEY => Some("Store another key with weir keys set."),
        code::NO_CREDIT => Some("Add credit at the provider, or use another source."),
        code::MODEL_NOT_FOUND => Some("Name another with --model."),
        code::CONTEXT_TOO_LONG => Some("Send less, or start a new session."),
        _ => None,
    }
}

/// Why a turn stops that nobody stopped.
fn held_back(event: &Event) -> Option<String> {
    if matches!(
        &event.body,
        EventBody::Budget {
            level: BudgetLevel::Spent | BudgetLevel::Unpriced,
            ..
        }
    ) {
        return budget_sentence(&event.body);
    }
    let error = StopReason::Error;
    let has_failed =
        matches!(&event.body, EventBody::Complete { stop_reason, .. } if *stop_reason == error);
    has_failed.then(|| "The source ended the reply with an error.".to_owned())
}

/// How the program ends with this event, if it is a turn's last.
fn end_of(event: &Event) -> Option<Exit> {
    match &event.body {
        EventBody::Complete { stop_reason, .. } => Some(match stop_reason {
            StopReason::Cancelled => Exit::Interrupted,
            StopReason::Blocked | StopReason::Budget => Exit::HeldBack,
            StopReason::EndTurn
            | StopReason::MaxTokens
            | StopReason::StopSequence
            | StopReason::ToolUse
            | StopReason::PauseTurn
            | StopReason::Refusal
            | StopReason::ContentFilter
            | StopReason::MaxTurns => Exit::Done,
            StopReason::Error => Exit::Failed,
        }),
        EventBody::Error { .. } => Some(Exit::Failed),
        EventBody::SessionStart { .. }
        | EventBody::UserMessage { .. }
        | EventBody::BranchChoice { .. }
        | EventBody::PermissionRequest { .. }
        | EventBody::PermissionDecision { .. }
        | EventBody::Retry { .. }
        | EventBody::Compaction { .. }
        | EventBody::GuardrailsTriggered { .. }
        | EventBody::OutputGuardrailsTriggered { .. }
        | EventBody::Hook { .. }
        | EventBody::Budget { .. }
        | EventBody::Memories { .. }
        | EventBody::Thinking { .. }
        | EventBody::Message { .. }
        | EventBody::File { .. }
        | EventBody::ToolUse { .. }
        | EventBody::ToolResult { .. }
        | EventBody::Processing { .. }
        | EventBody::Usage { .. }
        | EventBody::Raw { .. }
        | EventBody::ThinkingChunk { .. }
        | EventBody::MessageChunk { .. }
        | EventBody::ToolUseChunk { .. }
        | EventBody::ProcessingChunk { .. } => None,
    }
}
