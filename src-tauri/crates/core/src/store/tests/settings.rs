//! Settings that two Weirs change at the same moment.

use super::*;

async fn add(store: Store, word: String) {
    let add = move |stored: Option<String>| {
        let mut words = stored.unwrap_or_default();
        words.push_str(&word);
        Ok(Some(words))
    };
    assert!(store.update_setting("words", add).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_of_two_loses_what_the_other_sets() {
    const ROUNDS: usize = 50;
    let folder = tempfile::tempdir().unwrap();
    let stores = [open(folder.path()).await, open(folder.path()).await];
    for round in 0..ROUNDS {
        let [one, two] = stores.clone();
        let one = tokio::spawn(add(one, format!("a{round} ")));
        let two = tokio::spawn(add(two, format!("b{round} ")));
        one.await.unwrap();
        two.await.unwrap();
    }
    let words = stores[0].setting("words").await.unwrap().unwrap();
    let words: std::collections::BTreeSet<&str> = words.split_whitespace().collect();
    assert_eq!(words.len(), 2 * ROUNDS);

    // What is left as it is, is not written; what fails leaves it.
    let nothing = stores[0].update_setting("words", |_| Ok(None));
    assert!(!nothing.await.unwrap());
    let failed = stores[0].update_setting("words", |_| Err(StoreError::NoTurn));
    assert!(failed.await.is_err());
    let after = stores[1].setting("words").await.unwrap().unwrap();
    assert_eq!(after.split_whitespace().count(), 2 * ROUNDS);
}
