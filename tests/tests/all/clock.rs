//! A clock that is wrong by decades: nothing panics, and everything is kept.
//!
//! The program's clock is set by a small library that is loaded before any other, built here with
//! the compiler that also links the tests.

#![cfg(target_os = "linux")]

use std::path::PathBuf;

use weir_tests::Sandbox;
use weir_tests::events::{kinds, session};

/// Adds seconds to what the clock of the day says.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, now);
    const char *shift = getenv("CLOCK_SHIFT");
    if (!failed && id == CLOCK_REALTIME && shift) now->tv_sec += atoll(shift);
    return failed;
}
"#;

fn library(sandbox: &Sandbox) -> PathBuf {
    let (source, library) = (
        sandbox.root().join("clock.c"),
        sandbox.root().join("clock.so"),
    );
    std::fs::write(&source, SOURCE).unwrap();
    let mut compiler = sandbox.command("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]);
    compiler.arg(&library).arg(&source).arg("-ldl");
    assert!(compiler.status().unwrap().success());
    library
}

const YEAR: i64 = 365 * 24 * 60 * 60;

#[test]
fn no_clock_makes_weir_panic() {
    // Years from now: 1926, about the year 0, 2226, past 9999, and as far as the type goes.
    let shifts = [
        -100 * YEAR,
        -2_030 * YEAR,
        200 * YEAR,
        9_000 * YEAR,
        i64::MAX / 4,
        i64::MIN / 4,
    ];
    let (sandbox, elsewhere) = (Sandbox::new(), Sandbox::new());
    let library = library(&sandbox);
    let before = sandbox
        .weir(&["chat", "--json", "hello fast"])
        .run()
        .code(0);
    let mut known = vec![session(&before.events())];
    for shift in shifts {
        let weir = |arguments: &[&str]| {
            let weir = sandbox.weir(arguments);
            let weir = weir.env("LD_PRELOAD", library.to_str().unwrap());
            let outcome = weir.env("CLOCK_SHIFT", &shift.to_string()).run();
            assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
            outcome.code(0)
        };
        let turn = weir(&["chat", "--json", "everything fast"]).events();
        assert_eq!(kinds(&turn).last(), Some(&"complete"), "{shift}");
        let moment = turn[0]["timestamp"].as_str().unwrap();
        let year: i64 = moment[..4].parse().unwrap();
        assert!((1970..=9998).contains(&year), "{shift}: {moment}");
        known.push(session(&turn));
        // A session goes on, whatever the clock was when it began.
        weir(&["chat", "--session", &known[0], "and more fast"]);
        let listed = weir(&["sessions", "--json"]).events();
        assert_eq!(listed.len(), known.len(), "{shift}");
        weir(&["usage", "--by", "day"]);
        weir(&["budget", "list"]);
        weir(&["doctor", "--rebuild"]);
        // A certificate cannot be checked then; that is said, and is no panic either.
        let asked = elsewhere.weir(&["chat", "--source", "anthropic", "hello"]);
        let asked = asked.env("LD_PRELOAD", library.to_str().unwrap());
        let asked = asked.env("CLOCK_SHIFT", &shift.to_string());
        let asked = asked.env("ANTHROPIC_API_KEY", "none").run();
        assert!(!asked.stderr.contains("panicked"), "{}", asked.stderr);
    }
    // And back in the present nothing is lost.
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    let mut ids: Vec<_> = listed.iter().filter_map(|it| it["id"].as_str()).collect();
    ids.sort_unstable();
    known.sort_unstable();
    assert_eq!(ids, known);
}
