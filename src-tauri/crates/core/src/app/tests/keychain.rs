//! Originals and a keychain that answers late, refuses, or is written by two at once: what was
//! sealed meanwhile is sealed anew, and opens after a restart.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::prompt;
use crate::app::App;
use crate::publish::{Published, Publisher};
use crate::redact::Keeper;
use crate::secret::{Keychain, MemoryKeychain, Secrets, TEST_HANGS};
use crate::store::{Store, TakenFrom};

/// A Weir's part that keeps originals, over a store of its own folder.
struct Weir {
    store: Store,
    secrets: Arc<Secrets>,
    publisher: Arc<Publisher>,
    keeper: Keeper,
}

impl Weir {
    /// One that waits for an answer, however slow the machine is.
    fn new(store: &Store, keychain: &Arc<MemoryKeychain>) -> Self {
        Self::glancing(store, keychain, TEST_HANGS)
    }

    fn glancing(store: &Store, keychain: &Arc<MemoryKeychain>, glance: Duration) -> Self {
        let keychain = Arc::clone(keychain) as Arc<dyn Keychain>;
        let secrets = Arc::new(Secrets::with_glance(keychain, glance));
        let publisher = Arc::<Publisher>::default();
        let keeper = Keeper::new(store.clone(), Arc::clone(&secrets), Arc::clone(&publisher));
        Self {
            store: store.clone(),
            secrets,
            publisher,
            keeper,
        }
    }

    /// Takes a value out of a session and stores it.
    async fn keep(&self, session: Uuid, value: &str) {
        let vault = self.keeper.vault(session).await.unwrap();
        vault.take_out("WORD", value, TakenFrom::Input);
        self.keeper.keep(session, &vault).await.unwrap();
    }

    /// Waits until what is stored opens with the keychain's key.
    async fn until_settled(&self, session: Uuid, keychain: &Arc<MemoryKeychain>) {
        loop {
            let after = Self::new(&self.store, keychain);
            if after.keeper.vault(session).await.unwrap().is_open() {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// What a Weir that starts later restores.
async fn later(store: &Store, keychain: &Arc<MemoryKeychain>, session: Uuid, text: &str) -> String {
    let weir = Weir::new(store, keychain);
    let vault = weir.keeper.vault(session).await.unwrap();
    vault.restore(text).into_owned()
}

/// An app with a session in it.
async fn app(folder: &Path) -> (Arc<App>, Uuid) {
    let keychain = Arc::new(MemoryKeychain::default()) as Arc<dyn Keychain>;
    let app = App::open(folder.to_owned(), keychain).await.unwrap().0;
    let session = app.send(prompt("fast")).await.unwrap();
    app.wait(session).await;
    (app, session)
}

#[tokio::test]
async fn a_keychain_that_answers_late_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (app, session) = app(folder.path()).await;
    let keychain = Arc::new(MemoryKeychain::default());
    // It does not answer before it is told to, so how long it is waited for is no matter.
    let weir = Weir::glancing(app.store(), &keychain, Duration::from_millis(1));
    let mut published = weir.publisher.subscribe();
    keychain.keep_waiting();
    weir.keep(session, "first").await;
    weir.keep(session, "second").await;
    // A fork that is made meanwhile has the same.
    let fork = app.fork(session, None).await.unwrap().id;
    keychain.answer();
    weir.until_settled(session, &keychain).await;
    weir.until_settled(fork, &keychain).await;
    weir.keep(session, "third").await;
    for (session, expected) in [
        (session, "first second third"),
        (fork, "first second [WORD_3]"),
    ] {
        let restored = later(
            app.store(),
            &keychain,
            session,
            "[WORD_1] [WORD_2] [WORD_3]",
        )
        .await;
        assert_eq!(restored, expected);
    }
    let mut told = 0;
    while let Ok(Published::Notice(notice)) = published.try_recv() {
        assert!(notice.message.contains("until Weir closes"), "{notice:?}");
        told += 1;
    }
    assert_eq!(told, 1, "the user is told once");
}

#[tokio::test]
async fn a_keychain_that_refused_is_asked_again_before_weir_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (app, session) = app(folder.path()).await;
    let keychain = Arc::new(MemoryKeychain::locked());
    let weir = Weir::new(app.store(), &keychain);
    weir.keep(session, "canary").await;
    assert_eq!(
        later(app.store(), &keychain, session, "[WORD_1]").await,
        "[WORD_1]"
    );
    keychain.unlock();
    weir.keeper.close().await;
    assert_eq!(
        later(app.store(), &keychain, session, "[WORD_1]").await,
        "canary"
    );
}

#[tokio::test]
async fn two_that_make_a_key_at_once_end_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let (app, session) = app(folder.path()).await;
    let other = app.fork(session, None).await.unwrap().id;
    let keychain = Arc::new(MemoryKeychain::default());
    let weirs = [0, 1].map(|_| Weir::new(app.store(), &keychain));
    for (weir, session) in weirs.iter().zip([session, other]) {
        // Each looks before the other has written.
        keychain.show_nothing(1);
        weir.keep(session, "canary").await;
    }
    let made = weirs[0].secrets.stored_redaction_key().unwrap();
    let kept = weirs[1].secrets.stored_redaction_key().unwrap();
    assert!(!made.is_same(&kept));
    for weir in &weirs {
        weir.keeper.close().await;
    }
    for session in [session, other] {
        assert_eq!(
            later(app.store(), &keychain, session, "[WORD_1]").await,
            "canary"
        );
    }
}

/// However slow the machine is: only a keychain that never answers is given up.
#[tokio::test]
async fn closing_waits_for_a_keychain_that_answers_late() {
    let folder = tempfile::tempdir().unwrap();
    let (app, session) = app(folder.path()).await;
    let keychain = Arc::new(MemoryKeychain::default());
    keychain.keep_waiting();
    let weir = Weir::glancing(app.store(), &keychain, Duration::from_millis(1));
    weir.keep(session, "canary").await;
    let mut closing = std::pin::pin!(weir.keeper.close());
    tokio::time::pause();
    tokio::select! {
        biased;
        () = &mut closing => panic!("it did not wait"),
        () = tokio::time::sleep(Duration::from_secs(15)) => {}
    }
    tokio::time::resume();
    keychain.answer();
    closing.await;
    assert_eq!(
        later(app.store(), &keychain, session, "[WORD_1]").await,
        "canary"
    );
}
