//! Text that comes piece by piece, checked as if it had come at once.
//!
//! The whole text goes through the very same pass, so the two cannot differ.

use std::sync::Arc;

use super::Found;
use super::scan::Scanner;
use super::stretch::{Cutter, Ends};

/// What a stream lets go, in its order. Neighbouring text may come in one piece or in several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// What was found, and its text.
    Found(Found, String),
}

pub(super) fn check(scanner: &Scanner, text: &str) -> Vec<Found> {
    let mut pass = Pass::default();
    let mut found = Vec::new();
    pass.take(scanner, text, Ends::Here, &mut found);
    found
}

/// Where the pass through a text stands.
#[derive(Default)]
struct Pass {
    cutter: Cutter,
    /// How many bytes of the whole text lie behind.
    behind: usize,
    said_too_long: bool,
}

impl Pass {
    /// Looks at every stretch that is whole, and says how many bytes that were.
    fn take(&mut self, scanner: &Scanner, text: &str, ends: Ends, found: &mut Vec<Found>) -> usize {
        let mut done = 0;
        while let Some(stretch) = self.cutter.next(&text[done..], ends, scanner.reach()) {
            let length = stretch.text.len();
            scanner.scan(&stretch, self.behind, found);
            done += length;
            self.behind += length;
            if !self.said_too_long && scanner.is_too_long(self.behind) {
                self.said_too_long = true;
                found.push(scanner.too_long(self.behind));
            }
        }
        done
    }
}

/// A guard on a stream. Holds back only what a rule may still match.
pub struct GuardStream {
    scanner: Arc<Scanner>,
    pass: Pass,
    /// What has come and was not let go; its first byte is the pass's next.
    held: String,
    found: Vec<Found>,
}

impl GuardStream {
    pub(super) fn new(scanner: Arc<Scanner>) -> Self {
        Self {
            scanner,
            pass: Pass::default(),
            held: String::new(),
            found: Vec::new(),
        }
    }

    /// Takes what came, and lets go what is settled.
    pub fn push(&mut self, text: &str, out: &mut Vec<Piece>) {
        self.held.push_str(text);
        self.let_go(Ends::Open, out);
    }

    /// The stream is over: lets go the rest.
    pub fn finish(&mut self, out: &mut Vec<Piece>) {
        self.let_go(Ends::Here, out);
    }

    /// How many bytes are held back.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    fn let_go(&mut self, ends: Ends, out: &mut Vec<Piece>) {
        let start = self.pass.behind;
        let done = self
            .pass
            .take(&self.scanner, &self.held, ends, &mut self.found);
        if done == 0 {
            return;
        }
        if self.found.is_empty() && done == self.held.len() {
            out.push(Piece::Text(std::mem::take(&mut self.held)));
            return;
        }
        let mut from = 0;
        for found in self.found.drain(..) {
            let span = found.span.start - start..found.span.end - start;
            if span.start > from {
                out.push(Piece::Text(self.held[from..span.start].to_owned()));
            }
            from = span.end;
            out.push(Piece::Found(found, self.held[span].to_owned()));
        }
        if done > from {
            out.push(Piece::Text(self.held[from..done].to_owned()));
        }
        self.held.drain(..done);
    }
}
