//! A stream of many deltas, with a guard between the events and the chunks, and without.

use std::hint::black_box;
use std::time::Duration;

use uuid::Uuid;
use weir_core::guard::{Guard, GuardConfig, GuardStream, Piece, Stage};
use weir_core::render::LiveMarkdown;
use weir_core::source::dialect;
use weir_core::source::dialect::Reader;
use weir_core::value_search::{Extent, Known, KnownValues, Pieces, ValueStream};
use weir_protocol::{Event, EventBody, PersistenceState, StreamEvent};

use crate::streams::{self, Stream};
use crate::{Outcome, Plan, time};

/// A packet's worth.
const READ: usize = 1400;
/// How many reads a frame of the screen sees of a fast stream.
const READS_A_FRAME: usize = 4;
/// The most that guarding may cost.
const PROMISE: f64 = 1.5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Guarded {
    No,
    Yes,
    /// And searched for the key of its source, as every reply of one that wants a key is.
    WithKey,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Read,
    Path,
}

pub(crate) fn run(plan: Plan) -> Outcome<bool> {
    let streams = streams::all(plan.deltas);
    let Some(stream) = streams.iter().find(|stream| stream.dialect == "anthropic") else {
        return Err("there is no stream".into());
    };
    let guard = Guard::new(&GuardConfig::default())?;
    // As long as a provider's, and like none of them.
    let key = KnownValues::new([Known {
        value: "quarry~7".repeat(13),
        replacement: "[key]".to_owned(),
        pieces: Pieces::Searched,
    }]);
    let (deltas, bytes) = (stream.deltas, stream.bytes.len());
    println!("guard: {deltas} deltas of anthropic, {bytes} bytes, reads of {READ} bytes");
    let mut kept = true;
    for (way, name) in [
        (Way::Read, "read: bytes to stream events"),
        (Way::Path, "path: read, chunks as rows, rendered"),
    ] {
        let mut best = [Duration::MAX; 3];
        for _ in 0..plan.rounds {
            let all = [Guarded::No, Guarded::Yes, Guarded::WithKey];
            for (at, guarded) in all.into_iter().enumerate() {
                let taken = time(|| pass(stream, &guard, &key, way, guarded))?;
                best[at] = best[at].min(taken);
            }
        }
        let a_delta = |time: Duration| time.as_nanos() as f64 / deltas as f64;
        let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
        println!(
            "  {name:<40} without {:>7.1} ns, with {:>7.1} ns a delta: {ratio:.2} times",
            a_delta(best[0]),
            a_delta(best[1])
        );
        println!(
            "    and searched for the key of the source {:>22.1} ns a delta: {:.2} times",
            a_delta(best[2]),
            best[2].as_secs_f64() / best[0].as_secs_f64()
        );
        if way == Way::Path && ratio > PROMISE {
            println!("  guarding costs more than {PROMISE} times not guarding");
            kept = false;
        }
    }
    Ok(kept)
}

/// What becomes of the text of one kind of block.
struct Block {
    guard: Option<GuardStream>,
    key: Option<ValueStream>,
    chunk: String,
    shown: LiveMarkdown,
}

impl Block {
    fn new(guard: &Guard, guarded: Guarded) -> Self {
        Self {
            guard: (guarded != Guarded::No).then(|| guard.stream(Stage::Output)),
            key: (guarded == Guarded::WithKey).then(|| ValueStream::new(Extent::Pieces)),
            chunk: String::new(),
            shown: LiveMarkdown::new(),
        }
    }

    fn take(&mut self, text: &str, key: &KnownValues, pieces: &mut Vec<Piece>, way: Way) {
        let Some(guard) = &mut self.guard else {
            self.gather(text, way);
            return;
        };
        if let Some(stream) = &mut self.key {
            black_box(stream.push(text, key));
        }
        guard.push(text, pieces);
        self.let_go(pieces, way);
    }

    fn let_go(&mut self, pieces: &mut Vec<Piece>, way: Way) {
        for piece in pieces.drain(..) {
            match piece {
                Piece::Text(text) => self.gather(&text, way),
                Piece::Found(found, _) => self.gather(&found.label, way),
            }
        }
    }

    fn gather(&mut self, text: &str, way: Way) {
        match way {
            Way::Read => {
                black_box(text);
            }
            Way::Path => self.chunk.push_str(text),
        }
    }

    /// A frame: one row for the journal, and what the page is told.
    fn show(&mut self, number: u64) -> Outcome<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let content = std::mem::take(&mut self.chunk);
        self.shown.push(&content);
        let event = Event {
            id: Uuid::now_v7(),
            session_id: Uuid::nil(),
            turn_id: None,
            body: EventBody::MessageChunk {
                content,
                citations: Vec::new(),
            },
            event_index: number,
            sequence_number: None,
            block_index: Some(0),
            message_id: None,
            persistence_state: PersistenceState::Transient,
            timestamp: jiff::Timestamp::UNIX_EPOCH,
        };
        black_box(serde_json::to_string(&event)?);
        black_box(self.shown.take());
        Ok(())
    }
}

fn pass(
    stream: &Stream,
    guard: &Guard,
    key: &KnownValues,
    way: Way,
    guarded: Guarded,
) -> Outcome<()> {
    let Some(dialect) = dialect(stream.dialect) else {
        return Err("there is no dialect".into());
    };
    let mut reader = Reader::new(dialect);
    let mut blocks = [(); 3].map(|()| Block::new(guard, guarded));
    let mut events = Vec::new();
    let mut pieces = Vec::new();
    for (number, read) in stream.bytes.chunks(READ).enumerate() {
        reader.push(black_box(read), &mut events);
        for event in events.drain(..) {
            match &event {
                StreamEvent::TextDelta { text, .. } => blocks[0].take(text, key, &mut pieces, way),
                StreamEvent::ThinkingDelta { text, .. } => {
                    blocks[1].take(text, key, &mut pieces, way)
                }
                StreamEvent::ToolUseDelta { json, .. } => {
                    blocks[2].take(json, key, &mut pieces, way)
                }
                _ => {
                    black_box(&event);
                }
            }
        }
        if way == Way::Path && number % READS_A_FRAME == 0 {
            for block in &mut blocks {
                block.show(number as u64)?;
            }
        }
    }
    reader.finish(&mut events);
    for block in &mut blocks {
        if let Some(guard) = &mut block.guard {
            if let Some(stream) = &mut block.key {
                black_box(stream.finish(key));
            }
            guard.finish(&mut pieces);
        }
        block.let_go(&mut pieces, way);
        block.show(0)?;
    }
    Ok(())
}
