//! What `weir chat` prints of a turn: text for a person, events as JSON lines, or the AI SDK's
//! UI message stream.

use uuid::Uuid;
use weir_core::app::budget_sentence;
use weir_core::format::ai_sdk::AiSdk;
use weir_core::format::replay::Replay;
use weir_core::redact::Vault;
use weir_core::redact::placeholder::Restoring;
use weir_core::store::TakenFrom;
use weir_protocol::{BudgetLevel, Citation, ErrorBody, Event, EventBody, StreamEvent, Usage};

use crate::arguments::ChatTo;
use crate::{Failure, guarding, hook, output};

/// Prints one turn.
pub(crate) enum Printer {
    Text(Box<TextPrinter>),
    Json,
    AiSdk(Box<Stream>),
}

#[derive(Default)]
pub(crate) struct Stream {
    replay: Replay,
    format: AiSdk,
}

impl Stream {
    fn print(&mut self, event: &Event) -> Result<(), Failure> {
        let (mut said, mut bytes) = (Vec::new(), Vec::new());
        self.replay.push(event, &mut said);
        for event in &said {
            self.format.write(event, &mut bytes);
        }
        Ok(output::bytes(&bytes)?)
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        self.format.finish(&mut bytes);
        Ok(output::bytes(&bytes)?)
    }
}

impl Printer {
    pub(crate) fn new(to: ChatTo) -> Self {
        match to {
            ChatTo::Text => Self::Text(Box::new(TextPrinter::new())),
            ChatTo::Json => Self::Json,
            ChatTo::AiSdk => Self::AiSdk(Box::default()),
        }
    }

    /// From here on a person reads the originals of what they said.
    pub(crate) fn restore_from(&mut self, vault: Vault) {
        match self {
            Self::Text(text) => text.vault = Some(vault),
            Self::Json | Self::AiSdk(_) => {}
        }
    }

    pub(crate) fn print(&mut self, event: &Event) -> Result<(), Failure> {
        match self {
            Self::Text(text) => text.print(event),
            Self::Json => Ok(output::line(event)?),
            Self::AiSdk(stream) => stream.print(event),
        }
    }

    /// The turn is over.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        match self {
            Self::Text(_) | Self::Json => Ok(()),
            Self::AiSdk(stream) => stream.finish(),
        }
    }

    /// Says where to find the turn again.
    pub(crate) fn close(&mut self, session: Uuid) -> Result<(), Failure> {
        match self {
            Self::Text(text) => text.note(&format!("session {session}")),
            Self::Json | Self::AiSdk(_) => Ok(()),
        }
    }

    /// Ends a stream that somebody reads with why there is no more of it. Says whether there
    /// is such a stream.
    pub(crate) fn fail(&mut self, error: &ErrorBody) -> Result<bool, Failure> {
        let Self::AiSdk(stream) = self else {
            return Ok(false);
        };
        let error = error.clone();
        let mut bytes = Vec::new();
        stream
            .format
            .write(&StreamEvent::Error { error }, &mut bytes);
        output::bytes(&bytes)?;
        stream.finish()?;
        Ok(true)
    }
}

/// Prints events as a person reads them.
pub(crate) struct TextPrinter {
    dim: &'static str,
    plain: &'static str,
    /// The block whose text was printed last; another one starts on a new line.
    block: Option<u32>,
    kind: Kind,
    /// What stands behind the placeholders: a person reads the originals.
    vault: Option<Vault>,
    restoring: Restoring,
    /// What the turn cites, each source once; its place is its number.
    cited: Vec<Citation>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Dimmed,
}

impl TextPrinter {
    fn new() -> Self {
        let (dim, plain) = if output::is_terminal() {
            ("\u{1b}[2m", "\u{1b}[0m")
        } else {
            ("", "")
        };
        Self {
            dim,
            plain,
            block: None,
            kind: Kind::Text,
            vault: None,
            restoring: Restoring::default(),
            cited: Vec::new(),
        }
    }

    fn print(&mut self, event: &Event) -> Result<(), Failure> {
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
                self.mark(citations)?;
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
            EventBody::Budget { level, .. }
                if !matches!(level, BudgetLevel::Spent | BudgetLevel::Unpriced) =>
            {
                let said = budget_sentence(&event.body);
                self.note(&said.unwrap_or_default())?;
            }
            EventBody::Complete { .. } | EventBody::Error { .. } => self.list_sources()?,
            EventBody::SessionStart { .. }
            | EventBody::UserMessage { .. }
            | EventBody::BranchChoice { .. }
            | EventBody::PermissionDecision { .. }
            | EventBody::Budget { .. }
            | EventBody::Thinking { .. }
            | EventBody::ToolUseChunk { .. }
            | EventBody::Processing { .. }
            | EventBody::Raw { .. } => {}
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
        let vault = self.vault.as_ref();
        let shown = self.restoring.push(content, |it| shown(vault?, it));
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

    /// The numbers of what the block that has ended cites, right behind it.
    fn mark(&mut self, citations: &[Citation]) -> Result<(), Failure> {
        let mut numbers: Vec<usize> = Vec::new();
        for citation in citations {
            let is_it = |known: &Citation| named(known) == named(citation);
            let at = self.cited.iter().position(is_it).unwrap_or_else(|| {
                self.cited.push(citation.clone());
                self.cited.len() - 1
            });
            if !numbers.contains(&(at + 1)) {
                numbers.push(at + 1);
            }
        }
        if !numbers.is_empty() {
            let rest = self.restoring.finish();
            self.say(&rest)?;
            let marks: String = numbers.iter().map(|number| format!("[{number}]")).collect();
            output::write(&marks)?;
        }
        Ok(())
    }

    /// What the marks stand for.
    fn list_sources(&mut self) -> Result<(), Failure> {
        for (number, citation) in (1..).zip(std::mem::take(&mut self.cited)) {
            let (title, url) = named(&citation);
            let place = url.map_or_else(String::new, |url| format!(" {url}"));
            let scores = [
                ("relevance", citation.relevance),
                ("confidence", citation.confidence),
            ];
            let scores = scores
                .into_iter()
                .filter_map(|(name, score)| Some((name, score?)));
            let scores = scores.map(|(name, score)| format!(" ({name} {score:.2})"));
            let scores: String = scores.collect();
            self.note(&format!("[{number}] {title}{place}{scores}"))?;
        }
        Ok(())
    }
}

/// What tells one source from another.
fn named(citation: &Citation) -> (&str, Option<&str>) {
    let url = citation.url.as_deref();
    (citation.title.as_deref().or(url).unwrap_or("A source"), url)
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
