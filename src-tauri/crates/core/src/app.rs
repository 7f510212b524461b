//! The engine as a whole: what the window and the command line call.
//!
//! Owns which turns are running and ties the parts together; every part is tested without it.
//! Knows nothing of windows, terminals or how its answers are shown.

mod budget;
mod destination;
mod guarding;
mod hooks;
mod limits;
mod memory;
mod permission;
pub mod project;
mod sending;
mod servers;
mod sessions;
mod settings;
mod stopping;
mod usage;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{RwLock, mpsc, watch};
use uuid::Uuid;
use weir_protocol::{
    ErrorBody, Event, EventBody, Image, MemorySwitch, Notice, RequestOptions, SessionSummary,
    Thinking, code,
};

use crate::clock;
use crate::guard;
use crate::memory::{Memories, MemoryError};
use crate::project::{Project, ProjectError};
use crate::publish::{Published, Publisher};
use crate::redact::{Choice, HeldBack, Keeper};
use crate::secret::{KeyError, Keychain, KeychainError, Secrets, SourceSecrets};
use crate::source::custom::ServerError;
use crate::source::price::Prices;
use crate::source::{self, Connection, Sent, Source, SourceError, StepRequest, context};
use crate::store::{Destination, Opening, SealedOriginal, Store, StoreError};
use crate::tool::permission::Permissions;
use crate::tool::{Mode, Tools};
use crate::turn::budget::Ledger;
use crate::turn::fit::{Fixed, PromptTooLong};
use crate::turn::limits::Meter;
use crate::turn::{MAX_TURNS, Questions, Taint, Turn, TurnHooks, TurnId, prepare, prepared_size};

pub use crate::turn::budget::{Raise, dollars, sentence as budget_sentence};
pub use crate::turn::limits::{LIMITS, Limit, LimitError, ReplyLimits};
pub use crate::turn::{Patience, Waiting};
pub use budget::{BudgetSpent, Loosened, SpentBudget, WhyHeld};
pub use destination::{MoveAsks, Moving};
pub use hooks::{HeldByHook, Trial};

/// How long after the start a large database is read whole.
const CHECK_AFTER: Duration = Duration::from_secs(5);

pub struct App {
    store: Store,
    secrets: Arc<Secrets>,
    keeper: Keeper,
    http: source::http::Http,
    publisher: Arc<Publisher>,
    memories: Memories,
    patience: Patience,
    running: Mutex<HashMap<Uuid, Running>>,
    /// Turns that ended in a failed save, with what their end is to say.
    unended: Mutex<HashMap<Uuid, String>>,
    /// Shared by those whose prompt is being saved and who are not in `running` yet.
    starting: RwLock<()>,
    sending: sending::Sending,
    hooks: hooks::HookState,
    /// What the steps under way are thought to spend.
    ledger: Arc<Ledger>,
    /// The limits that the next prompt of a session, or of a new one, may go past.
    once: Mutex<HashMap<Option<Uuid>, HashSet<String>>>,
}

struct Running {
    turn: Uuid,
    stop: watch::Sender<bool>,
    /// What the turn asks the user.
    questions: Questions,
    /// Closes when the turn's task is over.
    over: watch::Receiver<()>,
}

/// What a user asks, and what they want otherwise than configured.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    pub text: String,
    /// Goes on with this session; a new one when absent.
    pub session: Option<Uuid>,
    /// These five: what its session keeps unless said, else the defaults.
    pub source: Option<String>,
    pub model: Option<String>,
    pub base_url: Option<String>,
    pub thinking: Option<Thinking>,
    pub options: Option<RequestOptions>,
    pub system: Option<String>,
    pub images: Vec<Image>,
    /// The turn of the session whose place this prompt takes.
    pub replaces: Option<Uuid>,
    /// How many steps the turn may have; 20 unless said.
    pub max_turns: Option<u32>,
    /// The folder it is about; it has to be trusted.
    pub project: Option<PathBuf>,
    pub mode: Mode,
    /// The user's word where a guard asks first.
    pub choice: Choice,
    /// Whether this turn remembers; as its project does unless said.
    pub memory: Option<MemorySwitch>,
    /// How far it may go past budgets.
    pub raise: Raise,
    /// Whether the session's history may go to a recipient that has not had it.
    pub moving: Moving,
}

/// Longer ones are no titles; a list of sessions shows a few words of each.
const LONGEST_TITLE: usize = 500;

#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Keychain(#[from] KeychainError),
    #[error(transparent)]
    Blocked(#[from] guard::Blocked),
    #[error(transparent)]
    HeldByHook(#[from] HeldByHook),
    #[error("It was stopped before it was sent.")]
    Stopped,
    #[error("There is no such hook, or not as you agreed to it.")]
    NoHook,
    #[error(transparent)]
    Budget(#[from] BudgetSpent),
    #[error(transparent)]
    HeldBack(#[from] HeldBack),
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Memory(MemoryError),
    #[error("A title cannot be empty.")]
    EmptyTitle,
    #[error("A title can have at most {LONGEST_TITLE} characters. Shorten it.")]
    LongTitle,
    #[error("A price is a model's name and numbers that are not below zero.")]
    BadPrice,
    #[error("A budget is a limit that is not below zero, of a source that is there or a folder.")]
    BadBudget,
    #[error("These options cannot be used: {0}.")]
    BadOptions(&'static str),
    #[error(transparent)]
    Limit(#[from] LimitError),
    #[error("This call no longer waits for an answer.")]
    NotWaiting,
    #[error("A turn has at least one step.")]
    NoSteps,
    #[error(
        "This reply is streaming in another Weir, which has not stopped it yet. Stop it there, or try again."
    )]
    ElsewhereRunning,
    #[error(transparent)]
    MoveAsks(Box<MoveAsks>),
    #[error(
        "This session was asked of {0:?}, and this Weir has no such source. Choose another one for it."
    )]
    SourceGone(String),
    #[error(transparent)]
    PromptTooLong(#[from] PromptTooLong),
}

impl AppError {
    pub fn body(&self) -> ErrorBody {
        match self {
            Self::Store(error) => error.body(),
            Self::Source(error) => error.body(),
            Self::Server(error) => ErrorBody::new(code::BAD_INPUT, error.to_string()),
            Self::Key(error) => error.body(),
            Self::Keychain(error) => error.body(),
            Self::Blocked(error) => error.body(),
            Self::HeldByHook(error) => error.body(),
            Self::Stopped => ErrorBody::new(code::STOPPED, self.to_string()),
            Self::Budget(error) => error.body(),
            Self::HeldBack(error) => error.body(),
            Self::EmptyTitle
            | Self::LongTitle
            | Self::BadPrice
            | Self::BadBudget
            | Self::NoSteps
            | Self::BadOptions(_)
            | Self::NoHook => ErrorBody::new(code::BAD_INPUT, self.to_string()),
            Self::Limit(error) => ErrorBody::new(code::BAD_INPUT, error.to_string()),
            Self::NotWaiting => ErrorBody::new(code::NOT_WAITING, self.to_string()),
            Self::Project(error) => error.body(),
            Self::Memory(error) => error.body(),
            Self::MoveAsks(asks) => asks.body(),
            Self::SourceGone(_) => ErrorBody::new(code::UNKNOWN_SOURCE, self.to_string()),
            Self::PromptTooLong(error) => error.body(),
            Self::ElsewhereRunning => ErrorBody::new(code::BUSY, self.to_string()),
        }
    }
}

impl App {
    pub async fn open(
        folder: PathBuf,
        keychain: Arc<dyn Keychain>,
    ) -> Result<(Arc<Self>, Vec<Notice>), AppError> {
        Self::open_with(folder, keychain, Patience::default()).await
    }

    /// With another patience than the program's.
    pub async fn open_with(
        folder: PathBuf,
        keychain: Arc<dyn Keychain>,
        patience: Patience,
    ) -> Result<(Arc<Self>, Vec<Notice>), AppError> {
        let publisher = Arc::<Publisher>::default();
        let (store, notices) =
            Store::open_reckoning(&folder, Arc::clone(&publisher), settings::RECKON).await?;
        let secrets = Arc::new(Secrets::new(keychain));
        let keeper = Keeper::new(store.clone(), Arc::clone(&secrets), Arc::clone(&publisher));
        let app = Self {
            memories: Memories::new(store.clone(), Arc::clone(&publisher)),
            store,
            secrets,
            keeper,
            http: source::http::Http::new()?,
            publisher,
            patience,
            running: Mutex::default(),
            unended: Mutex::default(),
            starting: RwLock::default(),
            sending: sending::Sending::default(),
            hooks: hooks::HookState::default(),
            ledger: Arc::default(),
            once: Mutex::default(),
        };
        Ok((Arc::new(app), notices))
    }

    /// Everything that becomes durable from now on.
    pub fn subscribe(&self) -> mpsc::UnboundedReceiver<Published> {
        self.publisher.subscribe()
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Reads a database that was too large to be read at start, beside everything else, and
    /// tells if it is damaged. Nothing is changed.
    pub fn check_in_background(self: &Arc<Self>) {
        if !self.store.is_unchecked() {
            return;
        }
        let app = Arc::clone(self);
        tokio::spawn(async move {
            // The first seconds and the disk belong to whoever opened the program.
            tokio::time::sleep(CHECK_AFTER).await;
            match app.store.check().await {
                Ok(None) | Err(StoreError::Closed) => {}
                Ok(Some(damage)) => app.publisher.publish(Published::Notice(Notice {
                    code: "damaged_database".into(),
                    message: format!(
                        "The database is damaged ({damage}). Nothing was changed or deleted: save a copy of the data folder, and see weir doctor."
                    ),
                })),
                Err(error) => tracing::warn!(%error, "the database could not be checked"),
            }
        });
    }

    /// Starts a turn; answers its session once the prompt is saved. What cannot be asked is
    /// refused before anything is saved, so that the prompt is still the user's.
    pub async fn send(self: &Arc<Self>, mut prompt: Prompt) -> Result<Uuid, AppError> {
        guard::check_prompt(&prompt.text)?;
        guard::check_images(&mut prompt.images)?;
        let max_turns = prompt.max_turns.unwrap_or(MAX_TURNS);
        if max_turns == 0 {
            return Err(AppError::NoSteps);
        }
        let asked_of = self.asked_of(&prompt).await?;
        let (source, thinking) = (asked_of.source, asked_of.thinking);
        let thinking_by = asked_of.thinking_by;
        let key = self.secrets.key(source).await?;
        let connection = Connection {
            http: self.http.clone(),
            base_url: asked_of.base_url.clone(),
            secrets: SourceSecrets::new(key.as_ref()),
            key,
            sent: Sent::default(),
            exchange: self.exchange().await?,
        };
        let model = if asked_of.model.is_empty() {
            settings::first_model(source, connection.clone()).await?
        } else {
            asked_of.model.clone()
        };
        let destination = asked_of.destination(&model);

        let (session, opening) = match prompt.session {
            Some(session) => (session, Opening::Stored),
            None => (crate::clock::new_id(), Opening::New),
        };
        let mut history = match opening {
            Opening::Stored => self.store.continued(session, prompt.replaces).await?,
            Opening::New => Vec::new(),
        };
        let id = TurnId {
            session,
            turn: crate::clock::new_id(),
            started: clock::now(),
        };
        let attempt = self.sending.begin(id.turn, prompt.session)?;
        self.check_move(&prompt, source, &destination, &history)
            .await?;
        let project = self
            .project_for(prompt.project.as_deref(), &history)
            .await?;
        let checks = self.checks(session, project.as_ref(), &history).await?;
        let (content, noticed) = checks.prompt(prompt.text, prompt.choice)?;
        let options = guarding::options(&checks, asked_of.options);
        let system = prompt.system.or_else(|| prepare::system(&history));
        let instructions = project
            .as_ref()
            .and_then(|project| project.instructions.as_deref());
        let system = crate::project::told(system, instructions);
        let place = project
            .as_ref()
            .map(|project| project.path.to_string_lossy().into_owned());
        let raise = self.raise_for(prompt.session, prompt.raise);
        let prices = Prices::new(self.own_prices().await?);
        let counted = budget::Asked {
            model: &model,
            charges: source::offers::charges(source, &options),
            prices: &prices,
            history: &history,
        };
        let payer = budget::payer(session, place, source, &counted);
        let (purse, raised) = self.purse(payer, raise, counted).await?;
        let (system, told) = guarding::system(&checks, system, &history)?;
        let definitions = match &project {
            Some(project) => project.tools.definitions(prompt.mode),
            None => Vec::new(),
        };
        let fixed = Fixed {
            prompt: &content,
            pictures: prompt.images.len(),
            system: system.as_deref(),
            tools: &definitions,
            additions: &[],
            count: source.api.count(),
        };
        let before = prepared_size(&history, fixed.count);
        let tokens = fixed.tokens().saturating_add(before);
        let window = context::limit(source, &connection, &model, tokens).await;
        fixed.check(&model, window)?;
        // Last, for they act: what is refused for another reason they never hear of.
        let heard = self
            .hear_hooks(&attempt, id, opening, project.as_ref(), &content, &checks)
            .await?;
        let additions = heard.additions();
        Fixed {
            additions: &additions,
            ..fixed
        }
        .check(&model, window)?;
        let asked = EventBody::UserMessage {
            content,
            source: source.name.to_owned(),
            model: model.clone(),
            images: prompt.images,
            system: system.clone(),
            replaces: prompt.replaces,
            thinking: Some(thinking),
            options: options.clone(),
        };
        let limits = self.limits().await?;
        let remembering = self.remembering(prompt.memory, project.as_ref(), &history);
        let remembering = remembering.await;
        let mut first = first_events(id, opening, source, &model, asked, project.as_ref());
        memory::recall(remembering.as_ref(), id, &history, &mut first).await;
        first.extend(heard.events(id));
        first.extend(budget::told(id, raised));
        for event in &mut first {
            checks.seal_event(event);
        }
        let starting = self.starting.read().await;
        guarding::add_found(&mut first, id, [noticed, told]);
        let originals = self.keeper.seal(&checks.vault).await;
        attempt.goes_on()?;
        let recorded = self
            .start_turn(id, opening, first, &originals, destination)
            .await?;
        if !heard.said.is_empty() {
            self.hooks.has_started(session);
        }
        self.keeper.saved(&checks.vault, &originals).await;
        let number = |event: &Event| event.sequence_number;
        let (last, next) = (
            history.iter().filter_map(number).max(),
            recorded.events.first().and_then(number),
        );
        if opening == Opening::New || last.map(|last| last + 1) == next {
            history.extend(recorded.events.iter().cloned());
        } else {
            // More was written meanwhile, by another Weir or by ending the turn of one that is
            // gone; or the turn takes another's place. What is sent is what is stored.
            history = match self.store.continued(session, None).await {
                Ok(history) => history,
                Err(error) => {
                    self.give_up(session, error.body()).await;
                    return Err(error.into());
                }
            };
        }
        let (folder, tools, permissions) = match &project {
            Some(project) => (
                Some(project.path.clone()),
                project.tools.clone(),
                project.permissions.clone(),
            ),
            None => (None, Tools::default(), Permissions::default()),
        };
        let turn = Turn {
            id,
            source,
            connection,
            request: StepRequest {
                model,
                system,
                thinking,
                thinking_by,
                options,
                cache_key: session.to_string(),
                ..StepRequest::default()
            },
            window,
            permissions: permissions.with_answers(project::session_answers(&history)),
            taint: Taint::of(&history),
            checks,
            keeper: self.keeper.clone(),
            history,
            folder,
            tools,
            mode: prompt.mode,
            questions: Questions::default(),
            hooks: TurnHooks::new(heard.hooks, session, heard.folder),
            max_turns,
            prices,
            remembering,
            purse,
            store: self.store.clone(),
            patience: self.patience,
            meter: Meter::new(&limits),
            stop: attempt.stopped.clone(),
        };
        self.run(turn, attempt.stop.clone());
        drop(attempt);
        drop(starting);
        if let Some(project) = &project {
            self.tell_changes(project).await;
        }
        Ok(session)
    }

    /// A session that says it is busy may belong to a Weir that was killed since we started.
    async fn start_turn(
        &self,
        id: TurnId,
        opening: Opening,
        events: Vec<Event>,
        originals: &[SealedOriginal],
        destination: Destination,
    ) -> Result<crate::store::Recorded, StoreError> {
        let start = |events| {
            let (originals, destination) = (originals.to_vec(), destination.clone());
            self.store
                .start_turn_keeping(id.session, opening, events, originals, destination)
        };
        let started = start(events.clone()).await;
        if matches!(started, Err(StoreError::Busy)) && !self.is_running(id.session) {
            self.recover().await?;
            return start(events).await;
        }
        started
    }

    fn run(self: &Arc<Self>, turn: Turn, stop: watch::Sender<bool>) {
        let id = turn.id;
        let remembering = turn.remembering.clone();
        let checks = turn.checks.clone();
        let (ending, over) = watch::channel(());
        let running = Running {
            turn: id.turn,
            stop,
            questions: turn.questions.clone(),
            over,
        };
        self.hear_stop_requests(id, running.stop.clone(), running.over.clone());
        self.running().insert(id.session, running);
        let app = Arc::clone(self);
        tokio::spawn(async move {
            let ended = match tokio::spawn(turn.run()).await {
                Ok(ended) => ended.map_err(|error| error.body()),
                Err(panic) => Err(ErrorBody::new(
                    code::INTERRUPTED,
                    checks.seal_text(format!(
                        "This reply ended by a mistake in Weir ({panic}). What was shown is kept."
                    )),
                )),
            };
            match (ended, remembering) {
                (Err(error), _) => app.give_up(id.session, error).await,
                (Ok(()), Some(remembering)) => remembering.capture(id.session, id.turn),
                (Ok(()), None) => {}
            }
            // The session's next turn may be running already.
            app.running()
                .retain(|session, running| *session != id.session || running.turn != id.turn);
            drop(ending);
        });
    }

    /// The turn could not be saved. Says so outside the session, and ends it in the log if the
    /// store takes that much; else the next start does.
    async fn give_up(&self, session: Uuid, error: ErrorBody) {
        tracing::error!(error = error.message, %session, "a turn could not go on");
        // That the database is lost, the store has told by itself, once for all turns.
        if error.code != code::DATABASE_LOST {
            self.publisher.publish(Published::Notice(Notice {
                code: error.code,
                message: error.message.clone(),
            }));
        }
        if let Err(failed) = self.store.abandon(session, error.message.clone()).await {
            tracing::error!(error = %failed, "the turn stays open until the store takes its end");
            self.unended().insert(session, error.message);
        }
    }

    /// Ends the turns that nobody goes on with: of Weirs that are gone, and of this one where
    /// their end could not be saved before.
    pub async fn recover(&self) -> Result<(), StoreError> {
        let unended = self.unended().clone();
        for (session, reason) in unended {
            self.store.abandon(session, reason).await?;
            self.unended().remove(&session);
        }
        self.store.recover().await
    }

    fn unended(&self) -> std::sync::MutexGuard<'_, HashMap<Uuid, String>> {
        self.unended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<Uuid, Running>> {
        // The map is whole even if somebody panicked while holding it.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a turn of any session is running in this Weir.
    pub fn is_busy(&self) -> bool {
        !self.running().is_empty()
    }

    fn is_running(&self, session: Uuid) -> bool {
        self.running().contains_key(&session)
    }

    /// Stops a session's turn, or the prompt on its way to it, and waits until its end is saved. None running: nothing to do.
    pub async fn stop(&self, session: Uuid) -> Result<(), AppError> {
        self.stop_sending(Some(session)).await;
        let mut over = self.tell_to_stop(session);
        if over.is_none() {
            // Its prompt may be shown already, and the turn about to run.
            drop(self.starting.write().await);
            over = self.tell_to_stop(session);
        }
        match over {
            Some(over) => {
                closed(over).await;
                Ok(())
            }
            None => {
                self.recover().await?;
                self.stop_elsewhere(session).await
            }
        }
    }

    /// What closes when the turn is over; none when none is running here.
    fn tell_to_stop(&self, session: Uuid) -> Option<watch::Receiver<()>> {
        let running = self.running();
        let running = running.get(&session)?;
        // The turn may have ended by itself in this instant.
        let _ = running.stop.send(true);
        Some(running.over.clone())
    }

    /// Waits until the session's turn is over, if one is running here.
    pub async fn wait(&self, session: Uuid) {
        let over = self
            .running()
            .get(&session)
            .map(|running| running.over.clone());
        if let Some(over) = over {
            closed(over).await;
        }
    }

    pub async fn rename(&self, session: Uuid, title: &str) -> Result<SessionSummary, AppError> {
        let title = title.trim();
        if title.is_empty() {
            return Err(AppError::EmptyTitle);
        }
        if title.chars().count() > LONGEST_TITLE {
            return Err(AppError::LongTitle);
        }
        Ok(self.store.rename(session, title.to_owned()).await?)
    }
}

async fn closed(mut over: watch::Receiver<()>) {
    while over.changed().await.is_ok() {}
}

fn first_events(
    id: TurnId,
    opening: Opening,
    source: &Source,
    model: &str,
    asked: EventBody,
    project: Option<&Project>,
) -> Vec<Event> {
    let mut events = Vec::with_capacity(2);
    if opening == Opening::New {
        let body = EventBody::SessionStart {
            source: source.name.to_owned(),
            model: model.to_owned(),
            forked_from: None,
            project: project.map(|project| project.path.to_string_lossy().into_owned()),
        };
        events.push(Event {
            turn_id: None,
            ..id.event(body, id.started)
        });
    }
    events.push(id.event(asked, id.started));
    if let Some(project) = project.filter(|project| !project.notices.is_empty()) {
        let told = EventBody::Processing {
            content: project.notices.join("\n"),
            duration_ms: 0,
        };
        events.push(id.event(told, id.started));
    }
    events
}

#[cfg(test)]
mod tests;
