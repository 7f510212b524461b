//! A keychain in memory: the twin that tests script.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use secrecy::SecretString;

use super::{Keychain, KeychainError};

#[derive(Default)]
pub struct MemoryKeychain {
    state: Mutex<State>,
    answers: Condvar,
}

#[derive(Default)]
struct State {
    entries: HashMap<String, SecretString>,
    mood: Mood,
    refusals: u32,
    /// So many looks find nothing.
    blind: u32,
}

#[derive(Default, PartialEq, Eq)]
enum Mood {
    #[default]
    Open,
    /// Refuses so many times more.
    Refuses(u32),
    Locked,
    /// As where there is no keychain at all.
    Missing,
    /// Waits for a person, and answers nobody until it is told to.
    Waits,
    /// The same, and shows no sign of life.
    Hangs,
}

impl MemoryKeychain {
    /// One that refuses everything.
    pub fn locked() -> Self {
        let keychain = Self::default();
        keychain.state().mood = Mood::Locked;
        keychain
    }

    /// As where there is none at all.
    pub fn missing() -> Self {
        let keychain = Self::default();
        keychain.state().mood = Mood::Missing;
        keychain
    }

    /// Refuses the next so many questions.
    pub fn refuse(&self, times: u32) {
        self.state().mood = Mood::Refuses(times);
    }

    pub fn unlock(&self) {
        self.state().mood = Mood::Open;
    }

    /// Lets everybody who asks wait.
    pub fn keep_waiting(&self) {
        self.state().mood = Mood::Waits;
    }

    /// As [`Self::keep_waiting`], without any sign of life.
    pub fn hang(&self) {
        self.state().mood = Mood::Hangs;
    }

    /// Answers those who wait.
    pub fn answer(&self) {
        self.state().mood = Mood::Open;
        self.answers.notify_all();
    }

    /// Has nothing for the next so many who look: somebody else writes after that.
    pub fn show_nothing(&self, times: u32) {
        self.state().blind = times;
    }

    /// How many questions were refused.
    pub fn refusals(&self) -> u32 {
        self.state().refusals
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> Result<MutexGuard<'_, State>, KeychainError> {
        let waits = |state: &mut State| matches!(state.mood, Mood::Waits | Mood::Hangs);
        let open = self.answers.wait_while(self.state(), waits);
        let mut open = open.unwrap_or_else(PoisonError::into_inner);
        let mood = match open.mood {
            Mood::Open | Mood::Waits | Mood::Hangs | Mood::Refuses(0) => return Ok(open),
            Mood::Refuses(times) => Mood::Refuses(times - 1),
            Mood::Locked => Mood::Locked,
            Mood::Missing => return Err(KeychainError::Missing("there is none.".into())),
        };
        open.mood = mood;
        open.refusals += 1;
        Err(KeychainError::Refused("it is locked.".into()))
    }
}

impl Keychain for MemoryKeychain {
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeychainError> {
        let mut open = self.open()?;
        if open.blind > 0 {
            open.blind -= 1;
            return Ok(None);
        }
        Ok(open.entries.get(name).cloned())
    }

    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeychainError> {
        self.open()?.entries.insert(name.to_owned(), secret.clone());
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<(), KeychainError> {
        self.open()?.entries.remove(name);
        Ok(())
    }

    fn is_alive(&self) -> bool {
        self.state().mood != Mood::Hangs
    }
}
