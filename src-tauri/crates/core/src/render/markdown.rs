//! A growing markdown text: finished pieces of HTML and one live tail.
//!
//! Invariants: a committed piece is rendered once, when the line that follows it shows that
//! nothing can change it any more; and the same text, however it is split into pushes, gives
//! the same pieces and the same final tail (see `block` for why).
//!
//! Costs: `push` copies the new text into the tail once and renders the pieces it completes;
//! a commit moves what follows the cut, which is at most one line. `take` renders the tail, so
//! it costs the tail and never the whole; it hands the finished pieces over without a copy. A
//! tail above 16 KiB is rendered again only when it has grown by a 32nd, which bounds the work
//! on one huge block to 32 times its size and a little; the final tail is always exact.

use super::block::{Arrived, Blocks, Kind, LinePosition};
use super::code::Colours;
use super::hidden::{Mark, is_stripped};
use super::html::{self, Stage};
use super::settle::settle;

/// Up to here every change of the tail is worth rendering.
const SMALL_TAIL: usize = 16 * 1024;
/// Above it, the tail grows by this part of itself between two renderings.
const GROWTH: usize = 32;

/// What to show: keep the first `from` pieces, put `pieces` after them and `tail` last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub from: u32,
    pub pieces: Vec<String>,
    pub tail: String,
}

#[derive(Clone, Debug)]
pub struct LiveMarkdown {
    tail: String,
    /// Where in the tail its last, unfinished line starts.
    line: usize,
    /// Whether that line is known to belong to the tail's piece.
    placed: bool,
    /// The last character was a carriage return, which a line feed may complete.
    returned: bool,
    blocks: Blocks,
    marks: Vec<Mark>,
    colours: Colours,
    finished: Vec<String>,
    taken: u32,
    /// How long the tail was when it was last handed out; none when it must be rendered anew.
    shown: Option<usize>,
    rendered: u64,
}

impl Default for LiveMarkdown {
    fn default() -> Self {
        Self::new()
    }
}

impl LiveMarkdown {
    pub fn new() -> Self {
        Self {
            tail: String::new(),
            line: 0,
            placed: false,
            returned: false,
            blocks: Blocks::new(),
            marks: Vec::new(),
            colours: Colours::default(),
            finished: Vec::new(),
            taken: 0,
            shown: None,
            rendered: 0,
        }
    }

    /// Appends text and renders the pieces it completes.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        if self.returned && !rest.is_empty() {
            self.returned = false;
            rest = rest.strip_prefix('\n').unwrap_or(rest);
        }
        while let Some(at) = rest.find(['\n', '\r']) {
            let (line, after) = rest.split_at(at);
            self.append(line);
            self.end_line();
            rest = match after.strip_prefix('\r') {
                Some("") => {
                    self.returned = true;
                    ""
                }
                Some(after) => after.strip_prefix('\n').unwrap_or(after),
                None => after.strip_prefix('\n').unwrap_or(after),
            };
        }
        self.append(rest);
        self.place_line(Arrived::Beginning);
    }

    /// Puts a citation marker at the end of the text so far, before trailing blanks.
    pub(super) fn mark(&mut self, number: u32) {
        self.marks.push(Mark {
            at: self.tail.trim_end().len(),
            number,
        });
        self.shown = None;
    }

    /// What changed since the last take; nothing when that is not worth showing yet.
    pub fn take(&mut self) -> Option<Change> {
        if !self.is_worth_showing() {
            return None;
        }
        let settled = match self.blocks.kind() {
            Kind::Prose | Kind::Empty | Kind::List { .. } => settle(&self.tail),
            Kind::Fence { .. } | Kind::Indented | Kind::Math { .. } | Kind::Closed => {
                self.tail.as_str().into()
            }
        };
        self.rendered += settled.len() as u64;
        let tail = html::render(
            &settled,
            self.blocks.kind(),
            &self.marks,
            Stage::Growing,
            &mut self.colours,
        );
        Some(self.hand_over(tail))
    }

    /// As `take`, with the tail as it is when nothing more comes. More may still be pushed.
    pub fn finish(&mut self) -> Change {
        let tail = self.render_final(self.tail.len());
        self.hand_over(tail)
    }

    /// How much text has been rendered, counting a text as often as it was.
    pub fn rendered_bytes(&self) -> u64 {
        self.rendered
    }

    fn is_worth_showing(&self) -> bool {
        match self.shown {
            None => true,
            Some(shown) if !self.finished.is_empty() || shown > self.tail.len() => true,
            Some(shown) if shown <= SMALL_TAIL => self.tail.len() > shown,
            Some(shown) => self.tail.len() - shown >= shown / GROWTH,
        }
    }

    fn hand_over(&mut self, tail: String) -> Change {
        let pieces = std::mem::take(&mut self.finished);
        let from = self.taken;
        self.taken = from.saturating_add(u32::try_from(pieces.len()).unwrap_or(u32::MAX));
        self.shown = Some(self.tail.len());
        Change { from, pieces, tail }
    }

    fn append(&mut self, text: &str) {
        if text.contains(is_stripped) {
            self.tail
                .extend(text.chars().filter(|each| !is_stripped(*each)));
        } else {
            self.tail.push_str(text);
        }
    }

    fn end_line(&mut self) {
        self.place_line(Arrived::Whole);
        let line = self.tail.get(self.line..).unwrap_or_default();
        self.blocks.take_line(line);
        self.tail.push('\n');
        self.line = self.tail.len();
        self.placed = false;
    }

    fn place_line(&mut self, arrived: Arrived) {
        if self.placed {
            return;
        }
        let line = self.tail.get(self.line..).unwrap_or_default();
        match self.blocks.place(line, arrived) {
            LinePosition::NotKnownYet => {}
            LinePosition::SamePiece => self.placed = true,
            LinePosition::NewPiece => {
                self.commit();
                self.placed = true;
            }
        }
    }

    /// The tail up to its last line becomes a piece; that line begins the next.
    fn commit(&mut self) {
        let piece = self.render_final(self.line);
        self.finished.push(piece);
        let cut = self.line;
        self.tail.drain(..cut);
        self.line = 0;
        self.marks.retain_mut(|mark| {
            let stays = mark.at > cut;
            mark.at = mark.at.saturating_sub(cut);
            stays
        });
        self.colours.clear();
        self.blocks.begin_piece();
        self.shown = None;
    }

    fn render_final(&mut self, end: usize) -> String {
        self.rendered += end as u64;
        let source = self.tail.get(..end).unwrap_or_default();
        let inside = self.marks.iter().take_while(|mark| mark.at <= end).count();
        html::render(
            source,
            self.blocks.kind(),
            self.marks.get(..inside).unwrap_or_default(),
            Stage::Final,
            &mut self.colours,
        )
    }
}
