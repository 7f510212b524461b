//! The writer dies between saving and telling, at commits of chance: what was told is stored.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;
use crate::publish::{Published, Publisher};

/// A place in the writer where it ends as if the process had been killed there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KillPoint {
    BeforeCommit,
    /// Saved, and nobody told.
    AfterCommit,
}

#[derive(Clone, Default)]
pub(in crate::store) struct Failpoint {
    /// How many commits pass before it dies; `None`: never.
    plan: Option<(KillPoint, Arc<AtomicU64>)>,
    dead: Arc<AtomicBool>,
}

thread_local! {
    static OF_THIS_TEST: RefCell<Failpoint> = RefCell::default();
}

impl Failpoint {
    /// What the test on this thread has planned for the next writer that starts.
    pub(in crate::store) fn of_this_test() -> Self {
        OF_THIS_TEST.take()
    }

    fn plan(place: KillPoint, commits: u64) {
        OF_THIS_TEST.set(Self {
            plan: Some((place, Arc::new(AtomicU64::new(commits)))),
            dead: Arc::default(),
        });
    }

    pub(in crate::store) fn dies_before_commit(&self) -> bool {
        self.dies(KillPoint::BeforeCommit)
    }

    pub(in crate::store) fn dies_after_commit(&self) -> bool {
        self.dies(KillPoint::AfterCommit)
    }

    pub(in crate::store) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    fn dies(&self, at: KillPoint) -> bool {
        let Some((place, commits)) = &self.plan else {
            return false;
        };
        let now = *place == at && commits.fetch_sub(1, Ordering::Relaxed) == 0;
        self.dead.fetch_or(now, Ordering::Relaxed);
        now
    }
}

const SESSIONS: usize = 2;
const FRAMES: u64 = 4;

#[derive(Default)]
struct Figures {
    told: usize,
    answered: usize,
    /// Turns of which more was saved than told.
    ahead: usize,
    deaths: usize,
}

/// `WEIR_FAILPOINT_RUNS` says how often.
#[allow(clippy::print_stdout, reason = "the figures that a person reads")]
#[tokio::test]
async fn nothing_is_told_that_is_not_stored() {
    let runs: u64 = std::env::var("WEIR_FAILPOINT_RUNS")
        .ok()
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(500);
    let folder = tempfile::tempdir().unwrap();
    let mut figures = Figures::default();
    for run in 0..runs {
        let place = match run % 4 {
            0 => KillPoint::BeforeCommit,
            _ => KillPoint::AfterCommit,
        };
        // From the first commit of the turns to past their last.
        Failpoint::plan(place, run * 7 % (FRAMES + 4));
        die_once(folder.path(), &mut figures).await;
    }
    println!(
        "{runs} runs, {} of which died: {} events were told and {} writes answered, all of them stored; in {} turns more was saved than told",
        figures.deaths, figures.told, figures.answered, figures.ahead
    );
    assert!(figures.told as u64 > runs, "the turns got somewhere");
    assert!(figures.deaths as u64 > runs / 2, "it died in most");
    assert!(figures.ahead as u64 > runs / 8, "and in between");
}

async fn die_once(folder: &Path, figures: &mut Figures) {
    let publisher = Arc::<Publisher>::default();
    let mut heard = publisher.subscribe();
    let (store, _) = Store::open(folder, publisher).await.unwrap();
    let turns = (0..SESSIONS).map(|_| take_turn(store.clone()));
    let turns = futures_util::future::join_all(turns).await;
    let mut told: Vec<Event> = Vec::new();
    while let Ok(published) = heard.try_recv() {
        if let Published::Events(events) = published {
            told.extend(events.iter().cloned());
        }
    }
    let is_dead = turns.iter().any(|turn| turn.refused);
    store.close().await;
    drop(store);

    // Another Weir finds what the dead one left, once that has let go of its lock.
    let store = open(folder).await;
    while !sessions::owned(&store.readers).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
        store.recover().await.unwrap();
    }
    for turn in &turns {
        let Ok(line) = store.session(turn.session).await else {
            assert!(!told.iter().any(|event| event.session_id == turn.session));
            continue;
        };
        let stored = store.events_since(turn.session, 0).await.unwrap();
        let numbers: Vec<_> = stored
            .iter()
            .filter_map(|event| event.sequence_number)
            .collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
        let text = shown_text(&stored);
        let told: Vec<&Event> = told
            .iter()
            .filter(|event| event.session_id == turn.session)
            .collect();
        let told_text = shown_text(told.iter().copied());
        assert!(text.starts_with(&told_text), "{told_text:?} in {text:?}");
        for event in told.iter().filter(|event| !event.body.is_chunk()) {
            assert!(stored.contains(event), "told as it is stored: {event:?}");
        }
        let ids: HashSet<_> = told.iter().map(|event| event.id).collect();
        assert_eq!(ids.len(), told.len(), "told once");
        figures.told += told.len();
        figures.answered += turn.answered;
        let end = line.status == SessionStatus::Interrupted;
        assert!(end || line.status == SessionStatus::Idle);
        figures.ahead += usize::from(text.len() > told_text.len());
    }
    figures.deaths += usize::from(is_dead);
    store.close().await;
}

struct TakenTurn {
    session: Uuid,
    answered: usize,
    refused: bool,
}

/// Goes on until it is done or refused.
async fn take_turn(store: Store) -> TakenTurn {
    let (session, turn) = (Uuid::now_v7(), Uuid::now_v7());
    let mut taken = TakenTurn {
        session,
        answered: 0,
        refused: false,
    };
    let first = vec![event(session, turn, None, asked("why?"))];
    let mut saved = store.start_turn(session, Opening::New, first).await;
    let mut text = String::new();
    for frame in 0..=FRAMES {
        if saved.is_err() {
            taken.refused = true;
            return taken;
        }
        taken.answered += 1;
        let events = if frame < FRAMES {
            let piece = format!("{frame} ");
            text += &piece;
            vec![event(session, turn, Some(0), chunk(&piece))]
        } else {
            vec![
                event(session, turn, Some(0), message(&text)),
                event(session, turn, None, complete()),
            ]
        };
        saved = store.record(session, events).await;
    }
    taken.refused = saved.is_err();
    taken.answered += usize::from(saved.is_ok());
    taken
}

/// What a reader sees of the reply.
fn shown_text<'a>(events: impl IntoIterator<Item = &'a Event>) -> String {
    let mut text = String::new();
    for event in events {
        if let EventBody::MessageChunk { content, .. } = &event.body {
            text += content;
        } else if let EventBody::Message { content, .. } = &event.body {
            text = content.clone();
        }
    }
    text
}
