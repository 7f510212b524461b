//! What every dialect has in common.
//!
//! Owns the laws of reading a source: the same bytes, however they are split, give the same
//! stream events; what is unknown becomes `Raw`; every block gets a start, deltas and an end
//! with one id, and [`OpenBlocks`] closes what a source left open; a stream that ends without
//! its terminal event is an error after the blocks are closed, and has no `Done`. A reader
//! does no IO and has no clock, and must not know where its bytes come from.
//!
//! A new dialect is one folder with a [`Mapper`] and one line in [`super::DIALECTS`].

pub(crate) mod borrowed;
pub(crate) mod json;
mod open_blocks;
mod surrogates;

use weir_protocol::{ErrorBody, StreamEvent, code};

use crate::wire::{Frame, Framer, Framing};

pub use open_blocks::{Found, OpenBlocks, ToolUse};

/// One wire format of a source.
#[derive(Debug)]
pub struct Dialect {
    pub name: &'static str,
    pub framing: Framing,
    pub mapper: fn() -> Box<dyn Mapper>,
}

/// One frame in, its stream events out. A pure step: what it answers depends on the frames
/// it has seen and on nothing else.
pub trait Mapper: Send {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>);

    /// No frame will follow: closes what is open and says whether the source had finished.
    /// The reader makes the error of a cut stream, so that no dialect can forget it.
    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending;
}

/// Whether a source said that its stream was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It said so: it was done, or it told its error.
    Told,
    Cut,
}

/// Whether a mapper understood what it was given; what it did not is handed on as `Raw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Yes,
    No,
}

/// How far a stream has come. Kept by every mapper; decides its [`Ending`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    #[default]
    Waiting,
    Started,
    /// The source told its error; it may still go on.
    Failed,
    Done,
}

impl Progress {
    pub fn ending(self) -> Ending {
        match self {
            Self::Done | Self::Failed => Ending::Told,
            Self::Waiting | Self::Started => Ending::Cut,
        }
    }
}

/// Reads one stream of one dialect.
pub struct Reader {
    framer: Framer,
    mapper: Box<dyn Mapper>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    Over,
}

impl Reader {
    pub fn new(dialect: &'static Dialect) -> Self {
        Self {
            framer: Framer::new(dialect.framing),
            mapper: (dialect.mapper)(),
            state: State::Reading,
        }
    }

    /// Appends to `out` what these bytes complete. After a frame that was too large, nothing.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<StreamEvent>) {
        if self.state == State::Over {
            return;
        }
        let mapper = &mut self.mapper;
        let framed = self
            .framer
            .push(bytes, &mut |frame| map(mapper.as_mut(), frame, out));
        if framed.is_err() {
            self.state = State::Over;
            // Whatever the source would have said, this reader can no longer hear it.
            let (Ending::Told | Ending::Cut) = self.mapper.end(out);
            out.push(StreamEvent::Error {
                error: ErrorBody::new(
                    code::FRAME_TOO_LARGE,
                    "One piece of the reply was larger than 16 MiB, so the rest was not read.",
                ),
            });
        }
    }

    /// The stream is over. Once; a second call says nothing.
    pub fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        if self.state == State::Over {
            return;
        }
        self.state = State::Over;
        let mapper = &mut self.mapper;
        self.framer
            .finish(&mut |frame| map(mapper.as_mut(), frame, out));
        match self.mapper.end(out) {
            Ending::Told => {}
            Ending::Cut => out.push(StreamEvent::Error {
                error: ErrorBody::new(
                    code::STREAM_CUT,
                    "The reply ended before the source said it was done. What arrived is kept.",
                ),
            }),
        }
    }
}

fn map(mapper: &mut dyn Mapper, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
    let data = surrogates::whole(frame.data);
    let whole = Frame {
        data: &data,
        ..frame
    };
    mapper.map(whole, out);
}

#[cfg(test)]
mod tests;
