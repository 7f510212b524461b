//! Folds a session's events, in order, into what the web view is sent.
//!
//! Owns which text blocks read as one run and how citations are numbered. A turn shown from
//! its chunks and its finished blocks comes to the same HTML as one shown from the finished
//! blocks alone. State is kept for the current turn only.
//!
//! Blocks of a turn are taken to come one after the other: a block that has been followed by
//! another of its run does not change any more.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use uuid::Uuid;
use weir_protocol::{Citation, Event, EventBody, Rendered, Restored, Shown};

use super::markdown::{Change, LiveMarkdown};
use super::restore::{self, Originals};
use crate::redact::placeholder;
use crate::redact::vault::Vault;
use crate::store::TakenFrom;

#[derive(Debug, Default)]
pub struct View {
    turn: Option<Uuid>,
    text: Option<Run>,
    thinking: Option<Run>,
    citations: HashMap<Source, u32>,
    /// What was taken out of the session's texts.
    vault: Option<Vault>,
    /// Whether the user has agreed to see the originals of the session.
    revealed: Arc<AtomicBool>,
}

/// What makes two citations the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Source {
    Url(String),
    Quote {
        title: Option<String>,
        text: Option<String>,
    },
}

#[derive(Debug)]
struct Run {
    name: u32,
    block: u32,
    state: BlockState,
    live: LiveMarkdown,
    /// Something else was shown since; the next block begins another run.
    ended: bool,
}

#[derive(Debug)]
enum BlockState {
    Growing {
        pushed: String,
        /// The run as it was before this block, for when the finished block says otherwise.
        before: Box<LiveMarkdown>,
    },
    Finished,
}

impl View {
    pub fn new() -> Self {
        Self::default()
    }

    /// One that marks what was redacted in the session's texts; once `revealed` it shows what the
    /// user said there themselves.
    pub fn restoring(vault: Vault, revealed: Arc<AtomicBool>) -> Self {
        Self {
            vault: Some(vault),
            revealed,
            ..Self::default()
        }
    }

    /// What the web view is sent for an event.
    pub fn show(&mut self, event: Event) -> Shown {
        if event.turn_id != self.turn {
            *self = Self {
                turn: event.turn_id,
                vault: self.vault.take(),
                revealed: Arc::clone(&self.revealed),
                ..Self::default()
            };
        }
        let block = event.block_index.unwrap_or_default();
        let rendered = match &event.body {
            EventBody::MessageChunk { content, .. } => {
                self.end_thinking();
                Self::grow(&mut self.text, block, content)
            }
            EventBody::Message {
                content, citations, ..
            } => {
                self.end_thinking();
                let numbers = number(&mut self.citations, citations);
                Self::finish(&mut self.text, block, content, &numbers)
            }
            EventBody::ThinkingChunk { content } => {
                self.end_text(event.block_index);
                Self::grow(&mut self.thinking, block, content)
            }
            EventBody::Thinking { content, .. } => {
                self.end_text(event.block_index);
                let rendered = Self::finish(&mut self.thinking, block, content, &[]);
                self.end_thinking();
                rendered
            }
            EventBody::File { .. }
            | EventBody::ToolUse { .. }
            | EventBody::ToolUseChunk { .. }
            | EventBody::ToolResult { .. }
            | EventBody::Processing { .. }
            | EventBody::ProcessingChunk { .. } => {
                self.end_text(event.block_index);
                self.end_thinking();
                None
            }
            EventBody::UserMessage { .. }
            | EventBody::Complete { .. }
            | EventBody::Error { .. } => {
                self.text = None;
                self.thinking = None;
                None
            }
            EventBody::SessionStart { .. }
            | EventBody::Raw { .. }
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
            | EventBody::Usage { .. } => None,
        };
        let Some(vault) = self.vault.as_ref().filter(|vault| !vault.is_empty()) else {
            let restored = Vec::new();
            return Shown {
                event,
                rendered,
                restored,
            };
        };
        let originals = match self.revealed.load(Ordering::Relaxed) {
            true => Originals::Shown,
            false => Originals::OnRequest,
        };
        Shown {
            rendered: rendered.map(|rendered| with_originals(rendered, vault, originals)),
            restored: restored(&event, vault, originals),
            event,
        }
    }

    fn grow(slot: &mut Option<Run>, block: u32, content: &str) -> Option<Rendered> {
        let run = Run::at(slot, block)?;
        let BlockState::Growing { pushed, .. } = &mut run.state else {
            return None;
        };
        pushed.push_str(content);
        run.live.push(content);
        let name = run.name;
        run.live.take().map(|change| rendered(name, change))
    }

    fn finish(
        slot: &mut Option<Run>,
        block: u32,
        content: &str,
        numbers: &[u32],
    ) -> Option<Rendered> {
        let run = Run::at(slot, block)?;
        let state = std::mem::replace(&mut run.state, BlockState::Finished);
        let BlockState::Growing { pushed, before } = state else {
            return None;
        };
        match content.strip_prefix(pushed.as_str()) {
            Some(rest) => run.live.push(rest),
            None => {
                run.live = *before;
                run.live.push(content);
            }
        }
        for number in numbers {
            run.live.mark(*number);
        }
        Some(rendered(run.name, run.live.finish()))
    }

    /// A visible block ends the run it follows. One that stands before the growing block, such
    /// as a late result, does not cut that block in two.
    fn end_text(&mut self, block: Option<u32>) {
        if let Some(run) = &mut self.text {
            run.ended |= match run.state {
                BlockState::Finished => true,
                BlockState::Growing { .. } => block.is_some_and(|block| block > run.block),
            };
        }
    }

    /// Thinking is a run of one block.
    fn end_thinking(&mut self) {
        if let Some(run) = &mut self.thinking {
            run.ended = true;
        }
    }
}

impl Run {
    /// The run in `slot` with `block` as its last, begun or continued as needed; nothing for a
    /// block that another has already followed.
    fn at(slot: &mut Option<Run>, block: u32) -> Option<&mut Run> {
        if slot.as_ref().is_some_and(|run| block < run.block) {
            return None;
        }
        let run = match slot.take() {
            Some(run) if run.block == block => run,
            Some(run) if !run.ended => Run {
                block,
                state: BlockState::growing_after(&run.live),
                ..run
            },
            Some(_) | None => {
                let live = LiveMarkdown::new();
                Run {
                    name: block,
                    block,
                    state: BlockState::growing_after(&live),
                    live,
                    ended: false,
                }
            }
        };
        Some(slot.insert(run))
    }
}

impl BlockState {
    /// Between events all finished pieces have been handed out, so the copy is of the tail.
    fn growing_after(live: &LiveMarkdown) -> Self {
        Self::Growing {
            pushed: String::new(),
            before: Box::new(live.clone()),
        }
    }
}

/// The numbers of a block's citations, each once, in order; new ones continue the turn's count.
fn number(known: &mut HashMap<Source, u32>, citations: &[Citation]) -> Vec<u32> {
    let mut seen = HashSet::new();
    let mut numbers = Vec::with_capacity(citations.len());
    for citation in citations {
        let source = match &citation.url {
            Some(url) => Source::Url(url.clone()),
            None => Source::Quote {
                title: citation.title.clone(),
                text: citation.cited_text.clone(),
            },
        };
        let next = u32::try_from(known.len() + 1).unwrap_or(u32::MAX);
        let number = *known.entry(source).or_insert(next);
        if seen.insert(number) {
            numbers.push(number);
        }
    }
    numbers
}

fn with_originals(rendered: Rendered, vault: &Vault, originals: Originals) -> Rendered {
    let restore = |html| restore::restore(html, vault, originals);
    Rendered {
        pieces: rendered.pieces.into_iter().map(restore).collect(),
        tail: restore(rendered.tail),
        ..rendered
    }
}

/// What the placeholders in an event's plain texts stand for, each once.
fn restored(event: &Event, vault: &Vault, originals: Originals) -> Vec<Restored> {
    let Ok(text) = serde_json::to_string(&event.body) else {
        return Vec::new();
    };
    let mut restored: Vec<Restored> = Vec::new();
    for place in placeholder::find(&text) {
        let placeholder = &text[place];
        let known = restored.iter().any(|it| it.placeholder == placeholder);
        if !known && let Some(original) = vault.original(placeholder) {
            restored.push(Restored {
                placeholder: placeholder.to_owned(),
                original: match (original.taken_from, originals) {
                    (TakenFrom::Input, Originals::Shown) => vault.exposed(placeholder),
                    (TakenFrom::Input, Originals::OnRequest) | (TakenFrom::Output, _) => None,
                },
            });
        }
    }
    restored
}

fn rendered(run: u32, change: Change) -> Rendered {
    Rendered {
        run,
        from: change.from,
        pieces: change.pieces,
        tail: change.tail,
    }
}
