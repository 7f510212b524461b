//! The one stream to the page: what is published, joined to at most one message a frame.
//!
//! The page has one session open. A snapshot and the frames that follow it come from one task
//! in one order: everything in the snapshot has an index below `next_index`, everything after
//! it is sent in frames that carry the snapshot's number.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tauri::ipc::Channel;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;
use weir_core::app::{App, AppError};
use weir_core::publish::Published;
use weir_core::redact::Vault;
use weir_core::render::View;
use weir_core::store::{SCREEN, StoreError, Watcher};
use weir_protocol::{
    ErrorBody, Event, Frame, Notice, Page, PromptLook, SessionStatus, SessionSummary, Shown,
    Snapshot, code, merge_chunks,
};

/// Two messages to the page are at least this far apart.
const FRAME: Duration = Duration::from_millis(16);
/// How often the work of another Weir on the same database is looked for.
const LOOK: Duration = Duration::from_secs(1);
/// How many stored events a page of earlier ones holds at least.
const PAGE: u32 = 200;

enum Ask {
    Attach(Channel<Frame>, Vec<SessionSummary>),
    Open(Uuid, oneshot::Sender<Result<Snapshot, ErrorBody>>),
}

pub(crate) struct Stream {
    app: Arc<App>,
    asks: UnboundedSender<Ask>,
    /// The session that the page has open.
    shown: watch::Receiver<Option<Uuid>>,
    revealed: Arc<Revealed>,
}

/// The sessions whose originals the user has agreed to see, until Weir closes.
#[derive(Default)]
pub(crate) struct Revealed(Mutex<HashMap<Uuid, Arc<AtomicBool>>>);

impl Revealed {
    fn flag(&self, session: Uuid) -> Arc<AtomicBool> {
        // What is inside is whole even if somebody panicked while holding it.
        let mut flags = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(flags.entry(session).or_default())
    }

    pub(crate) fn contains(&self, session: Uuid) -> bool {
        self.flag(session).load(Ordering::Relaxed)
    }

    pub(crate) fn insert(&self, session: Uuid) {
        self.flag(session).store(true, Ordering::Relaxed);
    }
}

impl Stream {
    pub(crate) fn start(app: Arc<App>) -> Self {
        let (asks, asked) = mpsc::unbounded_channel();
        let published = app.subscribe();
        let (showing, shown) = watch::channel(None);
        let revealed = Arc::<Revealed>::default();
        let task = Task::new(Arc::clone(&app), showing, Arc::clone(&revealed));
        tokio::spawn(task.run(asked, published));
        Self {
            app,
            asks,
            shown,
            revealed,
        }
    }

    pub(crate) fn revealed(&self) -> &Revealed {
        &self.revealed
    }

    fn view(&self, session: Uuid, vault: Vault) -> View {
        View::restoring(vault, self.revealed.flag(session))
    }

    /// From now on frames go to this page, which has these lines; a page that was there before
    /// is gone.
    pub(crate) fn attach(&self, channel: Channel<Frame>, lines: Vec<SessionSummary>) {
        // The task ends only with the program.
        let _ = self.asks.send(Ask::Attach(channel, lines));
    }

    pub(crate) async fn open(&self, session: Uuid) -> Result<Snapshot, ErrorBody> {
        let closing = || ErrorBody::new(code::STORAGE, "Weir is closing.");
        let (answer, answered) = oneshot::channel();
        self.asks
            .send(Ask::Open(session, answer))
            .map_err(|_| closing())?;
        answered.await.map_err(|_| closing())?
    }

    pub(crate) async fn events_since(
        &self,
        session: Uuid,
        since: u64,
    ) -> Result<Vec<Shown>, ErrorBody> {
        let store = self.app.store();
        let events = store
            .turn_events_since(session, since)
            .await
            .map_err(told)?;
        let vault = self.app.vault(session).await.map_err(body)?;
        let mut shown = show(&mut self.view(session, vault), events);
        shown.retain(|shown| shown.event.sequence_number > Some(since));
        Ok(shown)
    }

    pub(crate) async fn events_before(
        &self,
        session: Uuid,
        before: u64,
    ) -> Result<Page, ErrorBody> {
        let store = self.app.store();
        let stretch = store
            .events_before(session, before, PAGE)
            .await
            .map_err(told)?;
        let vault = self.app.vault(session).await.map_err(body)?;
        Ok(Page {
            has_earlier: stretch.has_earlier,
            branches: stretch.branches,
            events: show(&mut self.view(session, vault), stretch.events),
        })
    }

    /// What a guard took out, of the session that the page has open and of no other.
    pub(crate) async fn original(
        &self,
        session: Uuid,
        placeholder: &str,
    ) -> Result<Option<String>, ErrorBody> {
        if *self.shown.borrow() != Some(session) {
            let message = "This session is not open.";
            return Err(ErrorBody::new(code::NO_SESSION, message));
        }
        let vault = self.app.vault(session).await.map_err(body)?;
        Ok(vault.exposed(placeholder))
    }
}

fn body(error: AppError) -> ErrorBody {
    error.body()
}

fn told(error: StoreError) -> ErrorBody {
    error.body()
}

fn show(view: &mut View, events: Vec<Event>) -> Vec<Shown> {
    events.into_iter().map(|event| view.show(event)).collect()
}

/// The session the page has open.
struct Open {
    session: Uuid,
    watch: u32,
    /// Events below this index were in the snapshot or came after it.
    next_index: u64,
    last_sequence: u64,
    view: View,
}

struct Task {
    app: Arc<App>,
    revealed: Arc<Revealed>,
    channel: Option<Channel<Frame>>,
    open: Option<Open>,
    watches: u32,
    /// The lines that the page has.
    lines: HashMap<Uuid, SessionSummary>,
    events: Vec<Event>,
    sessions: HashMap<Uuid, SessionSummary>,
    deleted: Vec<Uuid>,
    notices: Vec<Notice>,
    looks: Vec<PromptLook>,
    showing: watch::Sender<Option<Uuid>>,
}

impl Task {
    fn new(app: Arc<App>, showing: watch::Sender<Option<Uuid>>, revealed: Arc<Revealed>) -> Self {
        Self {
            app,
            revealed,
            channel: None,
            open: None,
            watches: 0,
            lines: HashMap::new(),
            events: Vec::new(),
            sessions: HashMap::new(),
            deleted: Vec::new(),
            notices: Vec::new(),
            looks: Vec::new(),
            showing,
        }
    }

    async fn run(
        mut self,
        mut asked: UnboundedReceiver<Ask>,
        mut published: UnboundedReceiver<Published>,
    ) {
        let mut next_frame = Instant::now();
        let mut look = tokio::time::interval(LOOK);
        let mut watcher = match self.app.store().watch().await {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                tracing::warn!(%error, "the work of another Weir will not be noticed");
                None
            }
        };
        loop {
            tokio::select! {
                ask = asked.recv() => match ask {
                    Some(Ask::Attach(channel, lines)) => self.attach(channel, lines),
                    Some(Ask::Open(session, answer)) => {
                        // A page that was reloaded in between no longer waits.
                        let _ = answer.send(self.open(session).await);
                    }
                    None => return,
                },
                news = published.recv() => match news {
                    Some(news) => self.collect(news),
                    None => return,
                },
                // While a turn of our own runs, every commit would look like somebody's.
                _ = look.tick(), if watcher.is_some() && !self.app.is_busy() => {
                    if let Some(watcher) = &mut watcher
                        && let Err(error) = self.look(watcher).await
                    {
                        tracing::warn!(%error, "looking for the work of another Weir failed");
                    }
                }
                () = sleep_until(next_frame), if self.has_news() => {
                    self.send_frame();
                    next_frame = Instant::now() + FRAME;
                }
            }
        }
    }

    /// Collects what another Weir has changed, as if it had been published here.
    async fn look(&mut self, watcher: &mut Watcher) -> Result<(), StoreError> {
        let store = self.app.store().clone();
        if store.look_after().await.is_err() {
            // It was told; what is shown stays as it is.
            return Ok(());
        }
        let running = |line: &SessionSummary| {
            matches!(line.status, SessionStatus::Running | SessionStatus::Waiting)
        };
        if self.lines.values().any(running) {
            // Its Weir may have been killed, which changes nothing in the database.
            self.app.recover().await?;
        }
        if self.channel.is_none() || !watcher.changed().await? {
            return Ok(());
        }
        let lines = store.sessions().await?;
        for line in &lines {
            if self.lines.get(&line.id) != Some(line) {
                self.collect(Published::Session(Arc::new(line.clone())));
            }
        }
        let gone: Vec<Uuid> = self
            .lines
            .keys()
            .filter(|known| !lines.iter().any(|line| line.id == **known))
            .copied()
            .collect();
        for session in gone {
            self.collect(Published::Deleted(session));
        }
        if let Some(open) = &self.open {
            let new = store.events_since(open.session, open.last_sequence).await?;
            if !new.is_empty() {
                // What the other one took out; the view shares the vault.
                let read = self.app.vault(open.session).await;
                if let Err(error) = read {
                    tracing::warn!(%error, "what another Weir took out stays placeholders");
                }
            }
            self.collect(Published::Events(new.into()));
        }
        Ok(())
    }

    fn attach(&mut self, channel: Channel<Frame>, lines: Vec<SessionSummary>) {
        self.channel = Some(channel);
        // A new page has no session open yet. Changed lines may wait: the last one told is
        // never older than the list that the page has.
        self.open = None;
        self.showing.send_replace(None);
        self.events.clear();
        self.lines = lines.into_iter().map(|line| (line.id, line)).collect();
    }

    async fn open(&mut self, session: Uuid) -> Result<Snapshot, ErrorBody> {
        let latest = self
            .app
            .store()
            .latest(session, SCREEN)
            .await
            .map_err(told)?;
        let vault = self.app.vault(session).await.map_err(body)?;
        self.events.clear();
        self.watches += 1;
        self.showing.send_replace(Some(session));
        let last_sequence = latest.last_sequence;
        let last_here = latest.events.last().and_then(|event| event.sequence_number);
        let mut view = View::restoring(vault, self.revealed.flag(session));
        let snapshot = Snapshot {
            session: latest.session,
            watch: self.watches,
            has_earlier: latest.has_earlier,
            last_sequence: Some(last_sequence).filter(|last| Some(*last) != last_here),
            branches: latest.branches,
            events: show(&mut view, latest.events),
            growing: show(&mut view, latest.growing),
        };
        self.open = Some(Open {
            session,
            watch: self.watches,
            next_index: latest.next_index,
            last_sequence,
            view,
        });
        Ok(snapshot)
    }

    fn collect(&mut self, news: Published) {
        match news {
            Published::Events(events) => {
                let Some(open) = &mut self.open else {
                    return;
                };
                for event in events.iter() {
                    let of_open = event.session_id == open.session;
                    if of_open && event.event_index >= open.next_index {
                        open.next_index = event.event_index + 1;
                        open.last_sequence = event.sequence_number.unwrap_or(open.last_sequence);
                        self.events.push(event.clone());
                    }
                }
            }
            Published::Session(line) => {
                self.deleted.retain(|deleted| *deleted != line.id);
                let line = Arc::unwrap_or_clone(line);
                self.lines.insert(line.id, line.clone());
                self.sessions.insert(line.id, line);
            }
            Published::Deleted(session) => {
                self.lines.remove(&session);
                self.sessions.remove(&session);
                self.deleted.push(session);
            }
            Published::Notice(notice) => self.notices.push(notice),
            Published::Look(look) => self.looks.push(look),
        }
    }

    fn has_news(&self) -> bool {
        self.channel.is_some()
            && !(self.events.is_empty()
                && self.sessions.is_empty()
                && self.deleted.is_empty()
                && self.notices.is_empty()
                && self.looks.is_empty())
    }

    fn send_frame(&mut self) {
        let Some(channel) = &self.channel else {
            return;
        };
        let events = merge_chunks(std::mem::take(&mut self.events));
        let frame = Frame {
            watch: self.open.as_ref().map_or(0, |open| open.watch),
            events: match &mut self.open {
                Some(open) => show(&mut open.view, events),
                None => Vec::new(),
            },
            sessions: self.sessions.drain().map(|(_, line)| line).collect(),
            deleted: std::mem::take(&mut self.deleted),
            notices: std::mem::take(&mut self.notices),
            looks: std::mem::take(&mut self.looks),
        };
        if let Err(error) = channel.send(frame) {
            tracing::warn!(%error, "the page is gone");
            self.channel = None;
        }
    }
}

#[cfg(test)]
mod tests;
