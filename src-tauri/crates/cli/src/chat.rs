//! `weir chat`: one turn, printed as it becomes durable.

use std::io::Read;
use std::pin::pin;
use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;
use weir_core::app::{App, AppError, Prompt, Raise, budget_sentence};
use weir_core::guard;
use weir_core::publish::Published;
use weir_core::redact::Vault;
use weir_core::redact::placeholder::Restoring;
use weir_core::store::TakenFrom;
use weir_core::tool::Mode;
use weir_protocol::{BudgetLevel, ErrorBody, Event, EventBody, StopReason, Usage, code};

use crate::arguments::Chat;
use crate::hook;
use crate::permission::Asker;
use crate::{Exit, Failure, guarding, output};

pub(crate) async fn run(app: &Arc<App>, chat: Chat) -> Result<Exit, Failure> {
    let text = match chat.prompt.as_str() {
        "-" => read_prompt()?,
        prompt => prompt.to_owned(),
    };
    let running = Arc::new(OnceLock::new());
    stop_on_end(app, &running);
    let mut published = app.subscribe();
    let prompt = Prompt {
        text,
        session: chat.session,
        source: chat.source,
        model: chat.model,
        base_url: chat.base_url,
        thinking: chat.thinking,
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
        ..Prompt::default()
    };
    let session = send(app, prompt).await?;
    let session = *running.get_or_init(|| session);
    let vault = app.vault(session).await?;
    let mut printer = Printer::new(chat.json, vault);
    let asker = Asker::start(app, session);
    stop_on_interrupt(app, session);
    let exit = follow(app, session, &mut published, &mut printer, &asker).await;
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
    std::io::stdin()
        .take(8 * guard::LONGEST_PROMPT as u64)
        .read_to_end(&mut bytes)?;
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
    match error.retry_after {
        Some(seconds) => format!("{} The source asks to wait {seconds} s.", error.message),
        None => error.message.clone(),
    }
}

/// Why a turn stops that nobody stopped.
fn held_back(event: &Event) -> Option<String> {
    let spent = BudgetLevel::Spent;
    if matches!(&event.body, EventBody::Budget { level, .. } if *level == spent) {
        return budget_sentence(&event.body);
    }
    None
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
            | StopReason::MaxTurns
            | StopReason::Error => Exit::Done,
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
        | EventBody::ThinkingChunk { .. }
        | EventBody::MessageChunk { .. }
        | EventBody::ToolUseChunk { .. }
        | EventBody::ProcessingChunk { .. } => None,
    }
}

/// Prints events as JSON lines, or as a person reads them.
struct Printer {
    json: bool,
    dim: &'static str,
    plain: &'static str,
    /// The block whose text was printed last; another one starts on a new line.
    block: Option<u32>,
    kind: Kind,
    /// What stands behind the placeholders: a person reads the originals.
    vault: Vault,
    restoring: Restoring,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Dimmed,
}

impl Printer {
    fn new(json: bool, vault: Vault) -> Self {
        let (dim, plain) = if output::is_terminal() {
            ("\u{1b}[2m", "\u{1b}[0m")
        } else {
            ("", "")
        };
        Self {
            json,
            dim,
            plain,
            block: None,
            kind: Kind::Text,
            vault,
            restoring: Restoring::default(),
        }
    }

    fn print(&mut self, event: &Event) -> Result<(), Failure> {
        if self.json {
            output::line(event)?;
            return Ok(());
        }
        match &event.body {
            EventBody::ThinkingChunk { content } | EventBody::ProcessingChunk { content } => {
                self.grow(event, content, Kind::Dimmed)?;
            }
            EventBody::MessageChunk { content, .. } => self.grow(event, content, Kind::Text)?,
            EventBody::ToolUse {
                tool_name, input, ..
            } => self.note(&format!("{tool_name} {input}"))?,
            EventBody::ToolResult {
                tool_name,
                is_error,
                duration_ms,
                ..
            } => {
                let outcome = if *is_error { "failed" } else { "answered" };
                self.note(&format!("{tool_name} {outcome} after {duration_ms} ms"))?;
            }
            EventBody::Message { citations, .. } => {
                for citation in citations {
                    let title = citation.title.as_deref().unwrap_or("source");
                    let place = citation.url.as_deref().unwrap_or_default();
                    self.note(&format!("cites {title} {place}"))?;
                }
            }
            EventBody::File { url, media_type } => {
                let place = if url.starts_with("data:") { "" } else { url };
                self.note(&format!("made {media_type} {place}"))?;
            }
            EventBody::Usage {
                usage,
                cost,
                first_chunk_ms,
                duration_ms,
                is_estimate,
                ..
            } => {
                let line = usage_line(usage, *cost, *first_chunk_ms, *duration_ms);
                // What its source did not count to the end is about right.
                let about = if *is_estimate { "≈ " } else { "" };
                self.note(&format!("{about}{line}"))?;
            }
            EventBody::Retry {
                attempt,
                most_attempts,
                delay_ms,
                error,
            } => {
                let seconds = delay_ms.div_ceil(1000);
                let message = &error.message;
                self.note(&format!(
                    "{message} Trying again in {seconds} s ({attempt} of {most_attempts})."
                ))?;
            }
            EventBody::PermissionRequest {
                tool_name, reason, ..
            } => self.note(&format!("{tool_name} waits for permission: {reason}"))?,
            EventBody::Compaction { tokens_before, .. } => self.note(&format!(
                "The conversation was shortened; it had about {tokens_before} tokens."
            ))?,
            EventBody::Hook {
                hook_event,
                command,
                outcome,
                message,
                ..
            } => {
                if let Some(note) = hook::note(*hook_event, command, *outcome, message.as_deref()) {
                    self.note(&note)?;
                }
            }
            EventBody::GuardrailsTriggered {
                verdict,
                detections,
                tool_call_id,
                ..
            } => {
                let place = match tool_call_id {
                    Some(_) => "a tool's result",
                    None => "the prompt",
                };
                self.note(&guarding::sentence(*verdict, detections, place))?;
            }
            EventBody::OutputGuardrailsTriggered {
                verdict,
                detections,
                ..
            } => self.note(&guarding::sentence(*verdict, detections, "the reply"))?,
            EventBody::Memories { memories } => self.note(&match memories.len() {
                1 => "1 memory went with this".to_owned(),
                count => format!("{count} memories went with this"),
            })?,
            // What is spent is said on stderr, with why the turn ends.
            EventBody::Budget { level, .. } if *level != BudgetLevel::Spent => {
                let said = budget_sentence(&event.body);
                self.note(&said.unwrap_or_default())?;
            }
            EventBody::SessionStart { .. }
            | EventBody::UserMessage { .. }
            | EventBody::BranchChoice { .. }
            | EventBody::PermissionDecision { .. }
            | EventBody::Budget { .. }
            | EventBody::Thinking { .. }
            | EventBody::ToolUseChunk { .. }
            | EventBody::Processing { .. }
            | EventBody::Complete { .. }
            | EventBody::Error { .. } => {}
        }
        Ok(())
    }

    fn grow(&mut self, event: &Event, content: &str, kind: Kind) -> Result<(), Failure> {
        // Text blocks that a source cut apart to cite go on in the same paragraph.
        if self.block != event.block_index && self.kind != kind {
            self.end_block()?;
        }
        self.block = event.block_index;
        self.kind = kind;
        let shown = self.restoring.push(content, |it| shown(&self.vault, it));
        self.say(&shown)
    }

    fn say(&self, content: &str) -> Result<(), Failure> {
        let content = output::plain(content);
        match self.kind {
            Kind::Text => output::write(&content)?,
            Kind::Dimmed if content.is_empty() => {}
            Kind::Dimmed => output::write(&format!("{}{content}{}", self.dim, self.plain))?,
        }
        Ok(())
    }

    fn note(&mut self, note: &str) -> Result<(), Failure> {
        self.end_block()?;
        let note = output::plain(note);
        output::write(&format!("{}{note}{}\n", self.dim, self.plain))?;
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), Failure> {
        if self.block.take().is_some() {
            let rest = self.restoring.finish();
            self.say(&rest)?;
            output::write("\n\n")?;
        }
        Ok(())
    }

    /// Says where to find the turn again.
    fn close(&mut self, session: Uuid) -> Result<(), Failure> {
        if !self.json {
            self.note(&format!("session {session}"))?;
        }
        Ok(())
    }
}

/// What a person reads in the place of a placeholder: what they said themselves, and no secret
/// that a model said.
fn shown(vault: &Vault, placeholder: &str) -> Option<String> {
    let original = vault.original(placeholder)?;
    match original.taken_from {
        TakenFrom::Input => vault.exposed(placeholder),
        TakenFrom::Output => None,
    }
}

fn usage_line(
    usage: &Usage,
    cost: Option<f64>,
    first_chunk_ms: Option<u64>,
    duration_ms: u64,
) -> String {
    let mut parts = vec![
        format!("{} in", usage.input_tokens),
        format!("{} out", usage.output_tokens),
    ];
    let cached = usage.cache_read_tokens;
    if cached > 0 {
        parts.push(format!("{cached} cached"));
    }
    if let Some(cost) = cost {
        parts.push(format!("${cost:.4}"));
    }
    if let Some(first) = first_chunk_ms {
        parts.push(format!("{:.1} s to first", first as f64 / 1000.0));
        let streaming = duration_ms.saturating_sub(first);
        if streaming > 0 {
            let rate = usage.output_tokens as f64 * 1000.0 / streaming as f64;
            parts.push(format!("{rate:.0} tok/s"));
        }
    }
    parts.join(" · ")
}
