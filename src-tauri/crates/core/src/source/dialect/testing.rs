//! What the tests of every dialect have in common.
//!
//! Owns how frames written by hand are read, and the laws of [`super`] as tests: balance, the
//! same events however the bytes are split, an ending that is told wherever they stop, and no
//! value so odd that it would break them. Must not know any dialect: each brings its own
//! frames, and [`assert_laws`] holds the laws against them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary, code};

use super::{Dialect, Reader};
use crate::source::summary::summarize;
use crate::wire::Framing;
use crate::wire::aws_event_stream::testing as aws_event_stream;

/// The bytes of these frames. Text stands for itself: it is a frame that is no JSON.
pub(crate) fn bytes(dialect: &Dialect, frames: &[Value]) -> Vec<u8> {
    let framed = |frame: &Value| {
        let text = frame.as_str().map(str::to_owned);
        let data = text.unwrap_or_else(|| frame.to_string());
        match (dialect.framing, frame["type"].as_str()) {
            (Framing::Lines | Framing::LinesOrSse, _) => format!("{data}\n").into_bytes(),
            (Framing::Sse, Some(name)) => format!("event: {name}\ndata: {data}\n\n").into_bytes(),
            (Framing::Sse, None) => format!("data: {data}\n\n").into_bytes(),
            (Framing::AwsEventStream, name) => match frame["exception"].as_str() {
                Some(exception) => aws_event_stream::exception(exception, &data),
                None => aws_event_stream::event(name.unwrap_or_default(), &data),
            },
        }
    };
    frames.iter().flat_map(framed).collect()
}

pub(crate) fn read<'a>(
    dialect: &'static Dialect,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<StreamEvent> {
    let mut reader = Reader::new(dialect);
    let mut events = Vec::new();
    for piece in pieces {
        reader.push(piece, &mut events);
    }
    reader.finish(&mut events);
    events
}

pub(crate) fn read_frames(dialect: &'static Dialect, frames: &[Value]) -> Vec<StreamEvent> {
    read(dialect, [bytes(dialect, frames).as_slice()])
}

pub(crate) fn summary(dialect: &'static Dialect, frames: &[Value]) -> Summary {
    summarize(&read_frames(dialect, frames))
}

/// The events as JSON, without the error of a stream that was cut.
pub(crate) fn without_cut(mut events: Vec<StreamEvent>) -> Vec<Value> {
    events.retain(|event| !is_cut(event));
    for event in &mut events {
        // The source's own words are compared where they are read, in `fault`.
        if let StreamEvent::Error { error } = event {
            error.details = None;
        }
    }
    events.iter().map(|event| json!(event)).collect()
}

/// The same without the start, which must be there.
pub(crate) fn after_start(mut events: Vec<StreamEvent>) -> Value {
    assert!(matches!(events.remove(0), StreamEvent::Start { .. }));
    json!(without_cut(events))
}

/// Events without what a source says of texts and thinking beside their words.
pub(crate) fn without_details(mut events: Vec<StreamEvent>) -> Vec<StreamEvent> {
    for event in &mut events {
        if let StreamEvent::TextEnd { detail, .. } | StreamEvent::ThinkingEnd { detail, .. } = event
        {
            *detail = None;
        }
    }
    events
}

/// What a source says beside what its dialect does not know.
pub(crate) fn without_raw(mut events: Vec<StreamEvent>) -> Vec<StreamEvent> {
    events.retain(|event| !matches!(event, StreamEvent::Raw { .. }));
    events
}

/// Each event by its type, and errors by their code.
pub(crate) fn kinds(events: &[StreamEvent]) -> Vec<String> {
    let kind = |event: &StreamEvent| {
        let event = json!(event);
        let code = event["error"]["code"].as_str();
        code.or(event["type"].as_str()).unwrap().to_owned()
    };
    events.iter().map(kind).collect()
}

fn is_cut(event: &StreamEvent) -> bool {
    matches!(event, StreamEvent::Error { error } if error.code == code::STREAM_CUT)
}

/// Blocks are balanced; the stream ends once, with nothing open, and tells how; what comes
/// then is `Raw`.
pub(crate) fn assert_lawful(events: &[StreamEvent]) {
    let mut blocks = Blocks::default();
    let mut is_over = false;
    let mut is_told = false;
    for event in events {
        let is_raw = matches!(event, StreamEvent::Raw { .. });
        assert!(!is_over || is_raw, "after the end: {event:?}");
        if is_raw {
            continue;
        }
        blocks.check(event);
        let is_done = matches!(event, StreamEvent::Done { .. });
        is_over |= is_done || is_cut(event);
        is_told |= is_done || matches!(event, StreamEvent::Error { .. });
        let open = &blocks.open;
        assert!(!is_over || open.is_empty(), "open at the end: {open:?}");
    }
    assert!(blocks.open.is_empty(), "left open: {:?}", blocks.open);
    assert!(is_told, "neither done nor an error");
}

/// Starts, deltas and ends of a kind pair up; no id is used twice; citations stand in text.
#[derive(Default)]
struct Blocks {
    seen: BTreeSet<u64>,
    /// By id, with their kind.
    open: BTreeMap<u64, String>,
}

impl Blocks {
    fn check(&mut self, event: &StreamEvent) {
        let told = json!(event);
        let (Some(kind), Some(id)) = (told["type"].as_str(), told["id"].as_u64()) else {
            return;
        };
        let (kind, stage) = kind.rsplit_once('_').unwrap_or(("text", "citation"));
        let is_fine = match stage {
            "start" => self.seen.insert(id) && self.open.insert(id, kind.to_owned()).is_none(),
            "end" => self.open.remove(&id).is_some_and(|open| open == kind),
            _ => self.open.get(&id).is_some_and(|open| open == kind),
        };
        assert!(is_fine, "out of place: {event:?}");
    }
}

/// Each call that has an id is told once, unless it was given up.
pub(crate) fn each_call_once(events: &[StreamEvent]) {
    let mut open = BTreeMap::new();
    let mut told = BTreeSet::new();
    for event in events {
        if let StreamEvent::ToolUseStart {
            id, tool_call_id, ..
        } = event
        {
            let is_new = told.insert(tool_call_id) || tool_call_id.is_empty();
            assert!(is_new, "told again: {event:?}");
            open.insert(*id, tool_call_id);
        } else if let StreamEvent::ToolUseEnd { id, input, .. } = event
            && input.is_null()
        {
            told.remove(open[id]);
        }
    }
}

/// An agent may go on after everything it says, so that only the end of its bytes is the end.
pub(crate) fn laws_of_agents(events: &[StreamEvent]) {
    each_call_once(events);
    let is_done = |event: &StreamEvent| matches!(event, StreamEvent::Done { .. });
    let done = events.iter().position(is_done);
    assert!(done.is_none_or(|done| done + 1 == events.len()));
}

/// Holds the laws of all dialects, and its `own`, against one. `stream` is one of everything,
/// in an order that ends well; `others` are frames that such a stream does not have.
pub(crate) fn assert_laws(
    dialect: &'static Dialect,
    stream: &[Value],
    others: &[Value],
    own: fn(&[StreamEvent]),
) {
    let laws = Laws { dialect, own };
    let bytes = bytes(dialect, stream);
    laws.hold_however_split(&bytes);
    laws.hold_wherever_cut(&bytes);
    laws.hold_for_odd_values(stream, others);
    proptest!(|(frames in disorder(stream, others))| {
        let events = laws.read(&self::bytes(dialect, &frames));
        let is_raw = |event: &&StreamEvent| matches!(event, StreamEvent::Raw { .. });
        prop_assert!(events.iter().filter(is_raw).count() <= frames.len());
    });
    proptest!(|(garbage in vec(any::<u8>(), 0..300))| {
        laws.read(&[&garbage[..], b"\n\ndata: ", &garbage, b"\n\n"].concat());
    });
    proptest!(|(at in any::<Index>(), byte in any::<u8>())| {
        let mut damaged = bytes.clone();
        damaged[at.index(bytes.len())] = byte;
        laws.read(&damaged);
    });
}

/// A frame that has the shape of the one before comes to the same as if it were read in full.
pub(crate) fn assert_same_in_full(dialect: &'static Dialect, bytes: &[u8]) {
    if dialect.framing == Framing::AwsEventStream {
        // Its bytes are under a checksum, and no shapes of frames are kept.
        return;
    }
    let in_full = read(dialect, [never_alike(bytes).as_slice()]);
    let events = read(dialect, [bytes]);
    assert_eq!(trimmed(in_full), trimmed(events), "read in full");
}

/// The same stream with a space more before the data of every second frame: so no frame has
/// the shape of the one before, and each is read in full.
fn never_alike(bytes: &[u8]) -> Vec<u8> {
    let mut is_second = false;
    let mut apart = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b"data: {") {
            Some(data) if is_second => apart.extend_from_slice(&[b"data:  {", data].concat()),
            Some(_) | None => apart.extend_from_slice(line),
        }
        is_second ^= line.starts_with(b"data: {");
    }
    apart
}

/// Without the space around what is handed on as text.
fn trimmed(mut events: Vec<StreamEvent>) -> Vec<StreamEvent> {
    for event in &mut events {
        if let StreamEvent::Raw {
            value: Value::String(text),
        } = event
        {
            *text = text.split_whitespace().collect();
        }
    }
    events
}

struct Laws {
    dialect: &'static Dialect,
    own: fn(&[StreamEvent]),
}

impl Laws {
    /// All events, which keep the laws.
    fn read(&self, bytes: &[u8]) -> Vec<StreamEvent> {
        let events = read(self.dialect, [bytes]);
        assert_lawful(&events);
        (self.own)(&events);
        assert_same_in_full(self.dialect, bytes);
        events
    }

    fn hold_however_split(&self, bytes: &[u8]) {
        let whole = self.read(bytes);
        assert!(summarize(&whole).complete, "{whole:?}");
        // What goes wrong when all is said is no error any more.
        self.read(&[bytes, b"event: error\ndata: late\n\n"].concat());
        let mut alike = vec![bytes.to_vec()];
        if self.dialect.framing != Framing::AwsEventStream {
            let text = str::from_utf8(bytes).unwrap();
            alike.push(text.replace('\n', "\r\n").into_bytes());
        }
        for bytes in &alike {
            for size in [1, 2, 3, 7, 64] {
                let events = read(self.dialect, bytes.chunks(size));
                assert_eq!(events, whole, "split by {size}");
            }
        }
        proptest!(|(cuts in vec(any::<Index>(), 0..20))| {
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let pieces = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
            prop_assert_eq!(read(self.dialect, pieces), whole.as_slice());
        });
    }

    /// At both sides of every line end, and at one of seven places between.
    fn hold_wherever_cut(&self, bytes: &[u8]) {
        let is_at_end = |place: usize| bytes[place] == b'\n' || bytes[..place].ends_with(b"\n");
        for place in (0..bytes.len()).filter(|place| place % 7 == 0 || is_at_end(*place)) {
            let summary = summarize(&self.read(&bytes[..place]));
            let is_told = summary.complete == summary.errors.is_empty();
            assert!(is_told && summary.errors.len() <= 1, "cut at {place}");
        }
    }

    /// Where each frame stands, all that it might have been with one value changed.
    fn hold_for_odd_values(&self, stream: &[Value], others: &[Value]) {
        // Deeper than a JSON reader goes.
        let deep = (0..200).fold(json!(1), |value, _| json!([{ "type": value }]));
        let values = [odd_values(), vec![deep]].concat();
        for (at, frame) in stream.iter().chain(others).enumerate() {
            let (before, after) = stream.split_at(at % stream.len());
            let mut odd = Vec::new();
            for place in places(frame) {
                for value in &values {
                    let mut frame = frame.clone();
                    frame.pointer_mut(&place).unwrap().clone_from(value);
                    odd.push(frame);
                }
            }
            let frames = [before, &odd, after].concat();
            self.read(&bytes(self.dialect, &frames));
        }
    }
}

/// What nobody expects where another value should be.
fn odd_values() -> Vec<Value> {
    let odd = json!([
        null, true, -1, 1e300, u64::MAX, "", "猫", "{\"a\":", [], {}, [null, "a", 7], [[], {}],
        { "type": "text", "text": 7 },
    ]);
    serde_json::from_value(odd).unwrap()
}

/// Frames of the right kinds in no sensible order, some lost, doubled or broken off, with
/// fields gone, of another type, or from where they do not belong.
pub(crate) fn disorder(
    stream: &[Value],
    others: &[Value],
) -> impl Strategy<Value = Vec<Value>> + use<> {
    let known = [stream, others].concat();
    let drawn = vec(select(known.clone()), 0..30);
    let frames = prop_oneof![Just(stream.to_vec()), drawn];
    let mishap = prop_oneof![
        1 => Just(Mishap::Lost),
        1 => Just(Mishap::Broken),
        1 => Just(Mishap::Last),
        1 => any::<Index>().prop_map(Mishap::Swapped),
        1 => any::<Index>().prop_map(Mishap::Without),
        1 => select(known.clone()).prop_map(Mishap::Foreign),
        3 => (any::<Index>(), select(odd_values())).prop_map(|(at, odd)| Mishap::Odd(at, odd)),
        2 => select(fields(&known)).prop_map(Mishap::Same),
        3 => (any::<Index>(), select(fields(&known))).prop_map(|(at, field)| Mishap::Field(at, field)),
    ];
    let mishaps = vec((any::<Index>(), mishap), 0..12);
    (frames, mishaps).prop_map(|(mut frames, mishaps)| {
        for (at, mishap) in mishaps {
            if !frames.is_empty() {
                mishap.befall(&mut frames, at);
            }
        }
        frames
    })
}

/// What can happen to a frame of a stream.
#[derive(Clone, Debug)]
enum Mishap {
    Lost,
    /// Its second half is missing.
    Broken,
    /// Nothing comes after it.
    Last,
    /// Another stands before it.
    Foreign(Value),
    Swapped(Index),
    /// Without the field at this place.
    Without(Index),
    /// With an odd value at this place.
    Odd(Index, Value),
    /// From here on, every field of that name has this value.
    Same((String, Value)),
    /// With a field more, or another value for one it has.
    Field(Index, (String, Value)),
}

impl Mishap {
    fn befall(self, frames: &mut Vec<Value>, at: Index) {
        let at = at.index(frames.len());
        let frame = &mut frames[at];
        match self {
            Self::Lost => drop(frames.remove(at)),
            Self::Broken => {
                let text: Vec<char> = frame.to_string().chars().collect();
                *frame = text[..text.len() / 2].iter().collect::<String>().into();
            }
            Self::Last => frames.truncate(at + 1),
            Self::Foreign(other) => frames.insert(at, other),
            Self::Swapped(with) => {
                let with = with.index(frames.len());
                frames.swap(at, with);
            }
            Self::Without(place) => {
                let place = place.get(&places(frame)).clone();
                if let Some((parent, name)) = place.rsplit_once('/')
                    && let Some(Value::Object(fields)) = frame.pointer_mut(parent)
                {
                    fields.remove(name);
                }
            }
            Self::Odd(place, value) => {
                let place = place.get(&places(frame)).clone();
                *frame.pointer_mut(&place).unwrap() = value;
            }
            Self::Same((name, value)) => {
                for frame in &mut frames[at..] {
                    for place in places(frame) {
                        if let Some(Value::Object(fields)) = frame.pointer_mut(&place)
                            && let Some(field) = fields.get_mut(&name)
                        {
                            field.clone_from(&value);
                        }
                    }
                }
            }
            Self::Field(place, (name, value)) => {
                let mut places = places(frame);
                places.retain(|place| frame.pointer(place).is_some_and(Value::is_object));
                if !places.is_empty() {
                    let place = &places[place.index(places.len())];
                    frame.pointer_mut(place).unwrap()[name] = value;
                }
            }
        }
    }
}

/// Where the values of a frame are, itself the first.
fn places(frame: &Value) -> Vec<String> {
    let mut places = vec![String::new()];
    let mut next = 0;
    while next < places.len() {
        let place = places[next].clone();
        match frame.pointer(&place) {
            Some(Value::Object(fields)) => {
                places.extend(fields.keys().map(|name| format!("{place}/{name}")));
            }
            Some(Value::Array(items)) => {
                places.extend((0..items.len()).map(|item| format!("{place}/{item}")));
            }
            _ => {}
        }
        next += 1;
    }
    places
}

/// The fields of all objects in these frames.
fn fields(frames: &[Value]) -> Vec<(String, Value)> {
    let mut fields = Vec::new();
    for frame in frames {
        for place in places(frame) {
            if let Some(Value::Object(object)) = frame.pointer(&place) {
                let field = |(name, value): (&String, &Value)| (name.clone(), value.clone());
                fields.extend(object.iter().map(field));
            }
        }
    }
    fields
}
