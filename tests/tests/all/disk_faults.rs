//! A disk that fails or is full, at writes of chance: what was acknowledged is durable, what is
//! durable was attempted, old sessions are as they were, and the user is told.

use serde_json::Value;
use weir_tests::Sandbox;
use weir_tests::chance::{pick, seed, times, try_all};
use weir_tests::events::{
    check_kept, check_sequence, content, kind, of_kind, session, shown_blocks,
};

const AT_ONCE: u64 = 6;
const PROMPT: &str = "think code list fast";

/// What the system calls on the database's files answer, from the chosen one on or once.
struct Fault {
    name: &'static str,
    calls: &'static str,
    error: &'static str,
    /// Which of those calls fails first: one among these.
    among: std::ops::Range<u64>,
}

const FAULTS: [Fault; 2] = [
    Fault {
        name: "fsync EIO",
        calls: "fsync,fdatasync",
        error: "EIO",
        among: 1..8,
    },
    Fault {
        name: "ENOSPC",
        calls: "write,pwrite64,pwritev,ftruncate,fallocate",
        error: "ENOSPC",
        among: 1..70,
    },
];

/// `WEIR_DISK_FAULTS` says how often; `WEIR_DISK_SEED` repeats a run that failed.
#[test]
fn a_failing_disk_loses_nothing_acknowledged() {
    let faults = times("WEIR_DISK_FAULTS", 40);
    let seed = seed("WEIR_DISK_SEED");
    let whole = {
        let sandbox = Sandbox::new();
        let turn = sandbox.weir(&["chat", "--json", PROMPT]).run().code(0);
        turn.events()
    };
    let whole = std::sync::Arc::new(whole);
    let outcomes = try_all(faults, AT_ONCE, move |number| {
        fail_once(seed, number, &whole)
    });
    for fault in FAULTS {
        let of_kind = outcomes.iter().filter(|it| it.fault == fault.name);
        let (all, told) = (
            of_kind.clone().count(),
            of_kind.clone().filter(|it| it.told),
        );
        let acknowledged: usize = of_kind.clone().map(|it| it.acknowledged).sum();
        println!(
            "{}: {all} times, {} of which the user was told of; {acknowledged} acknowledged events, 0 lost",
            fault.name,
            told.count()
        );
    }
    let told = outcomes.iter().filter(|it| it.told).count() as u64;
    assert!(
        told > faults / 2,
        "most faults hit a write: {told} of {faults}"
    );
    let midway = outcomes.iter().filter(|it| it.told && it.acknowledged > 1);
    assert!(midway.count() as u64 > faults / 8, "some in mid-stream");
}

struct Outcome {
    fault: &'static str,
    told: bool,
    acknowledged: usize,
}

fn fail_once(seed: u64, number: u64, whole: &[Value]) -> Outcome {
    let fault = &FAULTS[usize::try_from(number).unwrap() % FAULTS.len()];
    let first = pick(seed, number, fault.among.clone());
    // A disk that stays full or broken, and one that fails once.
    let when = match pick(seed, number + 1_000_000, 0..2) {
        0 => format!("{first}+"),
        _ => format!("{first}"),
    };
    let attempt = format!("{} at call {when}", fault.name);
    let sandbox = Sandbox::new();
    let old = sandbox.weir(&["chat", "--json", "remember me fast"]).run();
    let old_session = session(&old.code(0).events());
    let old = sandbox.weir(&["events", &old_session]).run().code(0).stdout;

    let database = sandbox.database().display().to_string();
    let inject = format!("inject={}:error={}:when={when}", fault.calls, fault.error);
    let trace = format!("trace={}", fault.calls);
    let wal = format!("{database}-wal");
    let watched = ["-f", "-qq", "-o", "/dev/null", "-P", &database, "-P", &wal];
    let strace = [&watched[..], &["-e", &trace, "-e", &inject]].concat();
    let turn = sandbox
        .weir(&["chat", "--json", PROMPT])
        .under(&sandbox, "strace", &strace)
        .run();
    let acknowledged: Vec<Value> = turn.events();
    let acknowledged: Vec<Value> = acknowledged
        .into_iter()
        // How the command failed is said to the script, not stored.
        .filter(|event| event["sessionId"].is_string())
        .collect();
    let told = !turn.stderr.is_empty();
    if told {
        let failed = turn.code(1);
        let sentence = failed.sentence();
        assert!(sentence.len() > 20, "{attempt}: {sentence}");
        assert!(
            failed.stdout.contains("\"error\""),
            "{attempt}: as an event too"
        );
    } else {
        turn.code(0);
        let last = acknowledged.last().map(kind);
        assert_eq!(last, Some("complete"), "{attempt}: silence means success");
    }

    // The disk is well again.
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0);
    let listed = listed.events();
    let now = sandbox.weir(&["events", &old_session]).run().code(0).stdout;
    assert_eq!(old, now, "{attempt}: the old session is as it was");
    let new: Vec<&Value> = listed
        .iter()
        .filter(|line| line["id"] != old_session.as_str())
        .collect();
    assert!(new.len() <= 1, "{attempt}: {new:?}");
    match new.first() {
        None => assert!(acknowledged.is_empty(), "{attempt}: a session was lost"),
        Some(line) => {
            let id = line["id"].as_str().unwrap();
            let durable = sandbox.weir(&["events", id]).run().code(0).events();
            check_kept(&acknowledged, &durable);
            check_attempted(&attempt, &durable, whole);
        }
    }
    let report = sandbox.weir(&["doctor", "--json"]).run().code(0).json();
    assert_eq!(report["database"]["damage"], Value::Null, "{attempt}");
    Outcome {
        fault: fault.name,
        told,
        acknowledged: acknowledged.len(),
    }
}

/// What is durable is a start of what the whole turn would have said, and perhaps an end that
/// says what happened.
fn check_attempted(attempt: &str, durable: &[Value], whole: &[Value]) {
    check_sequence(durable);
    for name in ["thinking", "message"] {
        let text = |events: &[Value]| -> String {
            of_kind(events, name)
                .iter()
                .map(|event| content(event))
                .collect()
        };
        let (kept, said) = (text(durable), text(whole));
        assert!(
            said.starts_with(&kept),
            "{attempt}: {kept:?} was never said"
        );
    }
    let blocks = shown_blocks(whole).len() + 6;
    assert!(durable.len() <= blocks, "{attempt}: nothing twice");
}
