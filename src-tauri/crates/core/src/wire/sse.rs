//! Server-sent events, by the WHATWG rules.
//!
//! Owns fields and dispatch. `event` and `data` make the frame; `id` and `retry` are for
//! browsers that reconnect, which a paid stream never does by itself, so they are read and
//! dropped like any field without a meaning. Must not know what the data says.
//!
//! Nearly every frame begins as the one before did, with the same name and one line of data. It
//! is compared with that beginning, and only the end of its data is looked for.

use super::lines::{Line, LineSplitter};
use super::{Frame, FrameTooLarge, lossy};

#[derive(Debug)]
pub(super) struct SseParser {
    splitter: LineSplitter,
    /// What earlier reads said of the frame that is not finished yet.
    event: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// Bytes of all lines that went into the frame; decides when it is too large.
    held: usize,
    limit: usize,
    last: Last,
}

/// No honest name is longer, and a longer one is not worth keeping.
const LONGEST_NAME: usize = 256;

/// How the last frame began, as it is usually written: its name, then its data.
#[derive(Debug)]
struct Last {
    event: String,
    start: Vec<u8>,
}

impl Last {
    fn new(event: &str) -> Self {
        let name = match event {
            "" => String::new(),
            event => format!("event: {event}\n"),
        };
        Self {
            event: event.to_owned(),
            start: [name.as_bytes(), b"data: "].concat(),
        }
    }

    /// The data of a frame that begins in the same way and lies whole in `bytes`, and what
    /// comes after the frame.
    fn data<'a>(&self, bytes: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let rest = bytes.strip_prefix(self.start.as_slice())?;
        let (data, end) = rest.split_at(memchr::memchr2(b'\n', b'\r', rest)?);
        let after = end
            .strip_prefix(b"\n\n")
            .or_else(|| end.strip_prefix(b"\r\n\r\n"))?;
        Some((data, after))
    }
}

/// What this read said of the frame, when it said all of it: borrowed, copied only if the
/// read ends before the frame does.
#[derive(Default)]
struct Unread<'a> {
    event: Option<&'a [u8]>,
    data: Option<&'a [u8]>,
}

enum Field<'a> {
    Event(&'a [u8]),
    Data(&'a [u8]),
    Ignored,
}

impl SseParser {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            splitter: LineSplitter::new(limit),
            event: Vec::new(),
            data: Vec::new(),
            has_data: false,
            held: 0,
            limit,
            last: Last::new(""),
        }
    }

    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameTooLarge> {
        let mut rest = bytes;
        let mut unread = Unread::default();
        if self.is_between_frames() {
            self.repeat(&mut rest, each);
        }
        while let Some(line) = self.splitter.next(&mut rest, self.held)? {
            match line {
                Line::Read([]) => {
                    self.dispatch(std::mem::take(&mut unread), each);
                    if self.splitter.is_between_lines() {
                        self.repeat(&mut rest, each);
                    }
                }
                Line::Read(line) => match self.field(line) {
                    Field::Event(name) => unread.event = Some(name),
                    Field::Data(data) => self.take_data(&mut unread, data),
                    Field::Ignored => {}
                },
                Line::Carried(line) => {
                    // The buffer goes back to the splitter, so its fields are copied now.
                    match self.field(&line) {
                        Field::Event(name) => self.keep_event(name),
                        Field::Data(data) => self.keep_data(data),
                        Field::Ignored => {}
                    }
                    self.splitter.give_back(line);
                }
            }
        }
        if let Some(name) = unread.event {
            self.keep_event(name);
        }
        if let Some(data) = unread.data {
            self.keep_data(data);
        }
        Ok(())
    }

    pub(super) fn held(&self) -> usize {
        self.held + self.splitter.carried()
    }

    pub(super) fn finish(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        if let Some(line) = self.splitter.finish() {
            match self.field(&line) {
                Field::Event(name) => self.keep_event(name),
                Field::Data(data) => self.keep_data(data),
                Field::Ignored => {}
            }
        }
        self.dispatch(Unread::default(), each);
    }

    fn is_between_frames(&self) -> bool {
        self.splitter.is_between_lines() && self.held == 0
    }

    /// Hands out the frames that begin as the last one did.
    fn repeat(&mut self, rest: &mut &[u8], each: &mut dyn FnMut(Frame<'_>)) {
        while let Some((data, after)) = self.last.data(rest) {
            if self.last.start.len() + data.len() > self.limit {
                return;
            }
            *rest = after;
            let data = lossy(data);
            each(Frame {
                event: &self.last.event,
                data: &data,
            });
        }
    }

    fn field<'a>(&mut self, line: &'a [u8]) -> Field<'a> {
        if let Some(value) = value(line, b"data") {
            self.held += line.len();
            Field::Data(value)
        } else if let Some(value) = value(line, b"event") {
            self.held += line.len();
            Field::Event(value)
        } else {
            // Comments (an empty name), `id`, `retry`, and what nobody defined.
            Field::Ignored
        }
    }

    fn take_data<'a>(&mut self, unread: &mut Unread<'a>, data: &'a [u8]) {
        if let Some(first) = unread.data.take() {
            self.keep_data(first);
        }
        if self.has_data {
            self.keep_data(data);
        } else {
            unread.data = Some(data);
        }
    }

    fn keep_event(&mut self, name: &[u8]) {
        self.event.clear();
        self.event.extend_from_slice(name);
    }

    fn keep_data(&mut self, data: &[u8]) {
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(data);
    }

    fn dispatch(&mut self, unread: Unread<'_>, each: &mut dyn FnMut(Frame<'_>)) {
        let data = if self.has_data {
            Some(self.data.as_slice())
        } else {
            unread.data
        };
        // An event without data is no event; its name does not pass on to the next.
        if let Some(data) = data {
            let event = lossy(unread.event.unwrap_or(&self.event));
            let data = lossy(data);
            each(Frame {
                event: &event,
                data: &data,
            });
            if self.last.event != event && event.len() <= LONGEST_NAME {
                self.last = Last::new(&event);
            }
        }
        self.event.clear();
        self.data.clear();
        self.has_data = false;
        self.held = 0;
    }
}

/// The value of the field `name`, if it is what the line holds.
fn value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(name)? {
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        [] => Some(&[]),
        _ => None,
    }
}
