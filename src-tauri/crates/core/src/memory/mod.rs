//! What is remembered between sessions: found before the first prompt, kept after a turn.
//!
//! Local, in the same database, and off until the user switches it on for a project. Owns which
//! memories go with a session ([`rank`]) and what of a prompt is worth keeping ([`capture`]).
//! Invariant: it never fails or holds up a turn. What takes too long or goes wrong is done
//! without, and told beside the turn. Invariant: only what the guards let pass is kept, and
//! only ids of it are in the log. Asks no model, and knows nothing of windows.

mod capture;
mod rank;
mod terms;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::task::JoinSet;
use tokio::time::timeout;
use uuid::Uuid;
use weir_protocol::{
    ErrorBody, Event, EventBody, Forget, Forgotten, Memory, MemoryList, MemorySwitch, Notice,
    StopReason, code,
};

use crate::clock;
use crate::guard::{Guard, GuardError, GuardPolicy, Stage};
use crate::publish::{Published, Publisher};
use crate::store::{Kept, Store, StoreError};
pub(crate) use rank::Candidate;
pub(crate) use terms::terms;

/// How long a request waits for what is remembered; then it goes without. A few milliseconds are
/// usual, and a busy machine may need a thousand times that; only a disk that hangs needs more,
/// and then nothing can be saved either.
const PATIENCE: Duration = Duration::from_secs(5);
/// What a memory has at most, in bytes.
pub const LONGEST: usize = 1_000;

#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("A memory cannot be empty.")]
    Empty,
    #[error("A memory has at most {LONGEST} bytes. Shorten it.")]
    TooLong,
    #[error(
        "A guard finds something in this that is not kept: a key, personal data, or a placeholder for one."
    )]
    Guarded,
    #[error(transparent)]
    Guard(#[from] GuardError),
}

impl MemoryError {
    pub fn body(&self) -> ErrorBody {
        match self {
            Self::Store(error) => error.body(),
            Self::Empty | Self::TooLong => ErrorBody::new(code::BAD_INPUT, self.to_string()),
            Self::Guarded | Self::Guard(_) => ErrorBody::new(code::BLOCKED, self.to_string()),
        }
    }
}

/// Clones share it.
#[derive(Clone)]
pub(crate) struct Memories {
    store: Store,
    publisher: Arc<Publisher>,
    /// What is being kept beside the turns.
    tasks: Arc<Mutex<JoinSet<()>>>,
}

impl Memories {
    pub(crate) fn new(store: Store, publisher: Arc<Publisher>) -> Self {
        Self {
            store,
            publisher,
            tasks: Arc::default(),
        }
    }

    /// Whether it is on for a project; empty: for what belongs to none.
    pub(crate) async fn switch(&self, project: &str) -> Result<MemorySwitch, StoreError> {
        let kept = self.store.setting(&switch_setting(project)).await?;
        Ok(match kept.as_deref() {
            Some("on") => MemorySwitch::On,
            Some(_) | None => MemorySwitch::Off,
        })
    }

    pub(crate) async fn set_switch(
        &self,
        project: &str,
        switch: MemorySwitch,
    ) -> Result<(), StoreError> {
        let value = match switch {
            MemorySwitch::On => "on",
            MemorySwitch::Off => "",
        };
        let name = switch_setting(project);
        self.store.set_setting(name, value.to_owned()).await
    }

    pub(crate) async fn list(&self, project: &str) -> Result<MemoryList, StoreError> {
        Ok(MemoryList {
            switch: self.switch(project).await?,
            memories: self.store.memories(project).await?,
        })
    }

    pub(crate) async fn edit(
        &self,
        id: Uuid,
        content: &str,
        guards: Guards,
    ) -> Result<Memory, MemoryError> {
        let content = content.trim();
        if terms(content).is_empty() {
            return Err(MemoryError::Empty);
        }
        if content.len() > LONGEST {
            return Err(MemoryError::TooLong);
        }
        if !may_be_kept(&guards.guard().await?, content) {
            return Err(MemoryError::Guarded);
        }
        let now = clock::now();
        Ok(self.store.edit_memory(id, content.to_owned(), now).await?)
    }

    pub(crate) async fn forget(&self, which: Forget) -> Result<Forgotten, StoreError> {
        self.store.forget(which).await
    }

    /// For a turn of a project where it is on.
    pub(crate) fn for_turn(&self, project: String, guards: Guards) -> Remembering {
        Remembering {
            memories: self.clone(),
            project,
            guards,
            told: Arc::default(),
        }
    }

    /// Waits until what is being kept is kept. All of it is work on this machine's own database,
    /// which ends.
    pub(crate) async fn settle(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks());
        while tasks.join_next().await.is_some() {}
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        // A set of tasks is whole even if somebody panicked while holding it.
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memory of one turn.
#[derive(Clone)]
pub(crate) struct Remembering {
    memories: Memories,
    project: String,
    guards: Guards,
    /// Whether the turn has been told that something failed.
    told: Arc<AtomicBool>,
}

impl Remembering {
    /// The best memories for the first prompt of a session, which count as used from now on.
    pub(crate) async fn recall(&self, prompt: &str) -> Vec<Uuid> {
        let terms = terms::asked(prompt);
        let store = &self.memories.store;
        let found = timeout(PATIENCE, store.memory_candidates(&self.project, &terms)).await;
        let candidates = match found {
            Err(_) => {
                self.tell("Looking for memories took too long: this prompt went without them.");
                return Vec::new();
            }
            Ok(Err(error)) => {
                self.tell(&format!("This prompt went without memories: {error}"));
                return Vec::new();
            }
            Ok(Ok(candidates)) => candidates,
        };
        let now = clock::now();
        let best: Vec<Uuid> = rank::best(candidates, now)
            .into_iter()
            .map(|memory| memory.id)
            .collect();
        if !best.is_empty() {
            let (store, ids) = (store.clone(), best.clone());
            self.memories.spawn(async move {
                if let Err(error) = store.use_memories(ids, now).await {
                    tracing::warn!(%error, "memories that went along are not counted");
                }
            });
        }
        best
    }

    /// The words of the memories that go with a session, as they are now: edited ones as edited,
    /// and forgotten ones not at all.
    pub(crate) async fn resolve(&self, history: &[Event]) -> Vec<String> {
        let ids = went_with(history);
        if ids.is_empty() {
            return Vec::new();
        }
        let guard = match self.guards.guard().await {
            Ok(guard) => guard,
            Err(error) => {
                self.tell(&format!("This prompt went without memories: {error}"));
                return Vec::new();
            }
        };
        match timeout(PATIENCE, self.memories.store.memories_by_id(ids)).await {
            Ok(Ok(memories)) => memories
                .into_iter()
                .map(|memory| memory.content)
                .filter(|content| may_be_kept(&guard, content))
                .collect(),
            Ok(Err(error)) => {
                self.tell(&format!("This prompt went without memories: {error}"));
                Vec::new()
            }
            Err(_) => {
                self.tell("Reading memories took too long: this prompt went without them.");
                Vec::new()
            }
        }
    }

    /// Keeps what is worth it of a turn that is over, beside everything else.
    pub(crate) fn capture(&self, session: Uuid, turn: Uuid) {
        let own = self.clone();
        self.memories.spawn(async move {
            if let Err(error) = own.keep(session, turn).await {
                own.tell(&format!("What you said could not be remembered: {error}"));
            }
        });
    }

    async fn keep(&self, session: Uuid, turn: Uuid) -> Result<(), MemoryError> {
        let store = &self.memories.store;
        let asked = store.prompt(session, turn).await?;
        let since = asked.sequence_number.unwrap_or_default().saturating_sub(1);
        let events = store.turn_events_since(session, since).await?;
        let own = events.iter().filter(|event| event.turn_id == Some(turn));
        if !own.clone().any(is_complete) {
            return Ok(());
        }
        let EventBody::UserMessage { content, .. } = &asked.body else {
            return Ok(());
        };
        let found = capture::worth_keeping(content);
        if found.is_empty() {
            return Ok(());
        }
        let guard = self.guards.guard().await?;
        let at = clock::now();
        let kept: Vec<Kept> = found
            .into_iter()
            .filter(|found| may_be_kept(&guard, &found.content))
            .map(|found| Kept {
                project: self.project.clone(),
                content: found.content,
                kind: found.kind,
                session,
                turn,
                at,
            })
            .collect();
        if kept.is_empty() {
            return Ok(());
        }
        store.remember(kept).await?;
        Ok(())
    }

    /// A failure that the turn does not wait for, told once.
    fn tell(&self, message: &str) {
        tracing::warn!(message, "memory");
        if !self.told.swap(true, Ordering::Relaxed) {
            self.memories.publisher.publish(Published::Notice(Notice {
                code: code::MEMORY.to_owned(),
                message: message.to_owned(),
            }));
        }
    }
}

/// The memories that went with a session's first prompt.
fn went_with(history: &[Event]) -> &[Uuid] {
    let went = history.iter().find_map(|event| {
        if let EventBody::Memories { memories } = &event.body {
            Some(memories.as_slice())
        } else {
            None
        }
    });
    went.unwrap_or_default()
}

/// Whether a turn came to an end that says the model has read its prompt.
fn is_complete(event: &Event) -> bool {
    let EventBody::Complete { stop_reason, .. } = &event.body else {
        return false;
    };
    match stop_reason {
        StopReason::EndTurn
        | StopReason::MaxTokens
        | StopReason::StopSequence
        | StopReason::ToolUse
        | StopReason::PauseTurn
        | StopReason::MaxTurns
        | StopReason::Budget => true,
        StopReason::Refusal
        | StopReason::ContentFilter
        | StopReason::Error
        | StopReason::Cancelled
        | StopReason::Blocked => false,
    }
}

/// What the user wants of the guards. They are made when the first text is looked at, and once:
/// a turn without memories does not wait for them. Guards that cannot be made let nothing pass.
#[derive(Clone)]
pub(crate) struct Guards {
    policy: Arc<Result<GuardPolicy, String>>,
    made: Arc<OnceCell<Guard>>,
}

impl Guards {
    pub(crate) fn new(policy: Result<GuardPolicy, String>) -> Self {
        Self {
            policy: Arc::new(policy),
            made: Arc::default(),
        }
    }

    async fn guard(&self) -> Result<Guard, GuardError> {
        let make = || async {
            let policy = Arc::clone(&self.policy);
            let made = tokio::task::spawn_blocking(move || match policy.as_ref() {
                Ok(policy) => Guard::of(policy),
                Err(reason) => Err(GuardError::Broken(reason.clone())),
            });
            let made = made.await;
            made.unwrap_or_else(|panic| Err(GuardError::Broken(panic.to_string())))
        };
        self.made.get_or_try_init(make).await.cloned()
    }
}

/// Whether the guards let this be remembered: anything they find keeps it out, whatever they
/// would make of it in a prompt.
fn may_be_kept(guard: &Guard, content: &str) -> bool {
    !capture::has_placeholder(content) && guard.check(Stage::Input, content).is_empty()
}

const SWITCH: &str = "memory.on.";

fn switch_setting(project: &str) -> String {
    format!("{SWITCH}{project}")
}
