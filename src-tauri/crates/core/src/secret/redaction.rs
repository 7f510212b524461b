//! The key that seals what guards take out of texts: one random key in an entry of its own.
//!
//! Invariants: it is in the keychain or in memory until Weir ends, and nowhere else. No reply
//! waits for a keychain longer than a glance: meanwhile a key for this run seals, and the
//! question goes on. An answer that comes late is taken all the same, and who was refused asks
//! again later; [`crate::redact`] then seals anew what this run's key has sealed.
//!
//! Two Weirs that make a key at the same time end with the one that the keychain holds: who made
//! one looks again ([`Secrets::confirm_redaction_key`]), and the loser takes the other's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use secrecy::ExposeSecret;
use tokio::sync::Notify;
use tokio::time::{Duration, Instant};

use super::seal::SealKey;
use super::{Keychain, KeychainError, Secrets};

const ACCOUNT: &str = "redaction";
/// A keychain that refused is left alone for so long.
const REST: Duration = Duration::from_secs(20);

/// What is known of the key so far.
#[derive(Default)]
pub(super) struct Held {
    state: Mutex<State>,
    /// A question was answered.
    answered: Notify,
}

#[derive(Default)]
struct State {
    stored: Option<SealKey>,
    /// The stored key was made here, and another Weir's may have taken its place.
    is_unconfirmed: bool,
    this_run: Option<SealKey>,
    /// Keys that were made here and are in no keychain.
    lost: Vec<SealKey>,
    question: Question,
    is_told: bool,
}

#[derive(Default)]
enum Question {
    #[default]
    Unasked,
    UnderWay,
    Refused {
        at: Instant,
        error: KeychainError,
    },
}

/// How long what the key seals can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    InKeychain,
    /// With why the keychain does not keep it; `is_news` the first time it is told.
    ThisRun {
        reason: String,
        is_news: bool,
    },
}

#[derive(Clone)]
pub struct RedactionKey {
    pub key: SealKey,
    pub kept: Kept,
}

/// Whether the keychain still holds the key that was made here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// It does, or it was not made here, or nobody can say.
    Same,
    /// Another Weir's took its place, and is used from now on.
    Another,
}

impl Secrets {
    /// The key to seal with. Never fails: without a keychain there is one for this run. Only the
    /// first question is waited for, and no longer than a glance.
    pub async fn redaction_key(&self) -> RedactionKey {
        let is_first = matches!(self.held().question, Question::Unasked);
        if self.redaction.stored().is_none() {
            let answered = self.ask_for_redaction_key();
            if is_first {
                let glance = self.questions.glance(self.glance);
                let _ = tokio::time::timeout(glance, answered).await;
            }
        }
        let mut held = self.held();
        if let Some(key) = held.stored.clone() {
            return RedactionKey {
                key,
                kept: Kept::InKeychain,
            };
        }
        let reason = match &held.question {
            Question::Refused { error, .. } => error.to_string(),
            Question::Unasked | Question::UnderWay => KeychainError::Silent.to_string(),
        };
        let is_news = !std::mem::replace(&mut held.is_told, true);
        let key = held.this_run.get_or_insert_with(|| SealKey::generate().0);
        RedactionKey {
            key: key.clone(),
            kept: Kept::ThisRun { reason, is_news },
        }
    }

    /// The key, if the keychain is known to hold it.
    pub fn stored_redaction_key(&self) -> Option<SealKey> {
        self.redaction.stored()
    }

    /// The keys that sealed in this run and are not in the keychain.
    pub fn loose_redaction_keys(&self) -> Vec<SealKey> {
        let held = self.held();
        held.this_run.iter().chain(&held.lost).cloned().collect()
    }

    /// Asks the keychain for the key, or for room for a new one, unless it is being asked or was
    /// asked a moment ago; and waits for the answer that is under way, however late it is.
    pub async fn await_redaction_key(&self) -> Result<(), KeychainError> {
        self.ask_for_redaction_key().await;
        let held = self.held();
        match &held.question {
            _ if held.stored.is_some() => Ok(()),
            Question::Refused { error, .. } => Err(error.clone()),
            Question::Unasked | Question::UnderWay => Err(KeychainError::Silent),
        }
    }

    /// Whether the key was made here and another Weir's may have taken its place.
    pub fn is_redaction_key_unconfirmed(&self) -> bool {
        self.held().is_unconfirmed
    }

    /// Long enough after it was made: nobody writes another any more.
    pub fn trust_redaction_key(&self) {
        self.held().is_unconfirmed = false;
    }

    /// The same without regard to when it refused.
    pub async fn insist_on_redaction_key(&self) {
        if let question @ Question::Refused { .. } = &mut self.held().question {
            *question = Question::Unasked;
        }
        let answered = self.ask_for_redaction_key();
        let _ = tokio::time::timeout(self.last_answer, answered).await;
    }

    /// Looks whether the keychain still holds the key that was made here.
    pub async fn confirm_redaction_key(&self) -> Confirmed {
        let made = {
            let held = self.held();
            held.stored.clone().filter(|_| held.is_unconfirmed)
        };
        let Some(made) = made else {
            return Confirmed::Same;
        };
        match self.ask(self.last_answer, get).await {
            Ok(Some(kept)) if !kept.is_same(&made) => {
                let mut held = self.held();
                held.stored = Some(kept);
                held.is_unconfirmed = false;
                held.lost.push(made);
                Confirmed::Another
            }
            Ok(_) | Err(_) => Confirmed::Same,
        }
    }

    /// Begins a question where one is due. Waiting for what is given back is waiting for the
    /// answer; nobody has to.
    fn ask_for_redaction_key(&self) -> impl Future<Output = ()> + use<> {
        let redaction = Arc::clone(&self.redaction);
        let is_under_way = {
            let mut held = self.held();
            let is_due = match &held.question {
                Question::Unasked => true,
                Question::UnderWay => false,
                Question::Refused { at, .. } => at.elapsed() >= REST,
            };
            if is_due && held.stored.is_none() {
                held.question = Question::UnderWay;
                let (keychain, redaction) = (Arc::clone(&self.keychain), Arc::clone(&redaction));
                // On a thread of its own, for it may wait for a person.
                std::thread::spawn(move || redaction.answer(get_or_make(keychain.as_ref())));
            }
            matches!(held.question, Question::UnderWay)
        };
        async move {
            if !is_under_way {
                return;
            }
            loop {
                let answered = redaction.answered.notified();
                tokio::pin!(answered);
                answered.as_mut().enable();
                if !matches!(redaction.state().question, Question::UnderWay) {
                    return;
                }
                answered.await;
            }
        }
    }

    /// The keys that may open what was sealed, this run's last. Makes none, and says why the
    /// keychain gave none.
    pub async fn opening_keys(&self) -> (Vec<SealKey>, Option<KeychainError>) {
        let known = self.redaction.stored().is_some();
        let mut why = None;
        if !known {
            match self.ask(self.glance, get).await {
                Ok(Some(key)) => self.held().stored = Some(key),
                Ok(None) => {}
                Err(error) => why = Some(error),
            }
        }
        let held = self.held();
        let keys = held.stored.iter().chain(&held.this_run).chain(&held.lost);
        (keys.cloned().collect(), why)
    }

    fn held(&self) -> MutexGuard<'_, State> {
        self.redaction.state()
    }
}

impl Held {
    fn state(&self) -> MutexGuard<'_, State> {
        // Finished values are whole even if somebody panicked while holding them.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stored(&self) -> Option<SealKey> {
        self.state().stored.clone()
    }

    fn answer(&self, answer: Result<(SealKey, Origin), KeychainError>) {
        let mut state = self.state();
        match answer {
            Ok((key, origin)) => {
                state.question = Question::Unasked;
                if state.stored.is_none() {
                    state.stored = Some(key);
                    state.is_unconfirmed = origin == Origin::Made;
                }
            }
            Err(error) => {
                let at = Instant::now();
                state.question = Question::Refused { at, error };
            }
        }
        drop(state);
        self.answered.notify_waiters();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Found,
    Made,
}

fn get(keychain: &dyn Keychain) -> Result<Option<SealKey>, KeychainError> {
    Ok(keychain.get(ACCOUNT)?.as_ref().and_then(SealKey::read))
}

/// What is there is never written over: older values are sealed with it.
fn get_or_make(keychain: &dyn Keychain) -> Result<(SealKey, Origin), KeychainError> {
    if let Some(written) = keychain.get(ACCOUNT)? {
        let odd = || KeychainError::Refused("its entry for redaction is no key of Weir's.".into());
        let key = SealKey::read(&written).ok_or_else(odd)?;
        return Ok((key, Origin::Found));
    }
    let (_, written) = SealKey::generate();
    keychain.set(ACCOUNT, &written)?;
    // Another Weir may have written one in the same instant: the one that stays counts.
    let kept = match keychain.get(ACCOUNT)? {
        Some(kept) if !kept.expose_secret().is_empty() => SealKey::read(&kept),
        Some(_) | None => None,
    };
    let lost = || KeychainError::Refused("it did not keep what it was given.".into());
    Ok((kept.ok_or_else(lost)?, Origin::Made))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{MemoryKeychain, TEST_HANGS};
    use super::*;

    /// One that waits for an answer, however slow the machine is.
    fn patient(keychain: Arc<dyn Keychain>) -> Secrets {
        Secrets::with_glance(keychain, TEST_HANGS)
    }

    #[tokio::test]
    async fn one_key_stays_in_the_keychain() {
        let keychain = Arc::new(MemoryKeychain::default());
        let first = patient(Arc::clone(&keychain) as Arc<dyn Keychain>);
        assert!(
            first.opening_keys().await.0.is_empty(),
            "looking makes no key"
        );
        let made = first.redaction_key().await;
        assert_eq!(made.kept, Kept::InKeychain);
        let sealed = made.key.seal("canary", "here").unwrap();
        let later = patient(keychain);
        let (keys, why) = later.opening_keys().await;
        assert_eq!((keys.len(), why), (1, None));
        assert!(keys[0].open(&sealed, "here").is_some());
        let again = later.redaction_key().await;
        assert!(again.key.open(&sealed, "here").is_some());
    }

    #[tokio::test]
    async fn without_a_keychain_there_is_a_key_for_this_run_and_it_is_told_once() {
        let secrets = patient(Arc::new(MemoryKeychain::locked()));
        let made = secrets.redaction_key().await;
        assert!(matches!(made.kept, Kept::ThisRun { is_news: true, .. }));
        let again = secrets.redaction_key().await;
        assert!(matches!(again.kept, Kept::ThisRun { is_news: false, .. }));
        let sealed = made.key.seal("canary", "here").unwrap();
        assert!(again.key.open(&sealed, "here").is_some());
        let (keys, why) = secrets.opening_keys().await;
        assert_eq!(keys.len(), 1);
        assert!(why.is_some());
    }

    #[tokio::test]
    async fn an_answer_that_comes_late_is_taken() {
        let keychain = Arc::new(MemoryKeychain::default());
        let keychain_of = Arc::clone(&keychain) as Arc<dyn Keychain>;
        // It does not answer before it is told to, so how long it is waited for is no matter.
        let secrets = Secrets::with_glance(keychain_of, Duration::from_millis(1));
        keychain.keep_waiting();
        let meanwhile = secrets.redaction_key().await;
        assert!(matches!(
            meanwhile.kept,
            Kept::ThisRun { is_news: true, .. }
        ));
        assert!(secrets.stored_redaction_key().is_none());
        let late = secrets.await_redaction_key();
        keychain.answer();
        late.await.unwrap();
        let key = secrets.redaction_key().await;
        assert_eq!(key.kept, Kept::InKeychain);
        assert!(!key.key.is_same(&meanwhile.key));
        assert_eq!(secrets.loose_redaction_keys().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_keychain_that_refused_is_asked_again_after_a_rest() {
        let keychain = Arc::new(MemoryKeychain::default());
        let secrets = patient(Arc::clone(&keychain) as Arc<dyn Keychain>);
        keychain.refuse(2);
        let _ = secrets.await_redaction_key().await;
        let _ = secrets.await_redaction_key().await;
        assert_eq!(keychain.refusals(), 1, "it is not asked again at once");
        for stored in [false, true] {
            tokio::time::advance(REST * 2).await;
            let _ = secrets.await_redaction_key().await;
            assert_eq!(secrets.stored_redaction_key().is_some(), stored);
        }
    }

    #[tokio::test]
    async fn of_two_that_make_a_key_at_once_one_stays() {
        let keychain = Arc::new(MemoryKeychain::default());
        let weirs = [0, 1].map(|_| patient(Arc::clone(&keychain) as Arc<dyn Keychain>));
        // Both look before either writes.
        keychain.show_nothing(1);
        let first = weirs[0].redaction_key().await.key;
        keychain.show_nothing(1);
        let second = weirs[1].redaction_key().await.key;
        assert!(!first.is_same(&second));
        assert_eq!(weirs[0].confirm_redaction_key().await, Confirmed::Another);
        assert_eq!(weirs[1].confirm_redaction_key().await, Confirmed::Same);
        let after = weirs[0].redaction_key().await.key;
        assert!(after.is_same(&second));
        assert!(weirs[0].loose_redaction_keys()[0].is_same(&first));
    }

    #[tokio::test]
    async fn an_entry_that_is_no_key_is_left_alone() {
        let keychain = Arc::new(MemoryKeychain::default());
        keychain.set(ACCOUNT, &"not a key".into()).unwrap();
        let secrets = patient(Arc::clone(&keychain) as Arc<dyn Keychain>);
        let made = secrets.redaction_key().await;
        assert!(matches!(made.kept, Kept::ThisRun { .. }));
        let kept = keychain.get(ACCOUNT).unwrap().unwrap();
        assert_eq!(kept.expose_secret(), "not a key");
    }
}
