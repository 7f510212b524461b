//! Nothing shown is ever lost: fifty kills in the middle of a reply, at moments of chance.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use weir_tests::Place;
use weir_tests::events::{
    block_key, check_sequence, content, kind, of_kind, order, session, shown_blocks, stored,
};
use weir_tests::process::Signal;

const KILLS: u64 = 50;
const AT_ONCE: u64 = 10;

/// Between the first output and the kill.
const EARLIEST_MS: u64 = 50;
const LATEST_MS: u64 = 3000;

#[test]
fn fifty_kills_lose_nothing() {
    // Another one each time; WEIR_CRASH_SEED repeats one that failed.
    let seed = std::env::var("WEIR_CRASH_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or_else(|| RandomState::new().build_hasher().finish());
    println!("WEIR_CRASH_SEED={seed}");

    let mut figures = Figures::default();
    for batch in 0..KILLS / AT_ONCE {
        let kills = (0..AT_ONCE).map(|place| {
            let moment = moment(seed, batch * AT_ONCE + place);
            std::thread::spawn(move || kill_once(moment))
        });
        // All are under way before the first one is waited for.
        let kills: Vec<_> = kills.collect();
        for kill in kills {
            figures.add(&kill.join().unwrap());
        }
    }
    println!(
        "{} kills: {} chunks ({} bytes) were shown, 0 lost",
        figures.kills, figures.chunks, figures.bytes
    );
    assert_eq!(figures.kills, KILLS);
    assert!(figures.chunks > KILLS, "the kills fell into the replies");
}

#[derive(Default)]
struct Figures {
    kills: u64,
    chunks: u64,
    bytes: usize,
}

impl Figures {
    fn add(&mut self, one: &Self) {
        self.kills += one.kills;
        self.chunks += one.chunks;
        self.bytes += one.bytes;
    }
}

fn kill_once(moment: Duration) -> Figures {
    let place = Place::new();
    let turn = place.weir(&["chat", "--json", "long"]).start();
    turn.wait_until("the first output", |output| output.contains('\n'));
    // Not waiting for anything: the moment itself is what is tried.
    std::thread::sleep(moment);
    turn.signal(Signal::KILL);
    let shown = turn.finish().events();
    let id = session(&shown);

    let kept = place.weir(&["events", &id]).run().code(0).events();
    check_sequence(&kept);
    let told = stored(&shown);
    assert_eq!(kept[..told.len()], told, "what was stored stays");
    for (key, (name, text)) in shown_blocks(&shown) {
        let block = of_kind(&kept, &name);
        let block = block.iter().find(|event| block_key(event) == key);
        let block = block.unwrap_or_else(|| panic!("lost after {moment:?}: {name} {key:?}"));
        // A tool's finished input is JSON, of which a cut one is kept as the text it was.
        if name != "tool_use" || block["input"].is_string() {
            let whole = block["input"].as_str().unwrap_or(content(block));
            assert!(
                whole.starts_with(&text),
                "lost after {moment:?}: {text:?} is no start of {whole:?}"
            );
        }
    }
    let last = kept.last().unwrap();
    assert_eq!(kind(last), "error", "after {moment:?}: {:?}", order(&kept));
    assert_eq!(last["error"]["code"], "interrupted");
    let listed = place.weir(&["sessions", "--json"]).run().code(0).events();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["status"], "interrupted");

    let again = place.weir(&["events", &id]).run().code(0).events();
    assert_eq!(again, kept, "recovery happens once");
    let chunks = shown.len() - told.len();
    Figures {
        kills: 1,
        chunks: u64::try_from(chunks).unwrap(),
        bytes: shown_blocks(&shown)
            .values()
            .map(|(_, text)| text.len())
            .sum(),
    }
}

/// The kill's moment by splitmix64, so that a seed says everything.
fn moment(seed: u64, kill: u64) -> Duration {
    let mut mixed = seed.wrapping_add((kill + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    Duration::from_millis(EARLIEST_MS + mixed % (LATEST_MS - EARLIEST_MS))
}
