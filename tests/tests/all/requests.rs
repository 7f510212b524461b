//! Every request that Weir builds, for every source in the table: judged by the types of the
//! providers' official packages, and equal to committed snapshots.
//!
//! The real engine asks a server on loopback that answers in the source's own dialect, so a
//! request is what a provider would get. A new row of `SOURCES` is covered without a change here;
//! one with a new dialect needs its stream in `weir_tests::steps` and its type in
//! `tests/peers/validate_requests.py`.
//!
//! `WEIR_WRITE_SNAPSHOTS=1` writes the snapshots anew; read their diff before you commit it.

mod conversation;
mod judge;
mod known;
mod options;
mod scenarios;
mod snapshots;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::Value;
use weir_core::source::{SOURCES, Source, catalogue};
use weir_tests::server::Request;

use snapshots::Snapshot;

/// One request of one case.
struct Captured {
    /// Which case, for a reader: `anthropic/tool_loop, request 2`.
    name: String,
    source: &'static Source,
    request: Request,
}

/// All that is asked, and what of it is committed.
#[derive(Default)]
struct Capture {
    requests: Vec<Captured>,
    snapshots: Vec<Snapshot>,
    /// The words for how hard to think that each default model of a source was ever sent.
    levels: BTreeMap<(&'static str, String), BTreeSet<String>>,
}

/// The sources that ask a server.
fn over_http() -> impl Iterator<Item = &'static Source> {
    let sources = SOURCES.iter().copied();
    sources.filter(|source| !source.base_url.is_empty())
}

/// Asked once, for all tests of this module.
fn capture() -> &'static Capture {
    static CAPTURE: OnceLock<Capture> = OnceLock::new();
    CAPTURE.get_or_init(|| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(scenarios::run())
    })
}

#[test]
fn the_official_types_accept_every_request() {
    let requests = &capture().requests;
    let found = judge::problems(requests);
    let sources: BTreeSet<_> = requests.iter().map(|one| one.source.name).collect();
    println!(
        "{} requests of {} sources judged",
        requests.len(),
        sources.len()
    );
    let unknown = known::unknown(&found);
    assert!(unknown.is_empty(), "\n{}", unknown.join("\n"));
    let unneeded = known::unneeded(&found);
    assert!(
        unneeded.is_empty(),
        "fixed, so take it out of the known violations:\n{}",
        unneeded.join("\n")
    );
}

#[test]
fn requests_equal_their_committed_snapshots() {
    snapshots::check(&capture().snapshots);
}

/// What the catalogue says of a model is what its requests say.
#[test]
fn levels_of_effort_agree_with_the_catalogue() {
    // This server takes every word, and translates it for the model behind it.
    const TRANSLATES: &str = "openrouter";
    let levels = &capture().levels;
    assert!(levels.len() > 40, "every default model: {}", levels.len());
    for ((source, model), sent) in levels {
        if *source == TRANSLATES {
            continue;
        }
        let Some(known) = catalogue::model(source, model) else {
            panic!("{source} {model} is not in the catalogue");
        };
        let listed: BTreeSet<String> = known
            .efforts
            .iter()
            .map(|effort| effort.as_str().to_owned())
            .collect();
        assert_eq!(*sent, listed, "{source} {model}");
    }
}

#[test]
fn the_judges_refuse_broken_requests() {
    judge::self_test();
}

/// The items of the conversation in a body, whatever its dialect calls them.
fn conversation(body: &Value) -> (&'static str, &[Value]) {
    let named = weir_tests::provider::CONVERSATION.iter().find_map(|name| {
        let items = body[name].as_array()?;
        Some((*name, items.as_slice()))
    });
    named.expect("a body has a conversation")
}
