//! Bytes to frames: the first step of the way of the data.
//!
//! Owns where one frame ends and the next begins, and nothing about what a frame says: no
//! JSON, no source, no IO. Keeps two invariants. The same bytes give the same frames however
//! the network split them, and no stream makes a reader hold more than [`MAX_FRAME`] bytes.
//!
//! A frame that lies whole inside the pushed slice is handed out borrowed from it; only what
//! a read left unfinished is copied. No byte is searched for a newline more than twice.

pub(crate) mod aws_event_stream;
mod lines;
mod mixed;
mod sse;

use std::borrow::Cow;

use aws_event_stream::AwsEventStreamParser;
use lines::LinesParser;
use mixed::MixedParser;
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
    /// One frame a line, or server-sent events: each line says which.
    LinesOrSse,
    /// Amazon's binary messages, with checksums.
    AwsEventStream,
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
pub(crate) struct FrameTooLarge;

/// Why a stream cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    TooLarge,
    /// A checksum or a length does not fit.
    Damaged,
}

impl From<FrameTooLarge> for FrameError {
    fn from(_: FrameTooLarge) -> Self {
        Self::TooLarge
    }
}

/// A push parser: takes reads as they come and calls back once for each frame.
#[derive(Debug)]
pub struct Framer {
    parser: Parser,
}

#[derive(Debug)]
enum Parser {
    Sse(SseParser),
    Lines(LinesParser),
    Mixed(MixedParser),
    AwsEventStream(AwsEventStreamParser),
}

impl Framer {
    pub fn new(framing: Framing) -> Self {
        Self::with_limit(framing, MAX_FRAME)
    }

    fn with_limit(framing: Framing, limit: usize) -> Self {
        let parser = match framing {
            Framing::Sse => Parser::Sse(SseParser::new(limit)),
            Framing::Lines => Parser::Lines(LinesParser::new(limit)),
            Framing::LinesOrSse => Parser::Mixed(MixedParser::new(limit)),
            Framing::AwsEventStream => Parser::AwsEventStream(AwsEventStreamParser::new(limit)),
        };
        Self { parser }
    }

    pub fn push(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameError> {
        match &mut self.parser {
            Parser::Sse(parser) => Ok(parser.push(bytes, each)?),
            Parser::Lines(parser) => Ok(parser.push(bytes, each)?),
            Parser::Mixed(parser) => Ok(parser.push(bytes, each)?),
            Parser::AwsEventStream(parser) => parser.push(bytes, each),
        }
    }

    /// How many bytes of a frame that is not finished are held.
    pub fn held(&self) -> usize {
        match &self.parser {
            Parser::Sse(parser) => parser.held(),
            Parser::Lines(parser) => parser.held(),
            Parser::Mixed(parser) => parser.held(),
            Parser::AwsEventStream(parser) => parser.held(),
        }
    }

    /// Whether these bytes can complete the frame that is held, or make it too large. If not,
    /// pushing them only stores them.
    pub fn completes(&self, bytes: &[u8]) -> bool {
        match &self.parser {
            Parser::Sse(_) | Parser::Lines(_) | Parser::Mixed(_) => {
                self.held() + bytes.len() > MAX_FRAME
                    || memchr::memchr2(b'\n', b'\r', bytes).is_some()
            }
            Parser::AwsEventStream(parser) => parser.completes(bytes),
        }
    }

    /// The stream is over: hands out what its last read left unfinished. The standard drops
    /// an event without a final blank line; sources that end without one meant it, so it
    /// counts here, and whether it is whole is the mapper's to see.
    pub fn finish(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        match &mut self.parser {
            Parser::Sse(parser) => parser.finish(each),
            Parser::Lines(parser) => parser.finish(each),
            Parser::Mixed(parser) => parser.finish(each),
            // Half a message has no checksum, so nothing of it can be trusted.
            Parser::AwsEventStream(_) => {}
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
