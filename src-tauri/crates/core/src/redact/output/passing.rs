//! One text of a reply on its way through the guard, piece by piece.

use weir_protocol::{Detection, GuardVerdict};

use crate::guard::{Found, Guard, GuardStream, Piece, Quotes, Stage};
use crate::redact::checks::{Checks, Fate, OnAsk, detection, fate, verdict_of};
use crate::store::TakenFrom;
use crate::value_search::{Extent, ValueStream};

/// A text on its way through the guard.
pub(super) struct Passing {
    /// Before the rules: they would keep a key in the vault.
    key: ValueStream,
    stream: GuardStream,
    /// After the rules: what they find they tell.
    known: ValueStream,
    pieces: Vec<Piece>,
    pub(super) found: Vec<(GuardVerdict, Detection)>,
    /// Whether anything was taken out of it.
    pub(super) is_changed: bool,
    /// Whether a rule ended it: nothing passes any more.
    pub(super) is_blocked: bool,
}

impl Passing {
    pub(super) fn new(guard: &Guard) -> Self {
        Self {
            key: ValueStream::new(Extent::Pieces),
            stream: guard.stream(Stage::Output),
            known: ValueStream::new(Extent::Whole),
            pieces: Vec::new(),
            found: Vec::new(),
            is_changed: false,
            is_blocked: false,
        }
    }

    /// The text that follows was given to this name.
    pub(super) fn begin(&mut self, name: Option<&str>, quotes: Quotes, checks: &Checks) {
        if let Some(name) = name {
            self.stream = checks.guard.stream_named(Stage::Output, name, quotes);
        }
    }

    /// Whether anything is held back that its name may still tell to be secret.
    pub(super) fn is_held_by_name(&self) -> bool {
        self.stream.is_held_by_name() || self.key.holds_back() || self.known.holds_back()
    }

    /// What is held back: by the search for the key, by the rules, by the search for originals.
    #[cfg(test)]
    pub(super) fn held(&self) -> [String; 3] {
        [
            self.key.held().to_owned(),
            self.stream.held_text(),
            self.known.held().to_owned(),
        ]
    }

    /// What is held back will not be said.
    pub(super) fn forget(&mut self, checks: &Checks) {
        self.key.forget();
        self.known.forget();
        self.stream = checks.guard.stream(Stage::Output);
    }

    /// What can be said of the text now.
    pub(super) fn push(&mut self, text: &str, checks: &Checks) -> String {
        let key = checks.key();
        if key.is_empty() {
            self.stream.push(text, &mut self.pieces);
        } else {
            let text = self.key.push(text, &key);
            self.stream.push(&text, &mut self.pieces);
        }
        let passed = self.let_go(checks);
        self.without_known(passed, checks)
    }

    /// The rest of it. A text that follows is a new one.
    pub(super) fn finish(&mut self, checks: &Checks) -> String {
        let held = self.key.finish(&checks.key());
        self.stream.push(&held, &mut self.pieces);
        self.stream.finish(&mut self.pieces);
        let rest = self.let_go(checks);
        self.stream = checks.guard.stream(Stage::Output);
        let mut rest = self.without_known(rest, checks);
        if !self.is_blocked {
            rest.push_str(&self.known.finish(&checks.known()));
        }
        self.is_changed |= self.key.is_changed() || self.known.is_changed();
        rest
    }

    fn without_known(&mut self, text: String, checks: &Checks) -> String {
        let known = checks.known();
        if known.is_empty() {
            return text;
        }
        self.known.push(&text, &known)
    }

    fn let_go(&mut self, checks: &Checks) -> String {
        let mut pieces = std::mem::take(&mut self.pieces);
        // Nearly always there is one piece, and nothing in it.
        if let [Piece::Text(text)] = pieces.as_mut_slice()
            && !self.is_blocked
        {
            let text = std::mem::take(text);
            pieces.clear();
            self.pieces = pieces;
            return text;
        }
        let mut out = String::new();
        for piece in pieces.drain(..) {
            match piece {
                _ if self.is_blocked => {}
                Piece::Text(text) => out.push_str(&text),
                Piece::Found(found, text) => self.take_out(&found, &text, checks, &mut out),
            }
        }
        self.pieces = pieces;
        out
    }

    fn take_out(&mut self, found: &Found, text: &str, checks: &Checks, out: &mut String) {
        let fate = fate(found, OnAsk::Redact);
        let mut placeholder = None;
        match fate {
            Fate::Ignored => {
                out.push_str(text);
                return;
            }
            Fate::Passes => out.push_str(text),
            Fate::TakenOut => {
                let taken = checks.vault.take_out(&found.label, text, TakenFrom::Output);
                out.push_str(&taken);
                placeholder = Some(taken);
                self.is_changed = true;
            }
            Fate::Blocks => self.is_blocked = true,
        }
        let verdict = verdict_of(found, fate);
        self.found.push((verdict, detection(found, placeholder)));
    }
}
