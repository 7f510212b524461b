//! Server-sent events, by the WHATWG rules.
//!
//! Owns fields and dispatch. `event` and `data` make the frame; `id` and `retry` are for
//! browsers that reconnect, which a paid stream never does by itself, so they are read and
//! dropped like any field without a meaning. Must not know what the data says.

use super::lines::{Line, LineSplitter};
use super::{Frame, FrameTooLarge};

#[derive(Debug)]
pub(super) struct SseParser {
    splitter: LineSplitter,
    /// What earlier reads said of the frame that is not finished yet.
    event: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// Bytes of all lines that went into the frame; decides when it is too large.
    held: usize,
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
        }
    }

    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameTooLarge> {
        let mut rest = bytes;
        let mut unread = Unread::default();
        while let Some(line) = self.splitter.next(&mut rest, self.held)? {
            match line {
                Line::Read([]) => self.dispatch(std::mem::take(&mut unread), each),
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

    fn field<'a>(&mut self, line: &'a [u8]) -> Field<'a> {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &line[line.len()..]),
        };
        match name {
            b"event" => {
                self.held += line.len();
                Field::Event(value)
            }
            b"data" => {
                self.held += line.len();
                Field::Data(value)
            }
            // Comments (an empty name), `id`, `retry`, and what nobody defined.
            _ => Field::Ignored,
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
            // Borrows when the bytes are valid, which is all but always.
            let event = String::from_utf8_lossy(unread.event.unwrap_or(&self.event));
            let data = String::from_utf8_lossy(data);
            each(Frame {
                event: &event,
                data: &data,
            });
        }
        self.event.clear();
        self.data.clear();
        self.has_data = false;
        self.held = 0;
    }
}
