//! Text that comes piece by piece, checked as if it had come at once.
//!
//! The whole text goes through the very same pass, so the two cannot differ. A secret that is
//! longer than a stretch is taken out to its end, a stretch at a time.
//!
//! A text that was given to a name (`"password": "…"`) goes through two passes: alone, and as it
//! stands after its name. What either finds is found, and nothing is let go that one of them
//! still holds. From where both cut the text at the same place, the name says nothing more about
//! it, and the second pass ends there: a long text costs one.

use std::ops::Range;
use std::sync::Arc;

use weir_protocol::{GuardCategory, GuardVerdict};

use super::scan::Scanner;
use super::stretch::{Border, Cutter, Ends, Stretch};
use super::unseen::{self, Beneath, Layers, Looked, Rest};
use super::{Found, secrets};

/// No more of a name is looked at than its last so many bytes.
pub const LONGEST_NAME: usize = 64;

/// What a stream lets go, in its order. Neighbouring text may come in one piece or in several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// What was found, and its text.
    Found(Found, String),
}

pub(super) fn check(scanner: &Scanner, text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    if unseen::is_all_seen(text) {
        let mut pass = Pass::default();
        let mut done = 0;
        for ends in [Ends::Open, Ends::Here] {
            while let Some(stretch) = pass.cutter.next(&text[done..], ends, scanner.reach()) {
                done += stretch.text.len();
                pass.look(scanner, &stretch, None, &mut found);
            }
        }
        return found;
    }
    let mut reading = Reading::default();
    reading.layers.push(text);
    reading.take(scanner, Ends::Here);
    reading.found
}

/// Where the pass through a text stands.
#[derive(Default)]
struct Pass {
    cutter: Cutter,
    /// How many bytes of the whole text lie behind.
    behind: usize,
    said_too_long: bool,
    /// A secret that is longer than a stretch: it goes on in the next one.
    runs_on: Option<Found>,
}

impl Pass {
    /// Looks at the stretch that the cutter cut last.
    fn look(
        &mut self,
        scanner: &Scanner,
        stretch: &Stretch,
        beneath: Option<&Beneath>,
        found: &mut Vec<Found>,
    ) {
        let text = beneath.map_or(stretch.text, |it| it.text);
        let known = found.len();
        scanner.scan(stretch, beneath, self.behind, found);
        if let Some(mut rest) = self.runs_on.take().filter(|_| stretch.joined) {
            rest.span = self.behind..self.behind + secrets::end_of_long(text, 0);
            let end = rest.span.end;
            // What was found inside of it goes with it.
            let new = found.drain(known..).filter(|it| it.span.end > end);
            let new: Vec<Found> = new
                .map(|mut it| {
                    it.span.start = it.span.start.max(end);
                    it
                })
                .collect();
            found.extend((!rest.span.is_empty()).then_some(rest));
            found.extend(new);
        }
        let end = self.behind + text.len();
        let last = found[known..].last();
        self.runs_on = last
            .filter(|it| it.span.end == end && it.category == GuardCategory::Secret)
            .filter(|it| takes_out(it) && self.cutter.is_joined())
            .cloned();
        self.count(scanner, text.len(), found);
    }

    /// So many bytes more lie behind.
    fn count(&mut self, scanner: &Scanner, length: usize, found: &mut Vec<Found>) {
        self.behind += length;
        if !self.said_too_long && scanner.is_too_long(self.behind) {
            self.said_too_long = true;
            found.push(scanner.too_long(self.behind));
        }
    }
}

/// A text on its way through the pass.
#[derive(Default)]
struct Reading {
    /// What has come and was not let go.
    layers: Layers,
    /// How far that was looked at.
    looked: Looked,
    pass: Pass,
    /// How the last stretch ended.
    border: Border,
    found: Vec<Found>,
}

impl Reading {
    /// Looks at every stretch that is whole.
    fn take(&mut self, scanner: &Scanner, ends: Ends) {
        while self.step(scanner, ends) {}
    }

    /// Looks at the next stretch, if it is whole.
    fn step(&mut self, scanner: &Scanner, ends: Ends) -> bool {
        let text = &self.layers.seen()[self.looked.seen..];
        let reach = scanner.reach();
        // A stretch that ends by itself does not know that the text ends.
        let mut rest = Rest::Follows;
        let mut stretch = self.pass.cutter.next(text, Ends::Open, reach);
        if stretch.is_none() && ends == Ends::Here {
            rest = Rest::IsOver;
            stretch = self.pass.cutter.next(text, Ends::Here, reach);
        }
        let stretch = match stretch {
            Some(stretch) => stretch,
            // Letters that nobody sees, and nothing after them.
            None if rest == Rest::IsOver && self.looked.whole < self.layers.whole().len() => {
                Stretch {
                    text: "",
                    traits: 0,
                    joined: false,
                    in_key: false,
                }
            }
            None => return false,
        };
        let seen = stretch.text.len();
        let beneath = self.layers.beneath(self.looked, seen, rest);
        let whole = beneath.as_ref().map_or(seen, |it| it.text.len());
        self.pass
            .look(scanner, &stretch, beneath.as_ref(), &mut self.found);
        self.looked.seen += seen;
        self.looked.whole += whole;
        self.border = self.pass.cutter.border();
        true
    }

    /// What was looked at and not let go before.
    fn let_go(&mut self) -> String {
        self.layers.let_go(std::mem::take(&mut self.looked))
    }
}

/// The same text once more, after its name.
struct Beside {
    reading: Reading,
    /// How long that is which stands before the text.
    head: usize,
    quotes: Quotes,
}

/// How a text stands after its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    Around,
    Without,
}

impl Beside {
    fn new(name: &str, quotes: Quotes) -> Self {
        let name = last_of(name);
        let head = match quotes {
            Quotes::Around => format!("\"{name}\": \""),
            Quotes::Without => format!("\"{name}\": "),
        };
        let mut reading = Reading::default();
        reading.layers.push(&head);
        reading.layers.forget_level();
        Self {
            reading,
            head: head.len(),
            quotes,
        }
    }

    /// How much of the text lies behind it.
    fn behind(&self) -> usize {
        self.reading.pass.behind.saturating_sub(self.head)
    }

    /// What it found in the text, whose length is known where it is over.
    fn found(&mut self, length: usize) -> impl Iterator<Item = Found> + '_ {
        let head = self.head;
        let within = move |at: usize| at.saturating_sub(head).min(length);
        self.reading.found.drain(..).filter_map(move |mut found| {
            found.span = within(found.span.start)..within(found.span.end);
            (!found.span.is_empty()).then_some(found)
        })
    }
}

/// The end of a name: there stands what it names.
fn last_of(name: &str) -> &str {
    &name[name.ceil_char_boundary(name.len().saturating_sub(LONGEST_NAME))..]
}

/// A guard on a stream. Holds back only what a rule may still match.
pub struct GuardStream {
    scanner: Arc<Scanner>,
    alone: Reading,
    beside: Option<Beside>,
    /// What the pass lies past, while the other pass still holds it; where it begins.
    settled: String,
    from: usize,
    /// What was found after its name, and is not told yet.
    named: Vec<Found>,
}

impl GuardStream {
    pub(super) fn new(scanner: Arc<Scanner>) -> Self {
        Self {
            scanner,
            alone: Reading::default(),
            beside: None,
            settled: String::new(),
            from: 0,
            named: Vec::new(),
        }
    }

    /// For a text that is given to a name.
    pub(super) fn named(scanner: Arc<Scanner>, name: &str, quotes: Quotes) -> Self {
        Self {
            beside: Some(Beside::new(name, quotes)),
            ..Self::new(scanner)
        }
    }

    /// Takes what came, and lets go what is settled.
    pub fn push(&mut self, text: &str, out: &mut Vec<Piece>) {
        self.alone.layers.push(text);
        if let Some(beside) = &mut self.beside {
            beside.reading.layers.push(text);
        }
        self.look();
        self.let_go(out);
    }

    /// The stream is over: lets go the rest.
    pub fn finish(&mut self, out: &mut Vec<Piece>) {
        self.alone.take(&self.scanner, Ends::Here);
        let length = self.alone.pass.behind;
        if let Some(mut beside) = self.beside.take() {
            match beside.quotes {
                Quotes::Around => beside.reading.layers.push("\""),
                Quotes::Without => {}
            }
            beside.reading.take(&self.scanner, Ends::Here);
            self.named.extend(beside.found(length));
        }
        self.let_go(out);
    }

    /// How many bytes are held back.
    pub fn held(&self) -> usize {
        self.settled.len() + self.alone.layers.whole().len()
    }

    /// Whether the name that the text was given to may still tell something about it.
    pub fn is_held_by_name(&self) -> bool {
        self.beside.is_some()
    }

    /// Looks at what is whole, the pass that is behind first, until both meet.
    fn look(&mut self) {
        while let Some(beside) = &mut self.beside {
            let (one, other) = (self.alone.pass.behind, beside.behind());
            let has_begun = beside.reading.pass.behind >= beside.head;
            let is_settled =
                self.alone.border == beside.reading.border && beside.reading.pass.runs_on.is_none();
            if one == other && has_begun && is_settled {
                self.named.extend(beside.found(usize::MAX));
                self.beside = None;
                break;
            }
            let behind = if one < other {
                &mut self.alone
            } else {
                &mut beside.reading
            };
            if !behind.step(&self.scanner, Ends::Open) {
                // The one that is ahead waits for the other.
                self.named.extend(beside.found(usize::MAX));
                beside.reading.let_go();
                return;
            }
        }
        self.alone.take(&self.scanner, Ends::Open);
    }

    fn let_go(&mut self, out: &mut Vec<Piece>) {
        if self.alone.looked.whole > 0 {
            let text = self.alone.let_go();
            if self.settled.is_empty() {
                self.settled = text;
            } else {
                self.settled.push_str(&text);
            }
        }
        if self.settled.is_empty() && self.alone.found.is_empty() {
            return;
        }
        if self.alone.found.is_empty() && self.named.is_empty() && self.beside.is_none() {
            self.from += self.settled.len();
            out.push(Piece::Text(std::mem::take(&mut self.settled)));
            return;
        }
        let limit = self.limit();
        let is_past = |found: &Found| found.span.end > limit;
        let alone = take_before(&mut self.alone.found, is_past);
        let named = take_before(&mut self.named, is_past);
        let mut at = 0;
        for found in merged(alone, named) {
            let span = found.span.start - self.from..found.span.end - self.from;
            if span.start > at {
                out.push(Piece::Text(self.settled[at..span.start].to_owned()));
            }
            at = span.end;
            out.push(Piece::Found(found, self.settled[span].to_owned()));
        }
        let end = limit - self.from;
        if end > at {
            out.push(Piece::Text(self.settled[at..end].to_owned()));
        }
        self.settled.drain(..end);
        self.from = limit;
    }

    /// Up to where both passes have looked, before anything that reaches past that.
    fn limit(&self) -> usize {
        let mut limit = self.alone.pass.behind;
        if let Some(beside) = &self.beside {
            limit = limit.min(beside.behind());
        }
        loop {
            let found = self.alone.found.iter().chain(&self.named);
            let reaches = |it: &&Found| it.span.start < limit && it.span.end > limit;
            match found.filter(reaches).map(|it| it.span.start).min() {
                Some(start) => limit = start,
                None => return limit.max(self.from),
            }
        }
    }
}

/// Takes the first ones, up to one that is past the limit.
fn take_before(found: &mut Vec<Found>, is_past: impl Fn(&Found) -> bool) -> Vec<Found> {
    let count = found.iter().position(is_past).unwrap_or(found.len());
    found.drain(..count).collect()
}

/// What two passes found in the same text: what one takes out is taken out, with all that the
/// other takes out where they overlap; what is only told of is told where nothing is taken out.
fn merged(alone: Vec<Found>, named: Vec<Found>) -> Vec<Found> {
    if named.is_empty() {
        return alone;
    }
    let mut all = alone;
    all.extend(named);
    // Of two that begin in one place the first pass's stays first: it tells more.
    all.sort_by_key(|found| found.span.start);
    let (takes, tells): (Vec<Found>, Vec<Found>) = all.into_iter().partition(takes_out);
    let mut merged: Vec<Found> = Vec::with_capacity(takes.len() + tells.len());
    for found in takes {
        match merged.last_mut() {
            Some(last) if last.span.end > found.span.start => {
                let span = last.span.start..last.span.end.max(found.span.end);
                if strength(&found) > strength(last) {
                    *last = found;
                }
                last.span = span;
            }
            Some(_) | None => merged.push(found),
        }
    }
    let taken: Vec<Range<usize>> = merged.iter().map(|found| found.span.clone()).collect();
    let mut told = 0;
    for found in tells {
        let next = taken.partition_point(|span| span.end <= found.span.start);
        let is_free = taken
            .get(next)
            .is_none_or(|span| span.start >= found.span.end);
        if is_free && (found.span.is_empty() || found.span.start >= told) {
            told = found.span.end;
            merged.push(found);
        }
    }
    merged.sort_by_key(|found| (found.span.start, found.span.end));
    merged
}

/// How well it protects: in the middle of a reply, what is to be asked about passes.
fn strength(found: &Found) -> u8 {
    match found.action {
        GuardVerdict::Block => 4,
        GuardVerdict::Redact => 3,
        GuardVerdict::Ask => 2,
        GuardVerdict::Warn => 1,
        GuardVerdict::Allow => 0,
    }
}

fn takes_out(found: &Found) -> bool {
    match found.action {
        GuardVerdict::Redact | GuardVerdict::Block => !found.span.is_empty(),
        GuardVerdict::Ask => found.category != GuardCategory::Injection && !found.span.is_empty(),
        GuardVerdict::Warn | GuardVerdict::Allow => false,
    }
}
