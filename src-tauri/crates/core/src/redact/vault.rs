//! The vault of a session: what guards took out of its texts, by placeholder.
//!
//! Invariants: the same value has the same placeholder in the whole session, and no two values
//! share one; a placeholder that somebody wrote himself is never given to a value. Values are
//! held in memory while a turn runs or a window shows the session, and leave it only sealed.
//! "The same value" is found by comparing opened values, so the database has no hash of one.
//!
//! Where a key is lost its values stay placeholders; nothing else fails.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use uuid::Uuid;

use super::placeholder;
use crate::secret::{SealKey, Sealed};
use crate::store::{SealedOriginal, TakenFrom};
use crate::value_search::{Extent, Known, KnownValues, Pieces};

/// Longer strings are text: what of it is an original is found by itself.
const LONGEST_COMPOSED: usize = 4 * 1024;
const MOST_COMPOSED: usize = 1_000;

/// Clones share it.
#[derive(Clone)]
pub struct Vault(Arc<Mutex<Inner>>);

/// Keeps no vault alive.
#[derive(Clone)]
pub(crate) struct WeakVault(Weak<Mutex<Inner>>);

struct Inner {
    session: Uuid,
    entries: HashMap<String, Entry>,
    /// The placeholder of each value that is open, by label and value.
    by_value: HashMap<(String, String), String>,
    /// Looks like a placeholder and is somebody's own words.
    literal: HashSet<String>,
    unsaved: Vec<String>,
    /// The last number that was given under each label.
    numbers: HashMap<String, u64>,
    /// All values that are open, ready to be searched for in a text.
    known: Arc<KnownValues>,
    /// Open, and not among those yet.
    unknown: Vec<Known>,
    /// Strings that a tool was given, which hold originals, as they are stored.
    composed: HashSet<String>,
    clean: Clean,
}

/// Texts that hold none of the values that were known then, by their hash.
#[derive(Default)]
struct Clean {
    values: usize,
    texts: HashSet<u64>,
}

struct Entry {
    taken_from: TakenFrom,
    sealed_for: Uuid,
    /// Absent where no key opens it.
    value: Option<SecretString>,
}

/// What stood where a placeholder stands.
#[derive(Clone, Debug)]
pub struct Original {
    pub value: SecretString,
    pub taken_from: TakenFrom,
}

impl Vault {
    pub fn new(session: Uuid) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            session,
            entries: HashMap::new(),
            by_value: HashMap::new(),
            literal: HashSet::new(),
            unsaved: Vec::new(),
            numbers: HashMap::new(),
            known: Arc::default(),
            unknown: Vec::new(),
            composed: HashSet::new(),
            clean: Clean::default(),
        })))
    }

    /// Takes in what is stored, opened as far as the keys go.
    pub(crate) fn take_in(&self, stored: Vec<SealedOriginal>, keys: &[SealKey]) {
        let mut inner = self.inner();
        for original in stored {
            let SealedOriginal {
                placeholder,
                taken_from,
                sealed_for,
                sealed,
            } = original;
            if inner
                .entries
                .get(&placeholder)
                .is_some_and(|known| known.value.is_some())
            {
                continue;
            }
            let place = place(sealed_for, &placeholder);
            let value = keys.iter().find_map(|key| key.open(&sealed, &place));
            if let Some(value) = &value
                && let Some(label) = label_of(&placeholder)
            {
                let named = (label.to_owned(), value.expose_secret().to_owned());
                inner.by_value.insert(named, placeholder.clone());
                inner
                    .unknown
                    .push(known(value.expose_secret(), &placeholder));
            }
            let entry = Entry {
                taken_from,
                sealed_for,
                value,
            };
            inner.entries.insert(placeholder, entry);
        }
    }

    /// Whether all of these are here and open.
    pub(crate) fn knows(&self, stored: &[SealedOriginal]) -> bool {
        let inner = self.inner();
        let is_open = |original: &SealedOriginal| {
            let entry = inner.entries.get(&original.placeholder);
            entry.is_some_and(|entry| entry.value.is_some())
        };
        stored.iter().all(is_open)
    }

    /// Whether every value that is stored is open.
    pub fn is_open(&self) -> bool {
        let inner = self.inner();
        inner.entries.values().all(|entry| entry.value.is_some())
    }

    /// What looks like a placeholder in a text and is none is never given to a value: it would
    /// be shown as one.
    pub(crate) fn keep_literal(&self, text: &str) {
        let mut found = placeholder::find(text).peekable();
        if found.peek().is_none() {
            return;
        }
        let mut inner = self.inner();
        for place in found {
            let written = &text[place];
            if !inner.entries.contains_key(written) && !inner.literal.contains(written) {
                inner.literal.insert(written.to_owned());
            }
        }
    }

    /// The placeholder of a value, the same one each time.
    pub(crate) fn take_out(&self, label: &str, value: &str, taken_from: TakenFrom) -> String {
        let mut inner = self.inner();
        let inner = &mut *inner;
        let named = (label.to_owned(), value.to_owned());
        if let Some(placeholder) = inner.by_value.get(&named) {
            if let Some(entry) = inner.entries.get_mut(placeholder)
                && entry.taken_from < taken_from
            {
                entry.taken_from = taken_from;
                inner.unsaved.push(placeholder.clone());
            }
            return placeholder.clone();
        }
        let number = inner.numbers.entry(label.to_owned()).or_default();
        let placeholder = loop {
            *number += 1;
            let placeholder = placeholder::placeholder(label, *number);
            if !inner.entries.contains_key(&placeholder) && !inner.literal.contains(&placeholder) {
                break placeholder;
            }
        };
        let entry = Entry {
            taken_from,
            sealed_for: inner.session,
            value: Some(value.into()),
        };
        inner.unknown.push(known(value, &placeholder));
        inner.by_value.insert(named, placeholder.clone());
        inner.entries.insert(placeholder.clone(), entry);
        inner.unsaved.push(placeholder.clone());
        placeholder
    }

    pub(crate) fn has_unsaved(&self) -> bool {
        !self.inner().unsaved.is_empty()
    }

    pub(crate) fn session(&self) -> Uuid {
        self.inner().session
    }

    /// What is not stored yet, sealed; [`Self::saved`] says that it is.
    pub(crate) fn seal_unsaved(&self, key: &SealKey) -> Vec<SealedOriginal> {
        let inner = self.inner();
        let seal = |placeholder: &String| {
            let entry = inner.entries.get(placeholder)?;
            let place = place(entry.sealed_for, placeholder);
            // One that is too large to seal stays a placeholder.
            let sealed = key
                .seal(entry.value.as_ref()?.expose_secret(), &place)
                .ok()?;
            Some(SealedOriginal {
                placeholder: placeholder.clone(),
                taken_from: entry.taken_from,
                sealed_for: entry.sealed_for,
                sealed,
            })
        };
        inner.unsaved.iter().filter_map(seal).collect()
    }

    /// These are stored.
    pub(crate) fn saved(&self, originals: &[SealedOriginal]) {
        let stored: HashSet<&str> = originals.iter().map(|it| it.placeholder.as_str()).collect();
        self.inner()
            .unsaved
            .retain(|placeholder| !stored.contains(placeholder.as_str()));
    }

    pub fn is_empty(&self) -> bool {
        self.inner().entries.is_empty()
    }

    /// What a placeholder of this session stands for.
    pub fn original(&self, placeholder: &str) -> Option<Original> {
        let inner = self.inner();
        let entry = inner.entries.get(placeholder)?;
        Some(Original {
            value: entry.value.clone()?,
            taken_from: entry.taken_from,
        })
    }

    /// All values that are open, to be searched for. Costs nothing while none is added.
    pub(crate) fn known(&self) -> Arc<KnownValues> {
        let mut inner = self.inner();
        let inner = &mut *inner;
        if !inner.unknown.is_empty() {
            Arc::make_mut(&mut inner.known).add(inner.unknown.drain(..));
        }
        Arc::clone(&inner.known)
    }

    /// Whether a text of this hash was found clean of as many values as are known now. A
    /// conversation is sent with every step, and is searched only once.
    pub(crate) fn is_clean(&self, hash: u64, known: &KnownValues) -> bool {
        let inner = self.inner();
        inner.clean.values == known.len() && inner.clean.texts.contains(&hash)
    }

    pub(crate) fn note_clean(&self, hash: u64, known: &KnownValues) {
        let mut inner = self.inner();
        if inner.clean.values != known.len() {
            inner.clean = Clean {
                values: known.len(),
                texts: HashSet::new(),
            };
        }
        inner.clean.texts.insert(hash);
    }

    /// A tool is given `restored` where `written` is stored. A short original inside of it is no
    /// word of its own, so the string is searched for as a whole. Others are found by themselves.
    pub(crate) fn note_composed(&self, restored: &str, written: &str) {
        let found = self.known().redact(restored.to_owned(), Extent::Whole);
        let mut expected = placeholder::find(written).map(|place| &written[place]);
        if !expected.all(|it| found.contains(it) || self.original(it).is_none()) {
            self.add_composed(restored, written);
        }
    }

    /// Another spelling of what a tool is given in the place of `written`: in the case that the
    /// disk has, or without doubled slashes. What of it is no original stays unknown.
    pub(crate) fn note_spelling(&self, spelled: &str, written: &str) {
        let found = self.known().redact(spelled.to_owned(), Extent::Whole);
        let bare = |text: &str| {
            let mut text = text.to_lowercase();
            text.retain(|it| it != '/');
            text
        };
        let letters = bare(spelled);
        let mut originals = placeholder::find(written).map(|place| &written[place]);
        let is_shown = |it: &str| {
            let original = self.exposed(it).map(|original| bare(&original));
            original.is_some_and(|it| !it.is_empty() && letters.contains(&it))
                && !found.contains(it)
        };
        if originals.any(is_shown) {
            self.add_composed(spelled, written);
        }
    }

    fn add_composed(&self, restored: &str, written: &str) {
        let mut inner = self.inner();
        let is_new = restored.len() <= LONGEST_COMPOSED
            && inner.composed.len() < MOST_COMPOSED
            && inner.composed.insert(restored.to_owned());
        if is_new {
            inner.unknown.push(Known {
                value: restored.to_owned(),
                replacement: written.to_owned(),
                pieces: Pieces::Ignored,
            });
        }
    }

    /// The placeholders of this session that a value has, in its strings and in the names of its
    /// fields.
    pub(crate) fn placeholders_in(&self, value: &Value) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        if !self.is_empty() {
            each_string(value, &mut |text| {
                let places = placeholder::find(text).map(|place| &text[place]);
                let known = places.filter(|it| self.original(it).is_some());
                found.extend(known.map(str::to_owned));
            });
        }
        found
    }

    /// The text with every original that is known in the place of its placeholder.
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_empty() || placeholder::find(text).next().is_none() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(placeholder::replace(text, |it| self.exposed(it)))
    }

    /// The same in every string of a value, the names of fields too.
    pub fn restore_value(&self, value: &mut Value) {
        if !self.is_empty() {
            change_strings(value, &mut |text| {
                if let Cow::Owned(restored) = self.restore(text) {
                    *text = restored;
                }
            });
        }
    }

    /// The original's own letters.
    pub fn exposed(&self, placeholder: &str) -> Option<String> {
        let original = self.original(placeholder)?;
        Some(original.value.expose_secret().to_owned())
    }

    pub(crate) fn downgrade(&self) -> WeakVault {
        WeakVault(Arc::downgrade(&self.0))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Every change is whole before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What it holds is nobody's to print.
impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault")
    }
}

impl WeakVault {
    pub(crate) fn upgrade(&self) -> Option<Vault> {
        self.0.upgrade().map(Vault)
    }
}

fn known(value: &str, placeholder: &str) -> Known {
    Known {
        value: value.to_owned(),
        replacement: placeholder.to_owned(),
        pieces: Pieces::Searched,
    }
}

/// Every string of a value, the names of fields too.
fn each_string(value: &Value, each: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| each_string(item, each)),
        Value::Object(fields) => {
            for (name, value) in fields {
                each(name);
                each_string(value, each);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Changes every string of a value in its place, the names of fields too.
pub(crate) fn change_strings(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => {
            for item in items {
                change_strings(item, change);
            }
        }
        Value::Object(fields) => {
            let before = std::mem::take(fields);
            for (mut name, mut value) in before {
                change(&mut name);
                change_strings(&mut value, change);
                fields.insert(name, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether the key opens what is stored.
pub(super) fn opens(key: &SealKey, original: &SealedOriginal) -> bool {
    let place = place(original.sealed_for, &original.placeholder);
    key.open(&original.sealed, &place).is_some()
}

/// The same original, sealed with another key; none where no key opens it.
pub(super) fn sealed_anew(
    original: &SealedOriginal,
    keys: &[SealKey],
    key: &SealKey,
) -> Option<Sealed> {
    let place = place(original.sealed_for, &original.placeholder);
    let value = keys
        .iter()
        .find_map(|old| old.open(&original.sealed, &place))?;
    key.seal(value.expose_secret(), &place).ok()
}

/// What a seal is bound to.
fn place(session: Uuid, placeholder: &str) -> String {
    format!("{session} {placeholder}")
}

fn label_of(placeholder: &str) -> Option<&str> {
    let inside = placeholder.strip_prefix('[')?;
    inside.rsplit_once('_').map(|(label, _)| label)
}

#[cfg(test)]
mod tests;
