//! Nothing shown is ever lost: kills in the middle of a reply, at moments of chance.

use std::time::Duration;

use weir_tests::Sandbox;
use weir_tests::chance::{pick, seed, times, try_all};
use weir_tests::events::{check_kept, check_told, kind, order, session, shown_blocks, stored};
use weir_tests::process::Signal;

const AT_ONCE: u64 = 10;

/// Milliseconds between what is waited for and the kill.
const MOMENTS: std::ops::Range<u64> = 0..500;

/// `WEIR_KILLS` says how often; `WEIR_CRASH_SEED` repeats a run that failed.
#[test]
fn two_hundred_kills_lose_nothing() {
    let kills = times("WEIR_KILLS", 200);
    let seed = seed("WEIR_CRASH_SEED");
    let killed = try_all(kills, AT_ONCE, move |kill| {
        // Most of them while the reply streams, some while it is asked for.
        let after = if kill % 8 == 0 { "\n" } else { "_chunk" };
        kill_once(after, Duration::from_millis(pick(seed, kill, MOMENTS)))
    });
    let sum = |of: fn(&Figures) -> usize| killed.iter().map(of).sum::<usize>();
    let [told, chunks, bytes] = [sum(|it| it.told), sum(|it| it.chunks), sum(|it| it.bytes)];
    println!(
        "{kills} kills: of {told} published events ({chunks} chunks with {bytes} bytes) 0 lost, 0 gaps, 0 duplicates"
    );
    let in_the_reply = killed.iter().filter(|it| it.chunks > 0).count();
    assert!(
        in_the_reply as u64 > kills / 2,
        "{in_the_reply} of the kills fell into the replies"
    );
}

struct Figures {
    told: usize,
    chunks: usize,
    bytes: usize,
}

fn kill_once(after: &str, moment: Duration) -> Figures {
    let sandbox = Sandbox::new();
    let turn = sandbox.weir(&["chat", "--json", "long"]).start();
    turn.wait_until("the first of it", |output| output.contains(after));
    // Not waiting for anything: the moment itself is what is tried.
    std::thread::sleep(moment);
    turn.signal(Signal::KILL);
    let shown = turn.finish().events();
    let id = session(&shown);
    check_told(&shown);

    let kept = sandbox.weir(&["events", &id]).run().code(0).events();
    check_kept(&shown, &kept);
    let last = kept.last().unwrap();
    assert_eq!(kind(last), "error", "after {moment:?}: {:?}", order(&kept));
    assert_eq!(last["error"]["code"], "interrupted");
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["status"], "interrupted");

    let again = sandbox.weir(&["events", &id]).run().code(0).events();
    assert_eq!(again, kept, "recovery happens once");
    Figures {
        told: shown.len(),
        chunks: shown.len() - stored(&shown).len(),
        bytes: shown_blocks(&shown)
            .values()
            .map(|(_, text)| text.len())
            .sum(),
    }
}
