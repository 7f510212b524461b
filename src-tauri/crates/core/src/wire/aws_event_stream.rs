//! The framing of Amazon's streams, `application/vnd.amazon.eventstream`.
//!
//! A message is a prelude (its length, the length of its headers, a checksum of both), headers, a
//! payload, and a checksum of all of it. Lengths are believed only after the prelude's checksum
//! fits, and nothing of a message is handed out before its own does.

use super::{Frame, FrameError, lossy};

const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;
/// What the format allows.
const LONGEST_HEADERS: usize = 128 * 1024;

/// Before the name of a frame that tells a failure instead of an event.
pub(crate) const EXCEPTION: &str = "exception:";

#[derive(Debug)]
pub(super) struct AwsEventStreamParser {
    /// A message that earlier reads began.
    held: Vec<u8>,
    limit: usize,
}

/// The lengths of a message, from a prelude whose checksum fits.
#[derive(Clone, Copy)]
struct Lengths {
    total: usize,
    headers: usize,
}

impl AwsEventStreamParser {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            held: Vec::new(),
            limit,
        }
    }

    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameError> {
        let mut rest = bytes;
        if !self.held.is_empty() {
            self.fill(PRELUDE, &mut rest);
            if self.held.len() < PRELUDE {
                return Ok(());
            }
            let lengths = lengths(&self.held, self.limit)?;
            self.fill(lengths.total, &mut rest);
            if self.held.len() < lengths.total {
                return Ok(());
            }
            message(&self.held, lengths, each)?;
            self.held.clear();
        }
        while rest.len() >= PRELUDE {
            let lengths = lengths(rest, self.limit)?;
            if rest.len() < lengths.total {
                break;
            }
            let (whole, after) = rest.split_at(lengths.total);
            message(whole, lengths, each)?;
            rest = after;
        }
        self.held.extend_from_slice(rest);
        Ok(())
    }

    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// Whether these bytes can complete the message that is held, or show that it is none.
    pub(super) fn completes(&self, bytes: &[u8]) -> bool {
        match lengths(&self.held, self.limit) {
            Ok(lengths) if self.held.len() >= PRELUDE => {
                self.held.len() + bytes.len() >= lengths.total
            }
            Ok(_) | Err(_) => true,
        }
    }

    /// Takes from `rest` until the message has `size` bytes.
    fn fill(&mut self, size: usize, rest: &mut &[u8]) {
        let missing = size.saturating_sub(self.held.len()).min(rest.len());
        let (taken, after) = rest.split_at(missing);
        self.held.extend_from_slice(taken);
        *rest = after;
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_be_bytes(bytes))
}

fn lengths(bytes: &[u8], limit: usize) -> Result<Lengths, FrameError> {
    let field = |at| number(bytes, at).ok_or(FrameError::Damaged);
    let (total, headers, checksum) = (field(0)?, field(4)?, field(8)?);
    if crc32fast::hash(&bytes[..8]) != checksum {
        return Err(FrameError::Damaged);
    }
    let (total, headers) = (total as usize, headers as usize);
    if total > limit {
        return Err(FrameError::TooLarge);
    }
    if headers > LONGEST_HEADERS || total < PRELUDE + CHECKSUM + headers {
        return Err(FrameError::Damaged);
    }
    Ok(Lengths { total, headers })
}

/// Hands out one whole message.
fn message(
    bytes: &[u8],
    lengths: Lengths,
    each: &mut dyn FnMut(Frame<'_>),
) -> Result<(), FrameError> {
    let (checked, checksum) = bytes.split_at(lengths.total - CHECKSUM);
    if number(checksum, 0) != Some(crc32fast::hash(checked)) {
        return Err(FrameError::Damaged);
    }
    let (headers, payload) = checked[PRELUDE..].split_at(lengths.headers);
    let headers = Headers::read(headers).ok_or(FrameError::Damaged)?;
    let payload = lossy(payload);
    let (failure, words) = match headers.message_type {
        b"exception" => (Some(headers.exception_type), &*payload),
        b"error" if payload.is_empty() => {
            let words = lossy(headers.error_message);
            let event = format!("{EXCEPTION}{}", lossy(headers.error_code));
            each(Frame {
                event: &event,
                data: &words,
            });
            return Ok(());
        }
        b"error" => (Some(headers.error_code), &*payload),
        _ => (None, &*payload),
    };
    match failure {
        Some(name) => each(Frame {
            event: &format!("{EXCEPTION}{}", lossy(name)),
            data: words,
        }),
        None => each(Frame {
            event: &lossy(headers.event_type),
            data: words,
        }),
    }
    Ok(())
}

/// The headers that say what a message is; empty where there is none.
#[derive(Default)]
struct Headers<'a> {
    message_type: &'a [u8],
    event_type: &'a [u8],
    exception_type: &'a [u8],
    error_code: &'a [u8],
    error_message: &'a [u8],
}

impl<'a> Headers<'a> {
    fn read(mut bytes: &'a [u8]) -> Option<Self> {
        let mut headers = Self::default();
        while let Some((length, rest)) = bytes.split_first() {
            let (name, rest) = rest.split_at_checked(usize::from(*length))?;
            let (kind, rest) = rest.split_first()?;
            let (value, rest) = value(*kind, rest)?;
            let place = match name {
                b":message-type" => Some(&mut headers.message_type),
                b":event-type" => Some(&mut headers.event_type),
                b":exception-type" => Some(&mut headers.exception_type),
                b":error-code" => Some(&mut headers.error_code),
                b":error-message" => Some(&mut headers.error_message),
                _ => None,
            };
            if let (Some(place), STRING) = (place, *kind) {
                *place = value;
            }
            bytes = rest;
        }
        Some(headers)
    }
}

const STRING: u8 = 7;

/// The bytes of a header's value, and what follows it.
fn value(kind: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let size = match kind {
        // True and false are their own values.
        0 | 1 => 0,
        2 => 1,
        3 => 2,
        4 => 4,
        // A long number, and a time.
        5 | 8 => 8,
        // Bytes and text have their length before them.
        6 | STRING => {
            let (length, rest) = bytes.split_at_checked(2)?;
            let length = u16::from_be_bytes(length.try_into().ok()?);
            return rest.split_at_checked(usize::from(length));
        }
        // A UUID.
        9 => 16,
        _ => return None,
    };
    bytes.split_at_checked(size)
}

#[cfg(test)]
pub(crate) mod testing {
    //! Writes messages, for the tests of everything that reads them.

    /// One message with text headers.
    pub(crate) fn encode(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
        let mut written = Vec::new();
        for (name, value) in headers {
            written.push(u8::try_from(name.len()).unwrap());
            written.extend_from_slice(name.as_bytes());
            written.push(super::STRING);
            written.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
            written.extend_from_slice(value.as_bytes());
        }
        raw(&written, payload)
    }

    /// One message with headers that are written already.
    pub(crate) fn raw(headers: &[u8], payload: &[u8]) -> Vec<u8> {
        let total = super::PRELUDE + headers.len() + payload.len() + super::CHECKSUM;
        let mut bytes = u32::try_from(total).unwrap().to_be_bytes().to_vec();
        bytes.extend_from_slice(&u32::try_from(headers.len()).unwrap().to_be_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
        bytes.extend_from_slice(headers);
        bytes.extend_from_slice(payload);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
        bytes
    }

    pub(crate) fn event(name: &str, payload: &str) -> Vec<u8> {
        let headers = [
            (":message-type", "event"),
            (":event-type", name),
            (":content-type", "application/json"),
        ];
        encode(&headers, payload.as_bytes())
    }

    pub(crate) fn exception(name: &str, payload: &str) -> Vec<u8> {
        let headers = [(":message-type", "exception"), (":exception-type", name)];
        encode(&headers, payload.as_bytes())
    }
}

#[cfg(test)]
mod tests;
