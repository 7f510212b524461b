//! One text of a reply on its way through the guard, piece by piece.
//!
//! Three searches read the text side by side: for the key of the source, by the rules, and for
//! originals of the session. What all of them are done with is let go, so a text waits for the
//! slowest of them and not for one after another.

use std::ops::Range;

use weir_protocol::{Detection, GuardVerdict};

use crate::guard::{Found, Guard, GuardStream, Piece, Quotes, Stage};
use crate::redact::checks::{Checks, Fate, OnAsk, detection, fate, verdict_of};
use crate::store::TakenFrom;
use crate::value_search::{Extent, Replacement, ValueStream};

/// What a rule finds beside the key of the source is a secret of its own from so many letters
/// and digits on; less is a part of the key.
const SHORTEST_BESIDE_KEY: usize = 8;

/// A text on its way through the guard. Places are bytes of all text that came.
pub(super) struct Passing {
    /// What has come and was not let go.
    held: String,
    /// Where that begins.
    let_go: usize,
    key: ValueStream,
    rules: GuardStream,
    /// Up to where the rules are done.
    ruled: usize,
    originals: ValueStream,
    /// What does not stay as it is.
    edits: Vec<Edit>,
    /// What rules found and let pass, and where it ends.
    passing: Vec<(usize, Found)>,
    pieces: Vec<Piece>,
    pub(super) found: Vec<(GuardVerdict, Detection)>,
    /// Whether anything was taken out of it.
    pub(super) is_changed: bool,
    /// Whether a rule ended it: nothing passes any more.
    pub(super) is_blocked: bool,
}

/// A piece of the text that does not stay as it is.
struct Edit {
    range: Range<usize>,
    cause: Cause,
}

/// In the order in which they decide about a piece: the key of the source is nobody's to keep,
/// and what rules find they tell.
enum Cause {
    Key(String),
    Rule(Box<Found>, Fate),
    Original(String),
}

impl Passing {
    pub(super) fn new(guard: &Guard) -> Self {
        Self {
            held: String::new(),
            let_go: 0,
            key: ValueStream::new(Extent::Pieces),
            rules: guard.stream(Stage::Output),
            ruled: 0,
            originals: ValueStream::new(Extent::Whole),
            edits: Vec::new(),
            passing: Vec::new(),
            pieces: Vec::new(),
            found: Vec::new(),
            is_changed: false,
            is_blocked: false,
        }
    }

    /// The text that follows was given to this name.
    pub(super) fn begin(&mut self, name: Option<&str>, quotes: Quotes, checks: &Checks) {
        if let Some(name) = name {
            self.rules = checks.guard.stream_named(Stage::Output, name, quotes);
        }
    }

    /// Whether anything is held back that its name may still tell to be secret.
    pub(super) fn is_held_by_name(&self) -> bool {
        self.rules.is_held_by_name() || self.key.is_uncertain() || self.originals.is_uncertain()
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> &str {
        &self.held
    }

    /// What is held back will not be said.
    pub(super) fn forget(&mut self, checks: &Checks) {
        for edit in std::mem::take(&mut self.edits) {
            if let Cause::Rule(found, Fate::Blocks) = edit.cause {
                self.block(&found);
            }
        }
        self.let_go += self.held.len();
        self.ruled = self.let_go;
        self.held.clear();
        self.passing.clear();
        self.key.forget();
        self.originals.forget();
        self.rules = checks.guard.stream(Stage::Output);
    }

    /// What can be said of the text now.
    pub(super) fn push(&mut self, text: &str, checks: &Checks) -> String {
        self.held.push_str(text);
        self.rules.push(text, &mut self.pieces);
        let key = self.key.push(text, &checks.key());
        let originals = self.originals.push(text, &checks.known());
        self.pass(key, originals, checks)
    }

    /// The rest of it. A text that follows is a new one.
    pub(super) fn finish(&mut self, checks: &Checks) -> String {
        self.rules.finish(&mut self.pieces);
        self.rules = checks.guard.stream(Stage::Output);
        let key = self.key.finish(&checks.key());
        let originals = self.originals.finish(&checks.known());
        self.pass(key, originals, checks)
    }

    fn pass(
        &mut self,
        key: Vec<Replacement>,
        originals: Vec<Replacement>,
        checks: &Checks,
    ) -> String {
        let mut pieces = std::mem::take(&mut self.pieces);
        for piece in pieces.drain(..) {
            match piece {
                Piece::Text(text) => self.ruled += text.len(),
                Piece::Found(found, text) => {
                    let range = self.ruled..self.ruled + text.len();
                    self.ruled = range.end;
                    self.note(found, range);
                }
            }
        }
        self.pieces = pieces;
        let edit = |it: Replacement, cause: fn(String) -> Cause| Edit {
            range: it.range,
            cause: cause(it.text),
        };
        let key = key.into_iter().map(|it| edit(it, Cause::Key));
        let originals = originals.into_iter().map(|it| edit(it, Cause::Original));
        self.edits.extend(key.chain(originals));
        if self.is_blocked {
            return String::new();
        }
        self.let_go(checks)
    }

    /// A rule found something.
    fn note(&mut self, found: Found, range: Range<usize>) {
        match fate(&found, OnAsk::Redact) {
            Fate::Ignored => {}
            Fate::Passes => self.passing.push((range.end, found)),
            fate @ (Fate::TakenOut | Fate::Blocks) => self.edits.push(Edit {
                range,
                cause: Cause::Rule(Box::new(found), fate),
            }),
        }
    }

    fn block(&mut self, found: &Found) {
        self.is_blocked = true;
        self.tell(found, Fate::Blocks, None);
    }

    /// Tells what was found before this place and passed.
    fn tell_passing(&mut self, place: usize) {
        let told = self.passing.extract_if(.., |(end, _)| *end <= place);
        for (_, found) in told.collect::<Vec<_>>() {
            self.tell(&found, Fate::Passes, None);
        }
    }

    fn tell(&mut self, found: &Found, fate: Fate, placeholder: Option<String>) {
        let verdict = verdict_of(found, fate);
        self.found.push((verdict, detection(found, placeholder)));
    }

    /// What all searches are done with.
    fn let_go(&mut self, checks: &Checks) -> String {
        let searched = self.key.cleared().min(self.originals.cleared());
        let mut end = self.ruled.min(searched);
        let mut edits = Vec::new();
        if !self.edits.is_empty() {
            let parts = |it: &&Edit, end| it.range.start < end && end < it.range.end;
            while let Some(edit) = self.edits.iter().find(|it| parts(it, end)) {
                end = edit.range.start;
            }
            edits = self
                .edits
                .extract_if(.., |it| it.range.end <= end)
                .collect();
        }
        let rest = self.held.split_off(end - self.let_go);
        let text = std::mem::replace(&mut self.held, rest);
        let from = std::mem::replace(&mut self.let_go, end);
        let text = match edits.is_empty() {
            true => text,
            false => self.edited(&text, from, edits, checks),
        };
        if !self.is_blocked {
            self.tell_passing(end);
        }
        text
    }

    /// The text, which begins at `from`, with its edits.
    fn edited(&mut self, text: &str, from: usize, mut edits: Vec<Edit>, checks: &Checks) -> String {
        edits.sort_by_key(|it| (it.range.start, it.range.end));
        let mut out = String::with_capacity(text.len());
        let mut done = from;
        let mut edits = edits.into_iter().peekable();
        while let Some(first) = edits.next() {
            let mut range = first.range.clone();
            let mut together = vec![first];
            while let Some(edit) = edits.next_if(|it| it.range.start < range.end) {
                range.end = range.end.max(edit.range.end);
                together.push(edit);
            }
            self.tell_passing(range.start);
            out.push_str(&text[done - from..range.start - from]);
            done = range.end;
            let text = &text[range.start - from..range.end - from];
            out.push_str(&self.replacement(text, range.start, together, checks));
            if self.is_blocked {
                return out;
            }
        }
        out.push_str(&text[done - from..]);
        out
    }

    /// What stands in the place of a text, which begins at `from`, of which every part is found
    /// by some search.
    fn replacement(
        &mut self,
        text: &str,
        from: usize,
        edits: Vec<Edit>,
        checks: &Checks,
    ) -> String {
        let mut without_key = String::with_capacity(text.len());
        let mut outside_key = String::new();
        let mut done = from;
        let mut replacement = None;
        let mut rules = Vec::new();
        for Edit { range, cause } in edits {
            match cause {
                Cause::Key(placeholder) => {
                    let before = &text[done - from..range.start - from];
                    without_key.push_str(before);
                    without_key.push_str(&placeholder);
                    outside_key.push_str(before);
                    done = range.end;
                    replacement = Some(placeholder);
                }
                Cause::Rule(found, fate) => rules.push((found, fate)),
                Cause::Original(placeholder) => {
                    replacement.get_or_insert(placeholder);
                }
            }
        }
        let rest = &text[done - from..];
        without_key.push_str(rest);
        outside_key.push_str(rest);
        let letters = outside_key.chars().filter(|it| it.is_alphanumeric());
        let is_part_of_key =
            outside_key.len() < text.len() && letters.count() < SHORTEST_BESIDE_KEY;
        if is_part_of_key {
            // A limit that was reached there is no part of it.
            rules.retain(|(found, _)| found.span.is_empty());
        }
        let mut taken = None;
        for (found, fate) in rules {
            if fate == Fate::Blocks {
                self.block(&found);
                return String::new();
            }
            let taken = taken.get_or_insert_with(|| {
                let vault = &checks.vault;
                vault.take_out(&found.label, &without_key, TakenFrom::Output)
            });
            let placeholder = taken.clone();
            self.tell(&found, fate, Some(placeholder));
        }
        self.is_changed = true;
        taken.or(replacement).unwrap_or_default()
    }
}
