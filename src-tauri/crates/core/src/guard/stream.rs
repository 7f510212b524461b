//! Text that comes piece by piece, checked as if it had come at once.
//!
//! The whole text goes through the very same pass, so the two cannot differ. A secret that is
//! longer than a stretch is taken out to its end, a stretch at a time.
//!
//! A text that was given to a name (`"password": "…"`) goes through two passes: alone, and as it
//! stands after its name. What either finds is found, and nothing is let go that one of them
//! still holds. From where both cut the text at the same place, the name says nothing more about
//! it, and the second pass ends there: a long text costs one.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use weir_protocol::{GuardCategory, GuardVerdict};

use super::scan::Scanner;
use super::stretch::{Border, Cutter, Ends, Extent, Look, Stretch};
use super::unseen::{self, Layers, Looked, Rest};
use super::{Found, secrets, strength};

/// No more of a name is looked at than its last so many bytes.
pub const LONGEST_NAME: usize = 64;

/// A name says nothing about what stands so many bytes after it.
const NAME_REACH: usize = 320;

/// What a stream lets go, in its order. Neighbouring text may come in one piece or in several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// What was found, and its text.
    Found(Found, String),
}

/// What looks at a text at one stage.
#[derive(Clone)]
pub(super) struct Scanners {
    pub(super) rules: Arc<Scanner>,
    /// The user's own words and patterns. They have a pass of their own, since they need the text
    /// cut in other places: where it is cut for the rules must not depend on them.
    pub(super) own: Option<Arc<Scanner>>,
}

pub(super) fn check(scanners: &Scanners, text: &str) -> Vec<Found> {
    let found = found_by(&scanners.rules, text);
    match &scanners.own {
        Some(own) => merged(found, found_by(own, text)),
        None => found,
    }
}

fn found_by(scanner: &Scanner, text: &str) -> Vec<Found> {
    if unseen::is_all_seen(text) {
        let mut pass = Pass::default();
        let mut done = 0;
        for ends in [Ends::Open, Ends::Here] {
            while let Some(look) = pass.cutter.next(&text[done..], ends, scanner.reach()) {
                let whole = match look.extent {
                    Extent::Whole => look.start + look.stretch.text.len(),
                    Extent::Part { .. } => 0,
                };
                pass.look(scanner, &look, &text[done..], None);
                done += whole;
            }
        }
        return pass.found;
    }
    let mut reading = Reading::default();
    reading.layers.push(text);
    reading.take(scanner, Ends::Here);
    reading.pass.found
}

/// Where the pass through a text stands. Places are bytes of the whole text, as it came.
#[derive(Default)]
struct Pass {
    cutter: Cutter,
    /// Where the stretch begins that is looked at.
    behind: usize,
    /// Up to where everything is decided: inside of a stretch that is looked at in parts.
    released: usize,
    said_too_long: bool,
    /// A secret that is longer than a stretch: it goes on in the next one.
    runs_on: Option<Found>,
    /// How the last stretch ended.
    border: Border,
    /// A part of the next one was looked at.
    is_inside: bool,
    found: Vec<Found>,
}

/// How what is looked at came, where letters that nobody sees were left out of it.
struct Came<'t> {
    layers: &'t Layers,
    /// Where the stretch begins.
    stretch: Looked,
    rest: Rest,
}

impl Pass {
    /// Looks at what the cutter gave last; `text` is the stretch from its beginning.
    fn look(&mut self, scanner: &Scanner, look: &Look, text: &str, came: Option<&Came>) {
        let stretch = &look.stretch;
        let after = |seen: usize| match came {
            Some(came) => came.layers.after(came.stretch, seen).whole - came.stretch.whole,
            None => seen,
        };
        let start = self.behind + after(look.start);
        let beneath = came.and_then(|it| {
            let place = it.layers.after(it.stretch, look.start);
            it.layers.beneath(place, stretch.text.len(), it.rest)
        });
        let whole_text = beneath.as_ref().map_or(stretch.text, |it| it.text);
        let mut new = Vec::new();
        let mut open = scanner.scan(stretch, beneath.as_ref(), start, &mut new);
        if look.start == 0
            && let Some(rest) = self.runs_on.take().filter(|_| stretch.joined)
        {
            let end = secrets::end_of_long(whole_text, 0);
            match look.extent {
                Extent::Part { .. } if end == whole_text.len() => {
                    self.runs_on = Some(rest);
                    open = Some(0);
                }
                // The rest of the secret is found, however much of it is held back.
                Extent::Part { .. } if end > 0 => {
                    let mut rest = run_on(rest, self.behind..self.behind + end, new);
                    self.accept(&mut rest, self.behind + end);
                    self.is_inside = true;
                    let seen = secrets::end_of_long(stretch.text, 0);
                    return self.cutter.release(text, seen);
                }
                Extent::Part { .. } | Extent::Whole => {
                    new = run_on(rest, self.behind..self.behind + end, new);
                }
            }
        }
        match look.extent {
            Extent::Part { from, next } => {
                let next = open.map_or(next, |open| next.min(open)).max(from);
                let limit = self.behind + after(look.start + next);
                if next > from {
                    self.accept(&mut new, limit);
                    self.released = self.released.max(limit);
                }
                self.is_inside = true;
                self.cutter.release(text, look.start + next);
            }
            Extent::Whole => {
                let end = start + whole_text.len();
                let last = new.last().filter(|it| it.span.end == end && it.has_secret);
                self.runs_on = last
                    .filter(|it| takes_out(it) && self.cutter.is_joined())
                    .cloned();
                self.accept(&mut new, usize::MAX);
                self.behind = end;
                self.released = end;
                self.border = self.cutter.border();
                self.is_inside = false;
            }
        }
        if !self.said_too_long && scanner.is_too_long(self.behind) {
            self.said_too_long = true;
            self.found.push(scanner.too_long(self.behind));
        }
    }

    /// Whether a key is under way that must be seen to its end.
    fn waits_for_key(&self) -> bool {
        self.runs_on.is_some() || self.cutter.waits()
    }

    /// Keeps what begins before the limit, as far as it was not released.
    fn accept(&mut self, new: &mut Vec<Found>, limit: usize) {
        for mut it in new.drain(..) {
            if it.span.start < limit && it.span.end > self.released {
                it.span.start = it.span.start.max(self.released);
                self.released = it.span.end;
                self.found.push(it);
            }
        }
    }
}

/// The rest of a secret that began in another stretch, and what was found after it. What was found
/// inside of it goes with it, and makes it stricter where it is.
fn run_on(mut rest: Found, span: Range<usize>, new: Vec<Found>) -> Vec<Found> {
    let end = span.end;
    rest.span = span;
    let mut after = Vec::new();
    for mut it in new {
        if it.span.start < end && takes_out(&it) {
            join(&mut rest, &it);
        }
        if it.span.end > end {
            it.span.start = it.span.start.max(end);
            after.push(it);
        }
    }
    let rest = (!rest.span.is_empty()).then_some(rest);
    rest.into_iter().chain(after).collect()
}

/// A text on its way through the pass.
#[derive(Default)]
struct Reading {
    /// What has come, from the stretch on that is looked at.
    layers: Layers,
    /// Where that stretch begins.
    looked: Looked,
    /// How much of the text was forgotten, and how much was let go.
    forgotten: usize,
    let_go: usize,
    pass: Pass,
}

impl Reading {
    /// Looks at every stretch that is whole.
    fn take(&mut self, scanner: &Scanner, ends: Ends) {
        while self.step(scanner, ends) {}
    }

    /// Looks at the next stretch, or the next part of one, if it has come.
    fn step(&mut self, scanner: &Scanner, ends: Ends) -> bool {
        let text = &self.layers.seen()[self.looked.seen..];
        let reach = scanner.reach();
        // A stretch that ends by itself does not know that the text ends.
        let mut rest = Rest::Follows;
        let mut look = self.pass.cutter.next(text, Ends::Open, reach);
        if look.is_none() && ends == Ends::Here {
            rest = Rest::IsOver;
            look = self.pass.cutter.next(text, Ends::Here, reach);
        }
        let look = match look {
            Some(look) => look,
            // Letters that nobody sees, and nothing after them.
            None if rest == Rest::IsOver && self.looked.whole < self.layers.whole().len() => Look {
                stretch: Stretch {
                    text: "",
                    traits: 0,
                    joined: false,
                    in_key: false,
                },
                start: 0,
                extent: Extent::Whole,
            },
            None => return false,
        };
        let came = Came {
            layers: &self.layers,
            stretch: self.looked,
            rest,
        };
        let seen = look.start + look.stretch.text.len();
        let is_whole = look.extent == Extent::Whole;
        let behind = self.pass.behind;
        self.pass.look(scanner, &look, text, Some(&came));
        if is_whole {
            self.looked.seen += seen;
            self.looked.whole += self.pass.behind - behind;
        }
        true
    }

    /// What was decided and not let go before.
    fn let_go(&mut self) -> String {
        let looked = std::mem::take(&mut self.looked);
        let end = self.forgotten + looked.whole;
        if self.let_go == self.forgotten && end == self.pass.released {
            self.forgotten = end;
            self.let_go = end;
            return self.layers.let_go(looked);
        }
        let text = &self.layers.whole()[self.let_go - self.forgotten..];
        let text = text[..self.pass.released - self.let_go].to_owned();
        self.let_go = self.pass.released;
        if looked.whole > 0 {
            self.layers.let_go(looked);
            self.forgotten = end;
        }
        text
    }

    /// How many bytes have come and were not let go.
    fn held(&self) -> &str {
        &self.layers.whole()[self.let_go - self.forgotten..]
    }
}

/// The same text once more, after its name.
struct NamedReading {
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

impl NamedReading {
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
        self.reading.pass.released.saturating_sub(self.head)
    }

    /// What it found in the text, whose length is known where it is over.
    fn found(&mut self, length: usize) -> impl Iterator<Item = Found> + '_ {
        let head = self.head;
        let within = move |at: usize| at.saturating_sub(head).min(length);
        self.reading
            .pass
            .found
            .drain(..)
            .filter_map(move |mut found| {
                found.span = within(found.span.start)..within(found.span.end);
                (!found.span.is_empty()).then_some(found)
            })
    }
}

/// The end of a name: there stands what it names.
fn last_of(name: &str) -> &str {
    &name[name.ceil_char_boundary(name.len().saturating_sub(LONGEST_NAME))..]
}

/// A text on its way past one scanner: alone, and after its name.
struct Lane {
    scanner: Arc<Scanner>,
    alone: Reading,
    beside: Option<NamedReading>,
    /// What was found after its name, and has not left yet.
    named: Vec<Found>,
}

impl Lane {
    fn new(scanner: Arc<Scanner>, beside: Option<NamedReading>) -> Self {
        Self {
            scanner,
            alone: Reading::default(),
            beside,
            named: Vec::new(),
        }
    }

    fn push(&mut self, text: &str) {
        self.alone.layers.push(text);
        if let Some(beside) = &mut self.beside {
            beside.reading.layers.push(text);
        }
        self.look();
    }

    fn finish(&mut self) {
        self.alone.take(&self.scanner, Ends::Here);
        let length = self.alone.pass.released;
        if let Some(mut beside) = self.beside.take() {
            match beside.quotes {
                Quotes::Around => beside.reading.layers.push("\""),
                Quotes::Without => {}
            }
            beside.reading.take(&self.scanner, Ends::Here);
            self.named.extend(beside.found(length));
        }
    }

    /// Looks at what is whole, the pass that is behind first, until both meet.
    fn look(&mut self) {
        while let Some(beside) = &mut self.beside {
            let (one, other) = (self.alone.pass.released, beside.behind());
            let has_begun = beside.reading.pass.released >= beside.head;
            let (alone, named) = (&self.alone.pass, &beside.reading.pass);
            let is_inside = alone.is_inside || named.is_inside;
            let is_settled = !is_inside && alone.border == named.border && named.runs_on.is_none();
            let is_far = other >= NAME_REACH && one >= other && !named.waits_for_key();
            if has_begun && (one == other && is_settled || is_far) {
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

    /// Up to where both passes have looked.
    fn behind(&self) -> usize {
        let beside = self
            .beside
            .as_ref()
            .map_or(usize::MAX, NamedReading::behind);
        self.alone.pass.released.min(beside)
    }

    fn found(&self) -> impl Iterator<Item = &Found> {
        self.alone.pass.found.iter().chain(&self.named)
    }
}

/// A guard on a stream. Holds back only what a rule may still match.
pub struct GuardStream {
    rules: Lane,
    own: Option<Lane>,
    /// What the rules have looked at, while another pass still holds it; where it begins.
    settled: String,
    from: usize,
}

impl GuardStream {
    pub(super) fn new(scanners: Scanners) -> Self {
        Self {
            rules: Lane::new(scanners.rules, None),
            own: scanners.own.map(|own| Lane::new(own, None)),
            settled: String::new(),
            from: 0,
        }
    }

    /// For a text that is given to a name.
    pub(super) fn named(scanners: Scanners, name: &str, quotes: Quotes) -> Self {
        let mut stream = Self::new(scanners);
        for lane in stream.lanes_mut() {
            lane.beside = Some(NamedReading::new(name, quotes));
        }
        stream
    }

    /// Takes what came, and lets go what is settled.
    pub fn push(&mut self, text: &str, out: &mut Vec<Piece>) {
        for lane in self.lanes_mut() {
            lane.push(text);
        }
        self.let_go(out);
    }

    /// The stream is over: lets go the rest.
    pub fn finish(&mut self, out: &mut Vec<Piece>) {
        for lane in self.lanes_mut() {
            lane.finish();
        }
        self.let_go(out);
    }

    /// How many bytes are held back.
    pub fn held(&self) -> usize {
        self.settled.len() + self.rules.alone.held().len()
    }

    #[cfg(test)]
    pub(crate) fn held_text(&self) -> String {
        format!("{}{}", self.settled, self.rules.alone.held())
    }

    /// Whether the name that the text was given to may still tell something about it.
    pub fn is_held_by_name(&self) -> bool {
        self.lanes().any(|lane| lane.beside.is_some())
    }

    fn lanes(&self) -> impl Iterator<Item = &Lane> {
        std::iter::once(&self.rules).chain(&self.own)
    }

    fn lanes_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        std::iter::once(&mut self.rules).chain(&mut self.own)
    }

    fn let_go(&mut self, out: &mut Vec<Piece>) {
        if self.rules.alone.pass.released > self.rules.alone.let_go {
            let text = self.rules.alone.let_go();
            if self.settled.is_empty() {
                self.settled = text;
            } else {
                self.settled.push_str(&text);
            }
        }
        if let Some(own) = &mut self.own {
            own.alone.let_go();
        }
        let nothing_found = self.lanes().all(|lane| lane.found().next().is_none());
        if self.settled.is_empty() && nothing_found {
            return;
        }
        if nothing_found && self.rules.beside.is_none() && self.own.is_none() {
            self.from += self.settled.len();
            out.push(Piece::Text(std::mem::take(&mut self.settled)));
            return;
        }
        let limit = self.limit();
        let first = take_before(&mut self.rules.alone.pass.found, limit);
        let mut others = take_before(&mut self.rules.named, limit);
        if let Some(own) = &mut self.own {
            others.extend(take_before(&mut own.alone.pass.found, limit));
            others.extend(take_before(&mut own.named, limit));
        }
        let mut at = 0;
        for found in merged(first, others) {
            let span = found.span.start - self.from..found.span.end - self.from;
            if span.start > at {
                out.push(Piece::Text(self.settled[at..span.start].to_owned()));
            }
            // A limit may end inside of what another rule found.
            at = at.max(span.end);
            out.push(Piece::Found(found, self.settled[span].to_owned()));
        }
        let end = limit - self.from;
        if end > at {
            out.push(Piece::Text(self.settled[at..end].to_owned()));
        }
        self.settled.drain(..end);
        self.from = limit;
    }

    /// Up to where every pass has looked, before anything that reaches past that.
    fn limit(&self) -> usize {
        let behind = self.lanes().map(Lane::behind);
        let mut limit = behind.min().unwrap_or_default();
        loop {
            let found = self.lanes().flat_map(Lane::found);
            let reaches = |it: &&Found| it.span.start < limit && it.span.end > limit;
            match found.filter(reaches).map(|it| it.span.start).min() {
                Some(start) => limit = start,
                None => return limit.max(self.from),
            }
        }
    }
}

/// Takes those that end before the limit.
fn take_before(found: &mut Vec<Found>, limit: usize) -> Vec<Found> {
    found
        .extract_if(.., |found| found.span.end <= limit)
        .collect()
}

/// What several passes found in the same text: what one redacts is redacted, with all that the
/// others redact where they overlap; what is only reported is reported where nothing is redacted.
fn merged(first: Vec<Found>, others: Vec<Found>) -> Vec<Found> {
    if others.is_empty() {
        return first;
    }
    let mut all = first;
    all.extend(others);
    // Of two that begin in one place the first pass's stays first: it tells more.
    all.sort_by_key(|found| found.span.start);
    let (takes, mut tells): (Vec<Found>, Vec<Found>) = all.into_iter().partition(takes_out);
    let mut merged: Vec<Found> = Vec::with_capacity(takes.len() + tells.len());
    for found in takes {
        match merged.last_mut() {
            Some(last) if last.span.end > found.span.start => {
                last.span.end = last.span.end.max(found.span.end);
                join(last, &found);
            }
            Some(_) | None => merged.push(found),
        }
    }
    let taken: Vec<Range<usize>> = merged.iter().map(|found| found.span.clone()).collect();
    let instructs = |found: &Found| found.category == GuardCategory::Injection;
    tells.sort_by(|one, other| {
        let strictness = strength(other.action).cmp(&strength(one.action));
        strictness.then_with(|| instructs(other).cmp(&instructs(one)))
    });
    // By where each begins: where it ends.
    let mut told: BTreeMap<usize, usize> = BTreeMap::new();
    for found in tells {
        let before = told.range(..found.span.end).next_back();
        if found.span.is_empty() {
            merged.push(found);
        } else if before.is_none_or(|(_, end)| *end <= found.span.start) {
            told.insert(found.span.start, found.span.end);
            let pieces = super::outside(&found.span, &taken);
            merged.extend(pieces.map(|span| Found {
                span,
                ..found.clone()
            }));
        }
    }
    merged.sort_by_key(|found| (found.span.start, found.span.end));
    merged
}

/// Makes `kept` do what either does.
fn join(kept: &mut Found, other: &Found) {
    let also_asks = kept.asks() || other.asks();
    let (was, is) = (strength(kept.action), strength(other.action));
    let own = GuardCategory::Custom;
    if is > was || is == was && other.category == own && kept.category != own {
        let span = kept.span.clone();
        let has_secret = kept.has_secret;
        *kept = other.clone();
        kept.span = span;
        kept.has_secret |= has_secret;
    }
    kept.has_secret |= other.has_secret;
    kept.also_asks = also_asks && kept.action != GuardVerdict::Ask;
}

fn takes_out(found: &Found) -> bool {
    super::takes_out(found.action) && !found.span.is_empty()
}
