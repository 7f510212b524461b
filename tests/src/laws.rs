//! What holds for every stream of every dialect, whatever its bytes are.
//!
//! Owns the laws and knows no dialect. The tests hold them against seeds, their ruins and
//! recorded streams; the fuzzer, a workspace of its own, takes this very file.

use std::collections::BTreeSet;

use weir_core::format::ai_sdk::AiSdk;
use weir_core::source::dialect::{Dialect, Reader};
use weir_core::source::summary::summarize;
use weir_core::wire::Framing;
use weir_protocol::{StreamEvent, code};

use crate::checksums::with_checksums;

/// No stream may say more than this many times its own length, and a little: what costs more
/// costs the square of it.
const MOST_BYTES: usize = 64;
const SPARE_BYTES: usize = 16 * 1024;
/// Sizes of reads; byte by byte is the one that finds most.
const SPLITS: [usize; 8] = [1, 1, 2, 3, 7, 16, 61, 512];
/// The shortest frame is a letter and a newline.
const SPARE_EVENTS: usize = 16;

/// The law that reading these bytes breaks, if it breaks one. A panic is the caller's to catch.
/// Damage under a checksum is tried once more with checksums that fit.
pub fn broken(dialect: &'static Dialect, bytes: &[u8]) -> Option<String> {
    let broken = broken_as_it_is(dialect, bytes);
    match dialect.framing {
        Framing::AwsEventStream => {
            broken.or_else(|| broken_as_it_is(dialect, &with_checksums(bytes)))
        }
        Framing::Sse | Framing::Lines | Framing::LinesOrSse => broken,
    }
}

fn broken_as_it_is(dialect: &'static Dialect, bytes: &[u8]) -> Option<String> {
    let (events, afterwards) = read_to_the_end(dialect, bytes);
    if !afterwards.is_empty() {
        return Some(format!("said after the end: {afterwards:?}"));
    }
    unbalanced(&events)
        .or_else(|| badly_ended(&events))
        .or_else(|| split_dependent(dialect, bytes, &events))
        .or_else(|| shape_dependent(dialect, bytes, &events))
        .or_else(|| boundless(bytes, &events))
}

/// All events of a stream that came in reads of this size.
pub fn read(dialect: &'static Dialect, bytes: &[u8], size: usize) -> Vec<StreamEvent> {
    let mut reader = Reader::new(dialect);
    let mut events = Vec::new();
    for read in bytes.chunks(size) {
        reader.push(read, &mut events);
    }
    reader.finish(&mut events);
    events
}

/// The events, and whatever a reader says that was told twice that it is over.
fn read_to_the_end(
    dialect: &'static Dialect,
    bytes: &[u8],
) -> (Vec<StreamEvent>, Vec<StreamEvent>) {
    let mut reader = Reader::new(dialect);
    let mut events = Vec::new();
    let mut afterwards = Vec::new();
    reader.push(bytes, &mut events);
    reader.finish(&mut events);
    reader.finish(&mut afterwards);
    reader.push(bytes, &mut afterwards);
    reader.finish(&mut afterwards);
    (events, afterwards)
}

fn split_dependent(
    dialect: &'static Dialect,
    bytes: &[u8],
    events: &[StreamEvent],
) -> Option<String> {
    // The size comes from the bytes, so that the same bytes are always tried the same way.
    let sum = bytes.iter().fold(bytes.len(), |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(usize::from(*byte))
    });
    let size = SPLITS[sum % SPLITS.len()];
    let same = read(dialect, bytes, size) == events;
    (!same).then(|| format!("other events when split by {size}"))
}

/// A space more before the data of every second frame, and no frame has the shape of the one
/// before: each is read in full, and must come to the same.
fn shape_dependent(
    dialect: &'static Dialect,
    bytes: &[u8],
    events: &[StreamEvent],
) -> Option<String> {
    if dialect.framing == Framing::AwsEventStream {
        // A byte more in it would be damage.
        return None;
    }
    let mut is_second = false;
    let mut has_data = false;
    let mut apart = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"data: {") && !has_data {
            apart.extend_from_slice(if is_second { b"data: " } else { b"data:" });
            apart.extend_from_slice(&line[b"data:".len()..]);
            is_second = !is_second;
        } else {
            apart.extend_from_slice(line);
        }
        // Space between the lines of one frame may be part of what an error says.
        let is_blank = matches!(line, b"\n" | b"\r\n");
        has_data = !is_blank && (has_data || line.windows(4).any(|word| word == b"data"));
    }
    let in_full = read(dialect, &apart, bytes.len().max(1));
    let same = in_full.len() == events.len()
        && in_full.iter().zip(events).all(|(one, other)| {
            one == other
                || matches!(
                    (one, other),
                    (StreamEvent::Raw { .. }, StreamEvent::Raw { .. })
                )
        });
    (!same).then(|| "other events when each frame is read in full".to_owned())
}

/// Starts, deltas and ends pair up, and no id is used twice.
pub fn unbalanced(events: &[StreamEvent]) -> Option<String> {
    let mut open = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for event in events {
        let fine = match event {
            StreamEvent::TextStart { id }
            | StreamEvent::ThinkingStart { id }
            | StreamEvent::ToolUseStart { id, .. } => seen.insert(*id) && open.insert(*id),
            StreamEvent::TextDelta { id, .. }
            | StreamEvent::ThinkingDelta { id, .. }
            | StreamEvent::ToolUseDelta { id, .. }
            | StreamEvent::Citation { id, .. } => open.contains(id),
            StreamEvent::TextEnd { id, .. }
            | StreamEvent::ThinkingEnd { id, .. }
            | StreamEvent::ToolUseEnd { id, .. } => open.remove(id),
            StreamEvent::Done { .. } => open.is_empty(),
            StreamEvent::Start { .. }
            | StreamEvent::Status { .. }
            | StreamEvent::File { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::ToolResult { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Error { .. }
            | StreamEvent::Raw { .. } => true,
        };
        if !fine {
            return Some(format!("out of place: {event:?}"));
        }
    }
    (!open.is_empty()).then(|| format!("left open: {open:?}"))
}

/// A stream is done, once, and then says nothing that counts; or it tells why it is not.
fn badly_ended(events: &[StreamEvent]) -> Option<String> {
    let is_done = |event: &StreamEvent| matches!(event, StreamEvent::Done { .. });
    let is_error = |event: &StreamEvent| matches!(event, StreamEvent::Error { .. });
    let Some(done) = events.iter().position(is_done) else {
        let told = events.iter().any(is_error);
        return (!told).then(|| "neither done nor an error".to_owned());
    };
    let counts = |event: &&StreamEvent| {
        !matches!(event, StreamEvent::Raw { .. } | StreamEvent::Usage { .. })
    };
    if let Some(event) = events[done + 1..].iter().find(counts) {
        return Some(format!("said after it was done: {event:?}"));
    }
    let is_cut = |event: &StreamEvent| matches!(event, StreamEvent::Error { error } if error.code == code::STREAM_CUT);
    let cut = events.iter().any(is_cut);
    cut.then(|| "done, and cut as well".to_owned())
}

/// What is said, summed up and formatted stays in proportion to what came.
fn boundless(bytes: &[u8], events: &[StreamEvent]) -> Option<String> {
    let most = MOST_BYTES * bytes.len() + SPARE_BYTES;
    if events.len() > bytes.len() + SPARE_EVENTS {
        return Some(format!("{} events", events.len()));
    }
    match weight(events) {
        Err(error) => Some(format!("no JSON: {error}")),
        Ok(weight) if weight > most => {
            Some(format!("{} bytes came to {weight} of output", bytes.len()))
        }
        Ok(_) => None,
    }
}

/// How many bytes these events come to, written down, summed up and formatted.
pub fn weight(events: &[StreamEvent]) -> Result<usize, serde_json::Error> {
    let written = serde_json::to_vec(events)?.len();
    let summary = serde_json::to_vec(&summarize(events))?.len();
    let mut format = AiSdk::default();
    let mut formatted = Vec::new();
    for event in events {
        format.write(event, &mut formatted);
    }
    format.finish(&mut formatted);
    Ok(written + summary + formatted.len())
}
