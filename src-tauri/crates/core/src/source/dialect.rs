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
pub(crate) mod score;
pub(crate) mod shape;
mod surrogates;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod todos;

use weir_protocol::{ErrorBody, StreamEvent, code};

use surrogates::Halves;

use crate::wire::{Frame, FrameError, Framer, Framing};

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

    /// Maps a frame that differs from the one before in its words alone (see [`shape`]), and
    /// says whether it was one. What was not is given to [`Self::map`].
    fn repeat(&mut self, _frame: Frame<'_>, _out: &mut Vec<StreamEvent>) -> Known {
        Known::No
    }

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
    halves: Halves,
    /// What came before the first frame: perhaps no stream at all.
    unframed: Option<Vec<u8>>,
    state: State,
}

/// How much of an answer that is no stream is worth reading.
const UNFRAMED_LIMIT: usize = 1024 * 1024;

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
            halves: Halves::default(),
            unframed: (dialect.framing == Framing::Sse).then(Vec::new),
            state: State::Reading,
        }
    }

    /// Appends to `out` what these bytes complete. After a frame that was too large, nothing.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<StreamEvent>) {
        if self.state == State::Over {
            return;
        }
        if let Some(unframed) = &mut self.unframed {
            let room = UNFRAMED_LIMIT - unframed.len();
            unframed.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        let (mapper, halves, unframed) = (&mut self.mapper, &mut self.halves, &mut self.unframed);
        let framed = self.framer.push(bytes, &mut |frame| {
            *unframed = None;
            map(mapper.as_mut(), halves, frame, out);
        });
        if let Err(error) = framed {
            self.state = State::Over;
            // Whatever the source would have said, this reader can no longer hear it.
            let ending = self.mapper.end(out);
            if ending == Ending::Told {
                // What follows the end of a reply takes nothing from it.
                return;
            }
            let (code, message) = match error {
                FrameError::TooLarge => (
                    code::FRAME_TOO_LARGE,
                    "One piece of the reply was larger than 16 MiB, so the rest was not read.",
                ),
                FrameError::Damaged => (
                    code::BAD_RESPONSE,
                    "A piece of the reply arrived damaged, so the rest was not read. What arrived before is kept.",
                ),
            };
            out.push(StreamEvent::Error {
                error: ErrorBody::new(code, message),
            });
        }
    }

    /// How many bytes of an unfinished frame are held.
    pub(crate) fn held(&self) -> usize {
        let unframed = self.unframed.as_ref().map_or(0, Vec::len);
        self.framer.held().max(unframed)
    }

    /// Whether these bytes can complete the frame that is held, or make it too large. If not,
    /// pushing them only stores them.
    pub(crate) fn completes(&self, bytes: &[u8]) -> bool {
        self.framer.completes(bytes)
    }

    /// The stream is over. Once; a second call says nothing.
    pub fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        if self.state == State::Over {
            return;
        }
        self.state = State::Over;
        let (mapper, halves, unframed) = (&mut self.mapper, &mut self.halves, &mut self.unframed);
        self.framer.finish(&mut |frame| {
            *unframed = None;
            map(mapper.as_mut(), halves, frame, out);
        });
        if let Some(body) = unframed.take() {
            // An answer that is no stream still says something: most often what went wrong.
            let body = String::from_utf8_lossy(&body);
            let frame = Frame {
                event: "",
                data: body.trim(),
            };
            if !frame.data.is_empty() {
                map(mapper.as_mut(), halves, frame, out);
            }
        }
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

fn map(mapper: &mut dyn Mapper, halves: &mut Halves, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
    if !halves.is_waiting() && mapper.repeat(frame, out) == Known::Yes {
        return;
    }
    let data = halves.join(frame.data);
    let whole = Frame {
        data: &data,
        ..frame
    };
    mapper.map(whole, out);
}

#[cfg(test)]
mod tests;
