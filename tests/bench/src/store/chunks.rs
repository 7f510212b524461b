//! Chunks saved before shown, from one stream and from fifty.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use uuid::Uuid;
use weir_core::app::App;
use weir_core::publish::Published;
use weir_core::secret::MemoryKeychain;
use weir_core::store::{Opening, Store};
use weir_protocol::{Event, EventBody, PersistenceState};

use crate::{Best, Figure, Goal, Outcome, Plan, bare, database};

/// How many sessions stream at once, and how many chunks each has in a frame.
#[derive(Clone, Copy)]
struct Shape {
    sessions: usize,
    frame: usize,
}

impl Shape {
    /// What the frames of all sessions come to.
    fn commit(self) -> usize {
        self.sessions * self.frame
    }
}

const STREAMS: [usize; 2] = [1, 50];
/// A fast stream's, and a slow one's.
const FRAMES: [usize; 2] = [128, 5];

pub(crate) fn measure(runtime: &Runtime, plan: Plan) -> Outcome<Vec<Figure>> {
    let mut alone = Best::NONE;
    let mut best = [[[Best::NONE; 2]; 2]; 2];
    for _ in 0..plan.rounds {
        for (frame, best) in FRAMES.into_iter().zip(&mut best) {
            for (sessions, [weir_best, bare_best]) in STREAMS.into_iter().zip(best) {
                let shape = Shape { sessions, frame };
                let chunks = plan.chunks / if frame < 10 { 10 } else { 1 };
                weir_best.take_each(weir(runtime, shape, chunks)?, chunks);
                bare_best.take_each(bare_sqlite(runtime, shape, chunks, shape.commit())?, chunks);
            }
        }
        let one = Shape {
            sessions: 1,
            frame: 1,
        };
        let chunks = plan.chunks_alone;
        alone.take_each(bare_sqlite(runtime, one, chunks, 1)?, chunks);
    }
    let best = best.map(|frame| frame.map(|streams| streams.map(|best| best.each(1))));
    let alone = alone.each(1);
    println!("microseconds a chunk:                  Weir   bare SQLite");
    for (frame, best) in FRAMES.into_iter().zip(best) {
        for (streams, [weir, bare]) in STREAMS.into_iter().zip(best) {
            println!(
                "  {streams:>2} streams, frames of {frame:>3} chunks {weir:>10.2}{bare:>14.2}"
            );
        }
    }
    println!("  one commit a chunk                          {alone:>12.2}");
    let [
        [[one, bare_one], [fifty, bare_fifty]],
        [[slow, _], [slow_fifty, bare_slow_fifty]],
    ] = best;
    let figure = |name, ratio, goal| Figure { name, ratio, goal };
    Ok(vec![
        figure(
            "speed against bare SQLite, one stream",
            bare_one / one,
            Goal::AtLeast(0.7),
        ),
        figure(
            "speed against bare SQLite, fifty streams",
            bare_fifty / fifty,
            Goal::AtLeast(0.7),
        ),
        figure(
            "speed against bare SQLite, fifty slow streams",
            bare_slow_fifty / slow_fifty,
            Goal::None,
        ),
        figure(
            "speed against one commit a chunk, one stream",
            alone / one,
            Goal::AtLeast(50.0),
        ),
        figure(
            "speed against one commit a chunk, fifty streams",
            alone / fifty,
            Goal::AtLeast(50.0),
        ),
        figure(
            "cost of a chunk, fifty streams against one",
            fifty / one,
            Goal::AtMost(1.2),
        ),
        figure(
            "the same, slow streams",
            slow_fifty / slow,
            Goal::AtMost(1.2),
        ),
    ])
}

/// A running turn of a new session, and its chunks, in frames.
struct Stream {
    session: Uuid,
    first: Event,
    frames: Vec<Vec<Event>>,
}

/// As many words as a provider puts into one delta.
const WORDS: [&str; 8] = [
    "The",
    " quick",
    " brown fox",
    " jumps",
    " over\n",
    " the \"lazy\"",
    " dog,",
    " naïvely",
];

fn streams(shape: Shape, chunks: usize) -> Vec<Stream> {
    (0..shape.sessions)
        .map(|_| {
            let (session, turn) = (Uuid::now_v7(), Uuid::now_v7());
            let event = |body, block_index| Event {
                id: Uuid::now_v7(),
                session_id: session,
                turn_id: Some(turn),
                body,
                event_index: 0,
                sequence_number: None,
                block_index,
                message_id: Some("msg_01XFDUDYJgAACzvnptvVoYEL".to_owned()),
                persistence_state: PersistenceState::Pending,
                timestamp: jiff::Timestamp::now(),
            };
            let asked = EventBody::UserMessage {
                content: "Go on.".to_owned(),
                source: "demo".to_owned(),
                model: "demo".to_owned(),
                images: Vec::new(),
                system: None,
                replaces: None,
            };
            let chunk = |number: usize| {
                let content = WORDS[number % WORDS.len()].to_owned();
                let citations = Vec::new();
                event(EventBody::MessageChunk { content, citations }, Some(0))
            };
            let chunks: Vec<Event> = (0..chunks / shape.sessions).map(chunk).collect();
            Stream {
                session,
                first: event(asked, None),
                frames: chunks.chunks(shape.frame).map(<[Event]>::to_vec).collect(),
            }
        })
        .collect()
}

fn weir(runtime: &Runtime, shape: Shape, chunks: usize) -> Outcome<Duration> {
    let folder = tempfile::tempdir()?;
    let mut streams = streams(shape, chunks);
    runtime.block_on(async {
        let keychain = Arc::new(MemoryKeychain::default());
        let (app, _) = App::open(folder.path().to_owned(), keychain).await?;
        start(app.store(), &streams).await?;
        let mut published = app.subscribe();
        let started = Instant::now();
        let saving: Vec<_> = streams
            .drain(..)
            .map(|stream| {
                let store = app.store().clone();
                tokio::spawn(async move {
                    for frame in stream.frames {
                        store.record(stream.session, frame).await?;
                    }
                    Ok::<_, weir_core::store::StoreError>(())
                })
            })
            .collect();
        for stream in saving {
            stream.await??;
        }
        let taken = started.elapsed();
        let mut shown = 0;
        while let Ok(published) = published.try_recv() {
            if let Published::Events(events) = published {
                shown += events.len();
            }
        }
        app.store().close().await;
        look(folder.path(), chunks)?;
        match shown == chunks {
            true => Ok(taken),
            false => Err(format!("{shown} of {chunks} chunks were shown").into()),
        }
    })
}

async fn start(store: &Store, streams: &[Stream]) -> Outcome<()> {
    for stream in streams {
        let first = vec![stream.first.clone()];
        store
            .start_turn(stream.session, Opening::New, first)
            .await?;
    }
    Ok(())
}

/// The same rows, ready, into a file that Weir has made for the same sessions.
fn bare_sqlite(runtime: &Runtime, shape: Shape, chunks: usize, commit: usize) -> Outcome<Duration> {
    let folder = tempfile::tempdir()?;
    let streams = streams(shape, chunks);
    runtime.block_on(async {
        let (store, _) = Store::open_alone(folder.path()).await?;
        start(&store, &streams).await?;
        store.close().await;
        Outcome::Ok(())
    })?;
    let mut rows = Vec::with_capacity(chunks);
    let frames = streams.iter().map(|stream| stream.frames.len()).max();
    for frame in 0..frames.unwrap_or(0) {
        for stream in &streams {
            let events = stream.frames.get(frame).into_iter().flatten();
            let before = 1 + frame * shape.frame;
            for (index, event) in (before..).zip(events) {
                rows.push(bare::Row::of(event, index)?);
            }
        }
    }
    let mut database = bare::open(&database(folder.path()))?;
    let started = Instant::now();
    bare::insert(&mut database, &rows, commit)?;
    let taken = started.elapsed();
    drop(database);
    look(folder.path(), chunks)?;
    Ok(taken)
}

/// All rows are there.
fn look(folder: &Path, chunks: usize) -> Outcome<()> {
    let database = bare::open(&database(folder))?;
    let found: i64 = database.query_row("SELECT count(*) FROM journal", (), |row| row.get(0))?;
    match found as usize == chunks {
        true => Ok(()),
        false => Err(format!("{found} of {chunks} chunks were saved").into()),
    }
}
