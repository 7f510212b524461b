//! Lines, and frames of one line each.
//!
//! Owns the newline rules that both framings share: a line ends with LF, CR or CRLF, also
//! when a read ends between the two, and a byte-order mark before the first line is no part
//! of it. Must not know what a line says.

use super::{Frame, FrameTooLarge, lossy};

/// Cuts reads into lines and carries an unfinished line over to the next read.
#[derive(Debug)]
pub(super) struct LineSplitter {
    carry: Vec<u8>,
    /// The last line ended with CR, so an LF that comes first belongs to it.
    after_cr: bool,
    /// A byte-order mark may still come.
    at_start: bool,
    limit: usize,
}

/// One line without its end: inside the read, or put together from several.
pub(super) enum Line<'a> {
    Read(&'a [u8]),
    Carried(Vec<u8>),
}

impl LineSplitter {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            carry: Vec::new(),
            after_cr: false,
            at_start: true,
            limit,
        }
    }

    /// Whether the next byte is a line's first, and nothing that came before changes its meaning.
    pub(super) fn is_between_lines(&self) -> bool {
        self.carry.is_empty() && !self.after_cr && !self.at_start
    }

    /// How many bytes of an unfinished line are carried.
    pub(super) fn carried(&self) -> usize {
        self.carry.len()
    }

    /// Takes the next line off `rest`; with none left, carries `rest` and answers `None`.
    /// `held` is how much of the frame its parser holds already: a line is refused for what
    /// the whole frame would become, at the same byte whatever the split.
    pub(super) fn next<'a>(
        &mut self,
        rest: &mut &'a [u8],
        held: usize,
    ) -> Result<Option<Line<'a>>, FrameTooLarge> {
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            if let [b'\n', after @ ..] = *rest {
                *rest = after;
            }
        }
        let bytes = *rest;
        let end = memchr::memchr2(b'\n', b'\r', bytes);
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        if held + self.carry.len() + piece.len() > self.limit {
            return Err(FrameTooLarge);
        }
        let Some(end) = end else {
            self.carry.extend_from_slice(piece);
            *rest = &[];
            return Ok(None);
        };
        *rest = &bytes[end + 1..];
        self.after_cr = bytes[end] == b'\r';
        let mut line = if self.carry.is_empty() {
            Line::Read(piece)
        } else {
            self.carry.extend_from_slice(piece);
            Line::Carried(std::mem::take(&mut self.carry))
        };
        if self.at_start {
            self.at_start = false;
            line = without_mark(line);
        }
        Ok(Some(line))
    }

    /// Takes back the buffer of a carried line, so that carrying allocates once.
    pub(super) fn give_back(&mut self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.carry = buffer;
    }

    /// The line that no newline ended.
    pub(super) fn finish(&mut self) -> Option<Vec<u8>> {
        if self.carry.is_empty() {
            return None;
        }
        let line = std::mem::take(&mut self.carry);
        let at_start = std::mem::replace(&mut self.at_start, false);
        match (at_start, line.strip_prefix(BYTE_ORDER_MARK)) {
            (true, Some(line)) => Some(line.to_vec()),
            (true | false, Some(_) | None) => Some(line),
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

fn without_mark(line: Line<'_>) -> Line<'_> {
    match line {
        Line::Read(line) => Line::Read(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)),
        Line::Carried(line) => match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(line) => Line::Carried(line.to_vec()),
            None => Line::Carried(line),
        },
    }
}

/// Every line that is not blank is a frame without a name.
#[derive(Debug)]
pub(super) struct LinesParser {
    splitter: LineSplitter,
}

impl LinesParser {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            splitter: LineSplitter::new(limit),
        }
    }

    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameTooLarge> {
        let mut rest = bytes;
        while let Some(line) = self.splitter.next(&mut rest, 0)? {
            match line {
                Line::Read(line) => hand_out(line, each),
                Line::Carried(line) => {
                    hand_out(&line, each);
                    self.splitter.give_back(line);
                }
            }
        }
        Ok(())
    }

    pub(super) fn held(&self) -> usize {
        self.splitter.carried()
    }

    pub(super) fn finish(&mut self, each: &mut dyn FnMut(Frame<'_>)) {
        if let Some(line) = self.splitter.finish() {
            hand_out(&line, each);
        }
    }
}

fn hand_out(line: &[u8], each: &mut dyn FnMut(Frame<'_>)) {
    if line.trim_ascii().is_empty() {
        return;
    }
    let data = lossy(line);
    each(Frame {
        event: "",
        data: &data,
    });
}
