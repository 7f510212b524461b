//! Lines that are frames themselves, server-sent events, or both in one stream.
//!
//! Some proxies print an agent's lines as they are, others wrap each of them into a server-sent
//! event. Every line says which it is: one that begins with the name of a field belongs to an
//! event, and any other is a frame of its own, which ends the event before it. An event ends with
//! a blank line; where a proxy dropped those, the name of the next one ends it.

use super::lines::{Line, LineSplitter};
use super::{Frame, FrameTooLarge, lossy};

#[derive(Debug)]
pub(super) struct MixedParser {
    splitter: LineSplitter,
    name: Option<Vec<u8>>,
    data: Option<Vec<u8>>,
    /// Bytes of the lines of the event that is open.
    held: usize,
}

enum Field<'a> {
    Data(&'a [u8]),
    Event(&'a [u8]),
    /// Comments, `id` and `retry`.
    Ignored,
    /// No field at all.
    Plain(&'a [u8]),
}

impl MixedParser {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            splitter: LineSplitter::new(limit),
            name: None,
            data: None,
            held: 0,
        }
    }

    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameTooLarge> {
        let mut rest = bytes;
        while let Some(line) = self.splitter.next(&mut rest, self.held)? {
            match line {
                Line::Read(line) => self.take(line, each),
                Line::Carried(line) => {
                    self.take(&line, each);
                    self.splitter.give_back(line);
                }
            }
        }
        Ok(())
    }

    pub(super) fn held(&self) -> usize {
        self.held + self.splitter.carried()
    }

    pub(super) fn finish(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        if let Some(line) = self.splitter.finish() {
            self.take(&line, each);
        }
        self.dispatch(each);
    }

    fn take(&mut self, line: &[u8], each: &mut dyn FnMut(Frame<'_>)) {
        let line = line.trim_ascii_start();
        if line.is_empty() {
            return self.dispatch(each);
        }
        match field(line) {
            Field::Ignored => {}
            Field::Event(name) => {
                if self.name.is_some() && self.data.is_some() {
                    self.dispatch(each);
                }
                self.held += line.len();
                self.name = Some(name.to_vec());
            }
            Field::Data(data) => {
                self.held += line.len();
                match &mut self.data {
                    Some(before) => {
                        before.push(b'\n');
                        before.extend_from_slice(data);
                    }
                    None => self.data = Some(data.to_vec()),
                }
            }
            Field::Plain(line) => {
                self.dispatch(each);
                let data = lossy(line);
                each(Frame {
                    event: "",
                    data: &data,
                });
            }
        }
    }

    fn dispatch(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        self.held = 0;
        let name = self.name.take();
        // An event without data is no event, as in the standard.
        let Some(data) = self.data.take() else {
            return;
        };
        let event = name.as_deref().map(lossy).unwrap_or_default();
        let data = lossy(&data);
        each(Frame {
            event: event.trim_ascii(),
            data: &data,
        });
    }
}

fn field(line: &[u8]) -> Field<'_> {
    if line.starts_with(b"{") || line.starts_with(b"[") {
        return Field::Plain(line);
    }
    let Some(colon) = memchr::memchr(b':', line) else {
        return match line {
            b"data" => Field::Data(b""),
            b"event" | b"id" | b"retry" => Field::Ignored,
            line => Field::Plain(line),
        };
    };
    let value = &line[colon + 1..];
    let value = value.strip_prefix(b" ").unwrap_or(value);
    match &line[..colon] {
        b"data" => Field::Data(value),
        b"event" => Field::Event(value),
        b"" | b"id" | b"retry" => Field::Ignored,
        _ => Field::Plain(line),
    }
}
