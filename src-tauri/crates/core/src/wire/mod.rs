//! Bytes to frames: the first step of the way of the data.
//!
//! Owns where one frame ends and the next begins, and nothing about what a frame says: no
//! JSON, no source, no IO. Keeps two invariants. The same bytes give the same frames however
//! the network split them, and no stream makes a reader hold more than [`MAX_FRAME`] bytes.
//!
//! A frame that lies whole inside the pushed slice is handed out borrowed from it; only what
//! a read left unfinished is copied. No byte is searched for a newline more than twice.

mod lines;
mod sse;

use std::borrow::Cow;

use lines::LinesParser;
use sse::SseParser;

/// The most bytes one frame may have before its reader gives up. The largest honest frames
/// are search results and encoded pictures, of a few MiB.
pub const MAX_FRAME: usize = 16 * 1024 * 1024;

/// How a dialect marks the ends of its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One frame a line; blank lines mean nothing.
    Lines,
}

/// One frame. `event` is empty when the source named none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub event: &'a str,
    pub data: &'a str,
}

/// A frame grew past [`MAX_FRAME`]. Where the next one begins can no longer be known, so the
/// framer is of no use after this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTooLarge;

/// A push parser: takes reads as they come and calls back once for each frame.
#[derive(Debug)]
pub struct Framer {
    parser: Parser,
}

#[derive(Debug)]
enum Parser {
    Sse(SseParser),
    Lines(LinesParser),
}

impl Framer {
    pub fn new(framing: Framing) -> Self {
        Self::with_limit(framing, MAX_FRAME)
    }

    fn with_limit(framing: Framing, limit: usize) -> Self {
        let parser = match framing {
            Framing::Sse => Parser::Sse(SseParser::new(limit)),
            Framing::Lines => Parser::Lines(LinesParser::new(limit)),
        };
        Self { parser }
    }

    pub fn push(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameTooLarge> {
        match &mut self.parser {
            Parser::Sse(parser) => parser.push(bytes, each),
            Parser::Lines(parser) => parser.push(bytes, each),
        }
    }

    /// The stream is over: hands out what its last read left unfinished. The standard drops
    /// an event without a final blank line; sources that end without one meant it, so it
    /// counts here, and whether it is whole is the mapper's to see.
    pub fn finish(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        match &mut self.parser {
            Parser::Sse(parser) => parser.finish(each),
            Parser::Lines(parser) => parser.finish(each),
        }
    }
}

/// Text of these bytes, with what is no UTF-8 replaced. Borrows when all of it is, which is all
/// but always; the check that only checks is many times faster than the one that replaces.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

#[cfg(test)]
mod tests;
