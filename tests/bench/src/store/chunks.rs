//! Chunks saved before shown, from one stream and from fifty.
//!
//! What is measured is what the program does: the turn joins the chunks of a block while they
//! come, and once a frame the store saves what they were joined to, one row. Bare SQLite writes
//! the same rows, made beforehand, as many to a commit, so it is the saving that is compared with
//! it; joining has a figure of its own, and ratios with both. "One commit a chunk" is what saving
//! before showing would cost without frames: a row and a commit for every chunk. That is compared
//! with joining and saving. All of the text is looked for in the rows afterwards, and in what was
//! shown. The first frame of each stream is saved before the clock starts, on both sides:
//! statements are prepared once in a program's life.
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

/// What a chunk cost, in microseconds.
#[derive(Clone, Copy)]
struct Cost<T> {
    joining: T,
    saving: T,
    bare: T,
}

impl Cost<Best> {
    const NONE: Self = Self {
        joining: Best::NONE,
        saving: Best::NONE,
        bare: Best::NONE,
    };
}

impl Cost<f64> {
    fn whole(self) -> f64 {
        self.joining + self.saving
    }
}

type Costs<T> = [[Cost<T>; STREAMS.len()]; FRAMES.len()];

pub(crate) fn measure(runtime: &Runtime, plan: Plan) -> Outcome<Vec<Figure>> {
    let mut alone = Best::NONE;
    let mut costs: Costs<Best> = [[Cost::NONE; STREAMS.len()]; FRAMES.len()];
    for _ in 0..plan.rounds {
        for ((frame, rows, share), costs) in FRAMES.into_iter().zip(&mut costs) {
            for (sessions, cost) in STREAMS.into_iter().zip(costs) {
                let shape = Shape {
                    sessions,
                    frame,
                    rows,
                };
                let chunks = plan.chunks / share;
                let (joining, saving) = weir(runtime, shape, chunks)?;
                cost.joining.take_each(joining, chunks);
                let timed = chunks - sessions * frame;
                cost.saving.take_each(saving, timed);
                let bare = bare_sqlite(runtime, shape, chunks, shape.rows_a_commit())?;
                cost.bare.take_each(bare, timed);
            }
        }
        let one = Shape {
            sessions: 1,
            frame: 1,
            rows: Rows::OneAChunk,
        };
        let chunks = plan.chunks_alone;
        alone.take_each(bare_sqlite(runtime, one, chunks, 1)?, chunks - 1);
    }
    let costs = costs.map(|frame| {
        frame.map(|cost| Cost {
            joining: cost.joining.each(1),
            saving: cost.saving.each(1),
            bare: cost.bare.each(1),
        })
    });
    let alone = alone.each(1);
    print(&costs, alone);
    Ok(figures(costs, alone))
}

fn print(costs: &Costs<f64>, alone: f64) {
    println!(
        "microseconds a chunk:{:>39}{:>9}{:>14}",
        "joining", "saving", "bare SQLite"
    );
    for ((frame, rows, _), costs) in FRAMES.into_iter().zip(costs) {
        let rate = frame * 1000 / FRAME_MS;
        let rows = match rows {
            Rows::OneAFrame => "",
            Rows::OneAChunk => ", a row each",
        };
        for (streams, cost) in STREAMS.into_iter().zip(costs) {
            let name = format!("{streams} x {frame} chunks a frame ({rate} a second){rows}");
            let Cost {
                joining,
                saving,
                bare,
            } = cost;
            println!("  {name:<50}{joining:>8.2}{saving:>9.2}{bare:>14.2}");
        }
    }
    println!("  {:<67}{alone:>14.2}", "one commit a chunk");
}

fn figures(costs: Costs<f64>, alone: f64) -> Vec<Figure> {
    let [[one, fifty], [slow, slow_fifty], [apart, apart_fifty]] = costs;
    let against_bare = |cost: Cost<f64>| cost.bare / cost.saving;
    let with_joining = |cost: Cost<f64>| cost.bare / cost.whole();
    let against_alone = |cost: Cost<f64>| alone / cost.whole();
    let figure = |name, ratio, goal| Figure { name, ratio, goal };
    vec![
        figure(
            "speed against bare SQLite, one stream",
            against_bare(one),
            Goal::AtLeast(0.7),
        ),
        figure(
            "speed against bare SQLite, fifty streams",
            against_bare(fifty),
            Goal::AtLeast(0.7),
        ),
        figure(
            "speed against bare SQLite, one slow stream",
            against_bare(slow),
            Goal::None,
        ),
        figure(
            "speed against bare SQLite, fifty slow streams",
            against_bare(slow_fifty),
            Goal::None,
        ),
        figure(
            "speed against bare SQLite, one stream, with joining",
            with_joining(one),
            Goal::None,
        ),
        figure(
            "speed against bare SQLite, fifty streams, with joining",
            with_joining(fifty),
            Goal::None,
        ),
        figure(
            "speed against bare SQLite, one stream, a row a chunk",
            against_bare(apart),
            Goal::None,
        ),
        figure(
            "speed against bare SQLite, fifty streams, a row a chunk",
            against_bare(apart_fifty),
            Goal::None,
        ),
        figure(
            "speed against one commit a chunk, one stream",
            against_alone(one),
            Goal::AtLeast(50.0),
        ),
        figure(
            "speed against one commit a chunk, fifty streams",
            against_alone(fifty),
            Goal::AtLeast(50.0),
        ),
        figure(
            "speed against one commit a chunk, one slow stream",
            against_alone(slow),
            Goal::None,
        ),
        figure(
            "speed against one commit a chunk, fifty slow streams",
            against_alone(slow_fifty),
            Goal::None,
        ),
        figure(
            "speed against one commit a chunk, one stream, a row a chunk",
            against_alone(apart),
            Goal::None,
        ),
        figure(
            "speed against one commit a chunk, fifty streams, a row a chunk",
            against_alone(apart_fifty),
            Goal::None,
        ),
        figure(
            "cost of a chunk, fifty streams against one",
            fifty.whole() / one.whole(),
            Goal::AtMost(1.2),
        ),
        figure(
            "the same, slow streams",
            slow_fifty.whole() / slow.whole(),
            Goal::AtMost(1.2),
        ),
        figure(
            "the same, a row a chunk",
            apart_fifty.whole() / apart.whole(),
            Goal::None,
        ),
    ]
}

/// How long joining took, and how long saving.
fn weir(runtime: &Runtime, shape: Shape, chunks: usize) -> Outcome<(Duration, Duration)> {
    let folder = tempfile::tempdir()?;
    let mut streams = streams(shape, chunks);
    let started = Instant::now();
    for stream in &mut streams {
        for frame in &mut stream.frames {
            *frame = shape.coalesce(std::mem::take(frame));
        }
    }
    let joining = started.elapsed();
    runtime.block_on(async {
        let keychain = Arc::new(MemoryKeychain::default());
        let (app, _) = App::open(folder.path().to_owned(), keychain).await?;
        start(app.store(), &streams).await?;
        let mut published = app.subscribe();
        let first = |stream: &mut Stream| (stream.session, vec![stream.frames.remove(0)]);
        save(app.store(), streams.iter_mut().map(first)).await?;
        let rest = streams
            .into_iter()
            .map(|stream| (stream.session, stream.frames));
        let started = Instant::now();
        save(app.store(), rest).await?;
        let saving = started.elapsed();
        let mut shown = Texts::default();
        while let Ok(published) = published.try_recv() {
            if let Published::Events(events) = published {
                events.iter().for_each(|event| shown.add(event));
            }
        }
        app.store().close().await;
        shown.look_for(shape, chunks, "shown")?;
        saved(folder.path())?.look_for(shape, chunks, "saved")?;
        Ok((joining, saving))
    })
}

/// All streams at once, each a frame after the other.
async fn save(
    store: &Store,
    streams: impl Iterator<Item = (Uuid, Vec<Vec<Event>>)>,
) -> Outcome<()> {
    let saving: Vec<_> = streams
        .map(|(session, frames)| {
            let store = store.clone();
            tokio::spawn(async move {
                for frame in frames {
                    store.record(session, frame).await?;
                }
                Ok::<_, weir_core::store::StoreError>(())
            })
        })
        .collect();
    for stream in saving {
        stream.await??;
    }
    Ok(())
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
    let (first, rest) = rows.split_at(commit.min(rows.len()));
    bare::insert(&mut database, first, commit)?;
    let started = Instant::now();
    bare::insert(&mut database, rest, commit)?;
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
