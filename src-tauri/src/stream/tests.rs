//! The page leaves and comes back while a reply streams.

use std::collections::BTreeMap;
use std::sync::Arc;

use tauri::ipc::{Channel, InvokeResponseBody};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use uuid::Uuid;
use weir_core::app::{App, Prompt};
use weir_core::publish::Published;
use weir_core::secret::MemoryKeychain;
use weir_protocol::{Event, EventBody, Frame, Shown, Snapshot};

use super::Stream;

const RECONNECTS: usize = 200;
/// More than so many events are not waited for before the page leaves again.
const LONGEST_STAY: u64 = 4;

/// Where something stands: a turn, and a block or a run in it.
type Place = (Option<Uuid>, u32);
type Texts = BTreeMap<Place, String>;

/// What a page holds: the stored events by number, and the text of every block.
#[derive(Clone, Debug, Default, PartialEq)]
struct Held {
    stored: Vec<Uuid>,
    blocks: Texts,
    /// The pieces of each run of text, and the one that grows.
    html: BTreeMap<Place, (Vec<String>, String)>,
}

impl Held {
    /// Takes an event in; panics at a gap, or at what it has already.
    fn take(&mut self, shown: &Shown) {
        let event = &shown.event;
        if let Some(number) = event.sequence_number {
            assert_eq!(number, self.stored.len() as u64 + 1, "in order: {event:?}");
            self.stored.push(event.id);
        }
        if let Some(block) = event.block_index {
            let text = self.blocks.entry((event.turn_id, block)).or_default();
            match (&event.body, event.body.chunk()) {
                (_, Some(chunk)) => text.push_str(chunk),
                (
                    EventBody::Message { content, .. } | EventBody::Thinking { content, .. },
                    None,
                ) => {
                    text.clone_from(content);
                }
                (_, None) => *text = format!("{:?}", event.body),
            }
        }
        if let Some(change) = &shown.rendered {
            let (pieces, tail) = self.html.entry((event.turn_id, change.run)).or_default();
            assert!(pieces.len() >= change.from as usize, "a piece was missed");
            pieces.truncate(change.from as usize);
            pieces.extend(change.pieces.iter().cloned());
            tail.clone_from(&change.tail);
        }
    }

    fn of(snapshot: &Snapshot) -> Self {
        let mut held = Self::default();
        for shown in snapshot.events.iter().chain(&snapshot.growing) {
            held.take(shown);
        }
        held
    }

    /// How it reads, whichever pieces it came in.
    fn read(&self) -> Texts {
        let join = |(pieces, tail): &(Vec<String>, String)| pieces.concat() + tail;
        self.html
            .iter()
            .map(|(run, html)| (*run, join(html)))
            .collect()
    }
}

/// Everything that was published of the session, and what a page that missed nothing would
/// have held after each of it.
#[derive(Default)]
struct Truth {
    held: Held,
    states: Vec<(Vec<Uuid>, Texts)>,
    /// How many turns have ended.
    ended: usize,
}

impl Truth {
    fn take(&mut self, event: &Event) {
        let shown = Shown {
            event: event.clone(),
            rendered: None,
            restored: Vec::new(),
        };
        self.held.take(&shown);
        self.ended += usize::from(matches!(event.body, EventBody::Complete { .. }));
        let Held { stored, blocks, .. } = self.held.clone();
        self.states.push((stored, blocks));
    }

    /// When it stood so.
    fn moment(&self, held: &Held) -> Option<usize> {
        let stands = |(stored, blocks): &(Vec<Uuid>, Texts)| {
            *stored == held.stored && *blocks == held.blocks
        };
        self.states.iter().rposition(stands)
    }
}

/// A page's end of the stream.
fn page() -> (Channel<Frame>, UnboundedReceiver<Frame>) {
    let (sender, frames) = mpsc::unbounded_channel();
    let channel = Channel::new(move |body| {
        if let InvokeResponseBody::Json(json) = body {
            // A page that is gone hears nothing more.
            let _ = sender.send(serde_json::from_str(&json)?);
        }
        Ok(())
    });
    (channel, frames)
}

fn take_frames(frames: &mut UnboundedReceiver<Frame>, watch: u32, held: &mut Held) {
    while let Ok(frame) = frames.try_recv() {
        if frame.watch == watch {
            frame.events.iter().for_each(|shown| held.take(shown));
        }
    }
}

/// The next number after `seed`, which it becomes: a plain generator, the same every time.
fn random(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[allow(clippy::print_stdout, reason = "the figure is for a person to read")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_comes_back_at_any_moment_holds_what_a_fresh_one_would() {
    let folder = tempfile::tempdir().unwrap();
    let keychain = Arc::new(MemoryKeychain::default());
    let (app, _) = App::open(folder.path().to_owned(), keychain).await.unwrap();
    let stream = Stream::start(Arc::clone(&app));
    let mut published = app.subscribe();
    let prompt = |session| Prompt {
        text: "long".into(),
        source: Some("demo".into()),
        session,
        ..Prompt::default()
    };
    let session = app.send(prompt(None)).await.unwrap();
    let mut turns = 1;
    let mut truth = Truth::default();
    let mut left = Vec::new();
    let mut seed = 42;
    while left.len() < RECONNECTS {
        if truth.ended == turns {
            app.wait(session).await;
            app.send(prompt(Some(session))).await.unwrap();
            turns += 1;
        }
        let (channel, mut frames) = page();
        stream.attach(channel, Vec::new());
        let snapshot = stream.open(session).await.unwrap();
        let mut held = Held::of(&snapshot);
        let mut stay = random(&mut seed) % (LONGEST_STAY + 1);
        while stay > 0 && truth.ended < turns {
            if let Some(Published::Events(events)) = published.recv().await {
                events.iter().for_each(|event| truth.take(event));
                stay -= 1;
            }
        }
        take_frames(&mut frames, snapshot.watch, &mut held);
        left.push(held);
    }

    let (channel, mut frames) = page();
    stream.attach(channel, Vec::new());
    let snapshot = stream.open(session).await.unwrap();
    let mut last = Held::of(&snapshot);
    app.stop(session).await.unwrap();
    while let Ok(news) = published.try_recv() {
        if let Published::Events(events) = news {
            events.iter().for_each(|event| truth.take(event));
        }
    }
    while last.stored.len() < truth.held.stored.len() {
        let frame = frames.recv().await.unwrap();
        if frame.watch == snapshot.watch {
            frame.events.iter().for_each(|shown| last.take(shown));
        }
    }
    let fresh = Held::of(&stream.open(session).await.unwrap());
    assert_eq!(last.stored, fresh.stored);
    assert_eq!(last.blocks, fresh.blocks);
    assert_eq!(last.read(), fresh.read());

    let mut before = 0;
    for (at, held) in left.iter().enumerate() {
        let moment = truth.moment(held);
        let moment = moment.unwrap_or_else(|| panic!("page {at} held what never was: {held:?}"));
        assert!(moment >= before, "page {at} went back in time");
        before = moment;
    }
    println!(
        "{RECONNECTS} reconnects over {} events: 0 gaps, 0 duplicates",
        truth.states.len()
    );
}
