//! Chunks saved before shown, from one stream and from fifty.
//!
//! What is measured is what the program does with a frame: its chunks are joined to one a
//! block, as the turn does, and the store saves that one row. Bare SQLite writes the same rows,
//! made beforehand, as many to a commit. "One commit a chunk" is what saving before showing
//! would cost without frames: a row and a commit for every chunk. All of the text is looked for
//! in the rows afterwards, whatever they were joined to.
//!
//! A frame is 16 ms. 128 chunks in one are 8,000 a second, more than any source says today: a
//! reply that comes out of a cache, or that waited behind a slow disk. 5 are 300 a second: a
//! fast model. The rows that are not joined are no more than a measure of the store's cost of a
//! row; the program writes none such, so they have no goal.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use uuid::Uuid;
use weir_core::app::App;
use weir_core::publish::Published;
use weir_core::secret::MemoryKeychain;
use weir_core::store::{Opening, Store};
use weir_protocol::{Event, EventBody};

use crate::streams::{Rows, Shape, Stream, streams, text};
use crate::{Best, Figure, Goal, Outcome, Plan, bare, database};

const FRAME_MS: usize = 16;
const FAST: usize = 128;
const SLOW: usize = 5;

/// The frames that are measured, and how many of the plan's chunks: slow ones have more of them.
const FRAMES: [(usize, Rows, usize); 3] = [
    (FAST, Rows::OneAFrame, 1),
    (SLOW, Rows::OneAFrame, 10),
    (FAST, Rows::OneAChunk, 1),
];
const STREAMS: [usize; 2] = [1, 50];

pub(crate) fn measure(runtime: &Runtime, plan: Plan) -> Outcome<Vec<Figure>> {
    let mut alone = Best::NONE;
    let mut best = [[[Best::NONE; 2]; STREAMS.len()]; FRAMES.len()];
    for _ in 0..plan.rounds {
        for ((frame, rows, share), best) in FRAMES.into_iter().zip(&mut best) {
            for (sessions, [weir_best, bare_best]) in STREAMS.into_iter().zip(best) {
                let shape = Shape {
                    sessions,
                    frame,
                    rows,
                };
                let chunks = plan.chunks / share;
                weir_best.take_each(weir(runtime, shape, chunks)?, chunks);
                let commit = shape.rows_a_commit();
                bare_best.take_each(bare_sqlite(runtime, shape, chunks, commit)?, chunks);
            }
        }
        let one = Shape {
            sessions: 1,
            frame: 1,
            rows: Rows::OneAChunk,
        };
        let chunks = plan.chunks_alone;
        alone.take_each(bare_sqlite(runtime, one, chunks, 1)?, chunks);
    }
    let best = best.map(|frame| frame.map(|streams| streams.map(|best| best.each(1))));
    let alone = alone.each(1);
    print(&best, alone);
    Ok(figures(best, alone))
}

fn print(best: &[[[f64; 2]; STREAMS.len()]; FRAMES.len()], alone: f64) {
    println!("microseconds a chunk:{:>53}{:>14}", "Weir", "bare SQLite");
    for ((frame, rows, _), best) in FRAMES.into_iter().zip(best) {
        let rate = frame * 1000 / FRAME_MS;
        let rows = match rows {
            Rows::OneAFrame => "",
            Rows::OneAChunk => ", a row each",
        };
        for (streams, [weir, bare]) in STREAMS.into_iter().zip(best) {
            let name = format!("{streams} x {frame} chunks a frame ({rate} a second each){rows}");
            println!("  {name:<64}{weir:>8.2}{bare:>14.2}");
        }
    }
    println!("  {:<64}{:>8}{alone:>14.2}", "one commit a chunk", "");
}

fn figures(best: [[[f64; 2]; STREAMS.len()]; FRAMES.len()], alone: f64) -> Vec<Figure> {
    let [
        [[one, bare_one], [fifty, bare_fifty]],
        [[slow, bare_slow], [slow_fifty, bare_slow_fifty]],
        [[apart, bare_apart], [apart_fifty, bare_apart_fifty]],
    ] = best;
    let figure = |name, ratio, goal| Figure { name, ratio, goal };
    vec![
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
            "speed against bare SQLite, one slow stream",
            bare_slow / slow,
            Goal::None,
        ),
        figure(
            "speed against bare SQLite, fifty slow streams",
            bare_slow_fifty / slow_fifty,
            Goal::None,
        ),
        figure(
            "speed against bare SQLite, one stream, a row a chunk",
            bare_apart / apart,
            Goal::None,
        ),
        figure(
            "speed against bare SQLite, fifty streams, a row a chunk",
            bare_apart_fifty / apart_fifty,
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
            "speed against one commit a chunk, one slow stream",
            alone / slow,
            Goal::None,
        ),
        figure(
            "speed against one commit a chunk, fifty slow streams",
            alone / slow_fifty,
            Goal::None,
        ),
        figure(
            "speed against one commit a chunk, one stream, a row a chunk",
            alone / apart,
            Goal::None,
        ),
        figure(
            "speed against one commit a chunk, fifty streams, a row a chunk",
            alone / apart_fifty,
            Goal::None,
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
        figure("the same, a row a chunk", apart_fifty / apart, Goal::None),
    ]
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
                        let events = shape.coalesce(frame);
                        store.record(stream.session, events).await?;
                    }
                    Ok::<_, weir_core::store::StoreError>(())
                })
            })
            .collect();
        for stream in saving {
            stream.await??;
        }
        let taken = started.elapsed();
        let mut shown = Texts::default();
        while let Ok(published) = published.try_recv() {
            if let Published::Events(events) = published {
                events.iter().for_each(|event| shown.add(event));
            }
        }
        app.store().close().await;
        shown.look_for(shape, chunks, "shown")?;
        saved(folder.path())?.look_for(shape, chunks, "saved")?;
        Ok(taken)
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
    let mut streams = streams(shape, chunks);
    runtime.block_on(async {
        let (store, _) = Store::open_alone(folder.path()).await?;
        start(&store, &streams).await?;
        store.close().await;
        Outcome::Ok(())
    })?;
    let mut rows = Vec::new();
    let frames = streams.iter().map(|stream| stream.frames.len()).max();
    let mut next = vec![1; streams.len()];
    for frame in 0..frames.unwrap_or(0) {
        for (stream, next) in streams.iter_mut().zip(&mut next) {
            let chunks = stream.frames.get_mut(frame).map(std::mem::take);
            for event in shape.coalesce(chunks.unwrap_or_default()) {
                rows.push(bare::Row::of(&event, *next)?);
                *next += 1;
            }
        }
    }
    let mut database = bare::open(&database(folder.path()))?;
    let started = Instant::now();
    bare::insert(&mut database, &rows, commit)?;
    let taken = started.elapsed();
    drop(database);
    saved(folder.path())?.look_for(shape, chunks, "saved")?;
    Ok(taken)
}

/// What each session has said, and in how many rows.
#[derive(Default)]
struct Texts {
    sessions: HashMap<Uuid, String>,
    rows: usize,
}

impl Texts {
    fn add(&mut self, event: &Event) {
        if let EventBody::MessageChunk { content, .. } = &event.body {
            *self.sessions.entry(event.session_id).or_default() += content;
            self.rows += 1;
        }
    }

    /// All of the text is there, in so many rows as the shape says.
    fn look_for(&self, shape: Shape, chunks: usize, what: &str) -> Outcome<()> {
        let each = chunks / shape.sessions;
        let rows = match shape.rows {
            Rows::OneAFrame => each.div_ceil(shape.frame),
            Rows::OneAChunk => each,
        };
        if self.rows != rows * shape.sessions {
            return Err(format!("{} rows were {what}", self.rows).into());
        }
        let text = text(each);
        let whole = self.sessions.values().filter(|said| **said == text);
        match whole.count() == shape.sessions {
            true => Ok(()),
            false => Err(format!("not all of the text was {what}").into()),
        }
    }
}

fn saved(folder: &Path) -> Outcome<Texts> {
    let database = bare::open(&database(folder))?;
    let mut rows =
        database.prepare("SELECT event FROM journal ORDER BY session_id, event_index")?;
    let mut texts = Texts::default();
    for event in rows.query_map((), |row| row.get::<_, String>(0))? {
        texts.add(&serde_json::from_str(&event?)?);
    }
    Ok(texts)
}
