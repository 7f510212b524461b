//! Output guards do not stall a stream: what a source has sent is shown while the stream is
//! silent, but for a bounded piece at its end.
//!
//! A server sends a text word by word. It sends the next word only when all but the last
//! [`BOUND`] characters of what it sent are published, so a guard that holds back more stops the
//! stream, however fast the machine is. Times are printed and never asserted.

mod texts;

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use weir_tests::events::{content, kind, of_kind, parse};
use weir_tests::paced::{Pace, PacedServer};
use weir_tests::{Canary, Sandbox};

use texts::{Text, texts};

/// How many characters may be held back from where a candidate began.
const BOUND: usize = 64;

/// A stream that stands still for so long hangs, on however busy a machine.
const STALLED: Duration = Duration::from_secs(60);
/// How long the server stays silent now and then to see what is still held back.
const SILENCE: Duration = Duration::from_millis(150);
/// After so many words.
const SILENT_EVERY: usize = 20;

/// How much is visible, since when.
#[derive(Default)]
struct Visible {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What was read of an event that has not ended yet.
    line: String,
    characters: usize,
    /// When there were how many.
    times: Vec<(Instant, usize)>,
}

impl Visible {
    fn read(&self, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap();
        state.line.push_str(std::str::from_utf8(bytes).unwrap());
        let Some(end) = state.line.rfind('\n') else {
            return;
        };
        let rest = state.line.split_off(end + 1);
        let lines = std::mem::replace(&mut state.line, rest);
        let chunks = parse(&lines);
        let chunks = chunks.iter().filter(|event| kind(event) == "message_chunk");
        state.characters += chunks
            .map(|event| content(event).chars().count())
            .sum::<usize>();
        let now = (Instant::now(), state.characters);
        state.times.push(now);
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until so many characters are visible, and returns how many are after `limit`.
    fn wait(&self, characters: usize, limit: Duration) -> usize {
        let state = self.state.lock().unwrap();
        let waiting = |state: &mut State| state.characters < characters;
        let waited = self.changed.wait_timeout_while(state, limit, waiting);
        waited.unwrap().0.characters
    }
}

/// What one kind of text came to.
struct Outcome {
    name: &'static str,
    /// The most that was held back at a moment at which nothing was sent.
    stalled: Option<usize>,
    /// What was held back in each silence.
    held: Vec<usize>,
    lags: Vec<Duration>,
}

#[test]
fn what_is_held_back_is_bounded_for_every_kind_of_text() {
    let texts = texts();
    assert!(texts.len() >= 12);
    let runs: Vec<_> = texts
        .into_iter()
        .enumerate()
        .map(|(index, text)| {
            let pace = [Pace::Anthropic, Pace::OpenAiChat][index % 2];
            std::thread::spawn(move || run(text, pace))
        })
        .collect();
    let outcomes: Vec<Outcome> = runs.into_iter().map(|run| run.join().unwrap()).collect();
    println!("kind          words   p50 ms   p95 ms   max ms   held: p50   max");
    for outcome in &outcomes {
        println!("{}", outcome.row());
    }
    let wrong: Vec<String> = outcomes
        .iter()
        .filter_map(|outcome| Some((outcome.name, outcome.stalled?)))
        .map(|(name, held)| format!("{name}: {held} characters are held back, of {BOUND} at most"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn run(text: Text, pace: Pace) -> Outcome {
    let name = text.name;
    let ends: Vec<usize> = text
        .words
        .iter()
        .scan(0, |end, word| {
            *end += word.chars().count();
            Some(*end)
        })
        .collect();
    let visible = Arc::<Visible>::default();
    let found = Arc::new(Mutex::new((None, Vec::new())));
    let server = {
        let (visible, found, ends) = (Arc::clone(&visible), Arc::clone(&found), ends.clone());
        PacedServer::start(pace, text.words.clone(), move |count| {
            let sent = ends[count - 1];
            let mut found = found.lock().unwrap();
            let (stalled, held) = &mut *found;
            if stalled.is_none() {
                let shown = visible.wait(sent.saturating_sub(BOUND), STALLED);
                if sent - shown.min(sent) > BOUND {
                    *stalled = Some(sent - shown);
                }
            }
            if count % SILENT_EVERY == 0 {
                held.push(sent - visible.wait(sent, SILENCE).min(sent));
            }
        })
    };
    let sandbox = Sandbox::new();
    let url = server.url();
    let observer = Arc::clone(&visible);
    // Another one in each run: what may become a key depends on the key.
    let key = Canary::new();
    let arguments = [
        "chat",
        "--json",
        "--source",
        pace.source(),
        "--model",
        "some-model",
        "--base-url",
        &url,
        "Go on.",
    ];
    let weir = sandbox
        .weir(&arguments)
        .env("ANTHROPIC_API_KEY", key.key())
        .env("OPENAI_API_KEY", key.key())
        .observe(move |bytes| observer.read(bytes));
    let events: Vec<Value> = weir.run().code(0).events();
    let times = server.finish();
    let said = content(of_kind(&events, "message")[0]);
    assert_eq!(said, text.words.concat(), "{name}: nothing in it is found");
    let (stalled, held) = std::mem::take(&mut *found.lock().unwrap());
    let state = visible.state.lock().unwrap();
    let lags = ends.iter().zip(times).map(|(end, sent)| {
        let shown = state.times.iter().find(|(_, shown)| shown >= end);
        let shown = shown.map_or(sent, |(at, _)| *at);
        shown.saturating_duration_since(sent)
    });
    Outcome {
        name,
        stalled,
        held,
        lags: lags.collect(),
    }
}

impl Outcome {
    fn row(&self) -> String {
        let mut lags = self.lags.clone();
        lags.sort_unstable();
        let mut held = self.held.clone();
        held.sort_unstable();
        let milliseconds = |part| at(&lags, part).map_or(0, |lag| lag.as_millis());
        format!(
            "{:<12} {:>6} {:>8} {:>8} {:>8} {:>11} {:>5}",
            self.name,
            lags.len(),
            milliseconds(50),
            milliseconds(95),
            milliseconds(100),
            at(&held, 50).unwrap_or_default(),
            self.stalled
                .into_iter()
                .chain(held)
                .max()
                .unwrap_or_default(),
        )
    }
}

/// The value below which so many in a hundred are.
fn at<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get(last * percent / 100).copied()
}
