//! The one stream to the page: what is published, joined to at most one message a frame.
//!
//! The page has one session open. A snapshot and the frames that follow it come from one task
//! in one order: everything in the snapshot has an index below `next_index`, everything after
//! it is sent in frames that carry the snapshot's number.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tauri::ipc::Channel;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;
use weir_core::app::App;
use weir_core::publish::Published;
use weir_core::render::View;
use weir_core::store::StoreError;
use weir_protocol::{
    ErrorBody, Event, Frame, Notice, Page, SessionSummary, Shown, Snapshot, code, merge_chunks,
};

/// Two messages to the page are at least this far apart.
const FRAME: Duration = Duration::from_millis(16);
/// How many stored events a snapshot or a page holds at least.
const PAGE: u32 = 200;

enum Ask {
    Attach(Channel<Frame>),
    Open(Uuid, oneshot::Sender<Result<Snapshot, ErrorBody>>),
}

pub(crate) struct Stream {
    app: Arc<App>,
    asks: UnboundedSender<Ask>,
}

impl Stream {
    pub(crate) fn start(app: Arc<App>) -> Self {
        let (asks, asked) = mpsc::unbounded_channel();
        let published = app.subscribe();
        tokio::spawn(Task::new(Arc::clone(&app)).run(asked, published));
        Self { app, asks }
    }

    /// From now on frames go to this page; one that was there before is gone.
    pub(crate) fn attach(&self, channel: Channel<Frame>) {
        // The task ends only with the program.
        let _ = self.asks.send(Ask::Attach(channel));
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
        let mut shown = show(&mut View::new(), events);
        shown.retain(|shown| shown.event.sequence_number > Some(since));
        Ok(shown)
    }

    pub(crate) async fn events_before(
        &self,
        session: Uuid,
        before: u64,
    ) -> Result<Page, ErrorBody> {
        let store = self.app.store();
        let events = store
            .events_before(session, before, PAGE)
            .await
            .map_err(told)?;
        Ok(Page {
            has_earlier: has_earlier(&events),
            events: show(&mut View::new(), events),
        })
    }
}

fn told(error: StoreError) -> ErrorBody {
    error.body()
}

fn show(view: &mut View, events: Vec<Event>) -> Vec<Shown> {
    events.into_iter().map(|event| view.show(event)).collect()
}

fn has_earlier(events: &[Event]) -> bool {
    events
        .first()
        .is_some_and(|event| event.sequence_number > Some(1))
}

/// The session the page has open.
struct Open {
    session: Uuid,
    watch: u32,
    next_index: u64,
    view: View,
}

struct Task {
    app: Arc<App>,
    channel: Option<Channel<Frame>>,
    open: Option<Open>,
    watches: u32,
    events: Vec<Event>,
    sessions: HashMap<Uuid, SessionSummary>,
    deleted: Vec<Uuid>,
    notices: Vec<Notice>,
}

impl Task {
    fn new(app: Arc<App>) -> Self {
        Self {
            app,
            channel: None,
            open: None,
            watches: 0,
            events: Vec::new(),
            sessions: HashMap::new(),
            deleted: Vec::new(),
            notices: Vec::new(),
        }
    }

    async fn run(
        mut self,
        mut asked: UnboundedReceiver<Ask>,
        mut published: UnboundedReceiver<Published>,
    ) {
        let mut next_frame = Instant::now();
        loop {
            tokio::select! {
                ask = asked.recv() => match ask {
                    Some(Ask::Attach(channel)) => self.attach(channel),
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
                () = sleep_until(next_frame), if self.has_news() => {
                    self.send_frame();
                    next_frame = Instant::now() + FRAME;
                }
            }
        }
    }

    fn attach(&mut self, channel: Channel<Frame>) {
        self.channel = Some(channel);
        // A new page starts from a fresh list, so what waits for the old one is old news.
        self.open = None;
        self.events.clear();
        self.sessions.clear();
        self.deleted.clear();
    }

    async fn open(&mut self, session: Uuid) -> Result<Snapshot, ErrorBody> {
        let latest = self.app.store().latest(session, PAGE).await.map_err(told)?;
        self.events.clear();
        self.watches += 1;
        let mut view = View::new();
        let snapshot = Snapshot {
            session: latest.session,
            watch: self.watches,
            has_earlier: has_earlier(&latest.events),
            events: show(&mut view, latest.events),
            growing: show(&mut view, latest.growing),
        };
        self.open = Some(Open {
            session,
            watch: self.watches,
            next_index: latest.next_index,
            view,
        });
        Ok(snapshot)
    }

    fn collect(&mut self, news: Published) {
        match news {
            Published::Events(events) => {
                let Some(open) = &self.open else {
                    return;
                };
                let new = events
                    .iter()
                    .filter(|event| event.session_id == open.session)
                    .filter(|event| event.event_index >= open.next_index);
                self.events.extend(new.cloned());
            }
            Published::Session(line) => {
                self.sessions.insert(line.id, line);
            }
            Published::Deleted(session) => {
                self.sessions.remove(&session);
                self.deleted.push(session);
            }
            Published::Notice(notice) => self.notices.push(notice),
        }
    }

    fn has_news(&self) -> bool {
        self.channel.is_some()
            && !(self.events.is_empty()
                && self.sessions.is_empty()
                && self.deleted.is_empty()
                && self.notices.is_empty())
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
        };
        if let Err(error) = channel.send(frame) {
            tracing::warn!(%error, "the page is gone");
            self.channel = None;
        }
    }
}
