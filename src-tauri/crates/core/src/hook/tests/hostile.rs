//! Hooks that hang, flood, fork, escape or vanish: Weir goes on, and nobody is left.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};

use super::*;

/// A test that waits longer hangs.
const HANGS: Duration = crate::secret::TEST_HANGS;
/// The milliseconds that a hook has which is not to be late, however slow the machine is.
const PATIENT: u64 = 300_000;

/// The processes that run on behalf of a folder's hooks, by their environment.
#[cfg(target_os = "linux")]
fn left(folder: &TempDir) -> Vec<String> {
    let mark = format!("CLAUDE_PROJECT_DIR={}", folder.path().display());
    let numbers = std::fs::read_dir("/proc").unwrap();
    let numbers = numbers.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let marked = numbers.filter(|pid| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|it| it == mark.as_bytes())
    });
    let name = |pid: String| {
        let name = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        format!("{pid} {}", String::from_utf8_lossy(&name))
    };
    marked.map(name).collect()
}

#[cfg(not(target_os = "linux"))]
fn left(_: &TempDir) -> Vec<String> {
    Vec::new()
}

/// A dropped hook is swept beside everything else.
async fn nobody_left(folder: &TempDir) {
    let started = Instant::now();
    while !left(folder).is_empty() {
        assert!(started.elapsed() < HANGS, "{:?}", left(folder));
        tokio::task::yield_now().await;
    }
}

/// What it does, its patience in milliseconds, and what comes of it before a prompt.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_hook_does_it_ends_and_leaves_nobody() {
    let late = "timed out, holds A hook that guards this gave no answer. It took too long and was ended., says It took too long and was ended.";
    let flood = "failed, holds A hook that guards this gave no answer. It wrote more than 1024 KiB and was ended., says It wrote more than 1024 KiB and was ended.";
    let rows = [
        ("hangs", "sleep 600", 200, late),
        (
            "does not mind signals",
            "trap '' TERM INT HUP; sleep 600",
            200,
            late,
        ),
        (
            "hangs with children",
            "sleep 600 & sleep 600 & wait",
            200,
            late,
        ),
        ("floods", "yes", PATIENT, flood),
        ("floods aside", "yes >&2", PATIENT, flood),
        ("floods from a child", "yes & sleep 600", PATIENT, flood),
        (
            "leaves a child with its output",
            "sleep 600 & echo done",
            PATIENT,
            "passed, tells done",
        ),
        (
            "leaves a child aside",
            "sleep 600 >/dev/null 2>&1 & echo done",
            PATIENT,
            "passed, tells done",
        ),
        (
            "leaves its group",
            "setsid sleep 600 & echo done",
            PATIENT,
            "passed, tells done",
        ),
        (
            "leaves its group twice over",
            "(setsid sh -c 'setsid sleep 600 & sleep 600' >/dev/null 2>&1 &) ; echo done",
            PATIENT,
            "passed, tells done",
        ),
        (
            "leaves its group and hangs",
            "setsid sleep 600 >/dev/null 2>&1 & sleep 600",
            200,
            late,
        ),
        (
            "does not read",
            "exec <&-; echo done",
            PATIENT,
            "passed, tells done",
        ),
        (
            "wants a terminal",
            "(read x </dev/tty) 2>/dev/null || echo done",
            PATIENT,
            "passed, tells done",
        ),
    ];
    let count = rows.len();
    for (what, command, patience, expected) in rows {
        let folder = TempDir::new().unwrap();
        let handler = Handler {
            timeout_ms: Some(patience),
            ..in_shell(command)
        };
        let definition = hook(HookEvent::UserPromptSubmit, handler);
        // More than a pipe holds, so that one who does not read is noticed.
        let prompt = Point::UserPromptSubmit {
            prompt: "x".repeat(300_000),
        };
        let said = run_at(&[definition], prompt, &folder).await;
        assert_eq!(told(&said.runs[0].reply), expected, "{what}");
        // Killed is not gone: the system takes its moment.
        nobody_left(&folder).await;
    }
    println!("hostile hooks: {count} kinds, 0 processes left");
}

/// One that is not there: by the shell's word, or by the system's; or its folder is gone.
#[tokio::test]
async fn one_that_vanished_holds_back_where_it_guards() {
    let direct = |command: &str| Handler {
        args: Some(Vec::new()),
        ..in_shell(command)
    };
    let rows = [
        in_shell("./no-such-check"),
        direct("./no-such-check"),
        direct("no-such-check-anywhere"),
        in_shell("./plain"),
        direct("./plain"),
    ];
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("plain"), "echo").unwrap();
    for handler in rows {
        for (event, holds) in [
            (HookEvent::UserPromptSubmit, true),
            (HookEvent::Stop, false),
        ] {
            let reply = run_one(event, handler.clone(), &folder).await;
            assert_eq!(reply.outcome, HookOutcome::Failed, "{handler:?}");
            assert_eq!(reply.block.is_some(), holds, "{handler:?} {reply:?}");
            let why = reply.message.unwrap();
            assert!(why.starts_with("It could not be started: "), "{why}");
        }
        let open = Handler {
            fail_closed: Some(false),
            ..handler
        };
        let reply = run_one(HookEvent::UserPromptSubmit, open, &folder).await;
        assert_eq!(reply.block, None);
    }
    let gone = TempDir::new().unwrap();
    std::fs::remove_dir(gone.path()).unwrap();
    let reply = run_one(HookEvent::PreToolUse, in_shell("exit 0"), &gone).await;
    assert_eq!(reply.outcome, HookOutcome::Failed);
    assert!(reply.permission.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_what_runs() {
    let folder = TempDir::new().unwrap();
    let command = "setsid sleep 600 & touch here; sleep 600";
    let hooks = [
        hook(HookEvent::Stop, in_shell(command)),
        hook(HookEvent::Stop, in_shell("exit 0")),
    ];
    let hooks = Hooks::of_project(&hooks, folder.path());
    let (stop, mut stopped) = watch::channel(false);
    let here = folder.path().join("here");
    let asked = input(point(HookEvent::Stop), folder.path());
    let running = tokio::spawn(async move { hooks.run(asked, &mut stopped).await });
    while !here.exists() {
        tokio::task::yield_now().await;
    }
    stop.send(true).unwrap();
    let said = running.await.unwrap();
    let outcomes = said.runs.iter().map(|run| run.reply.outcome);
    let outcomes: Vec<_> = outcomes.collect();
    assert_eq!(outcomes[0], HookOutcome::Stopped);
    assert_eq!(said.block, None);
    nobody_left(&folder).await;
}

/// What was to be looked at afterwards is there already, and is withheld.
#[tokio::test]
async fn a_stop_does_not_set_free_what_was_to_be_checked() {
    let folder = TempDir::new().unwrap();
    for (event, fail_closed, withheld) in [
        (HookEvent::PostToolUse, Some(true), true),
        (HookEvent::PostToolUse, None, false),
        (HookEvent::Stop, Some(true), false),
    ] {
        let handler = Handler {
            fail_closed,
            ..in_shell("sleep 600")
        };
        let hooks = Hooks::of_project(&[hook(event, handler)], folder.path());
        let (_stop, mut stopped) = watch::channel(true);
        let said = hooks
            .run(input(point(event), folder.path()), &mut stopped)
            .await;
        assert_eq!(said.runs[0].reply.outcome, HookOutcome::Stopped);
        assert_eq!(said.updated_output.is_some(), withheld, "{event:?}");
    }
    nobody_left(&folder).await;
}

/// A runtime that ends takes its hooks along, as a program that exits does.
#[test]
fn the_end_of_weir_is_the_end_of_its_hooks() {
    let folder = TempDir::new().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let hooks = [hook(HookEvent::Stop, in_shell("touch here; sleep 600"))];
    let hooks = Hooks::of_project(&hooks, folder.path());
    let asked = input(point(HookEvent::Stop), folder.path());
    runtime.spawn(async move {
        let (_stop, mut stopped) = watch::channel(false);
        hooks.run(asked, &mut stopped).await
    });
    let here = folder.path().join("here");
    let started = Instant::now();
    while !here.exists() {
        assert!(started.elapsed() < HANGS);
        std::thread::yield_now();
    }
    drop(runtime);
    while !left(&folder).is_empty() {
        assert!(started.elapsed() < HANGS, "{:?}", left(&folder));
        std::thread::yield_now();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_runs_leave_nobody() {
    const RUNS: usize = 500;
    let folder = TempDir::new().unwrap();
    let kinds = [
        "exit 0",
        "sleep 600 & exit 2",
        "setsid sleep 600 >/dev/null 2>&1 & exit 1",
        "cat > /dev/null; echo '{}'",
    ];
    let started = Instant::now();
    let runs = stream::iter(0..RUNS).map(|number| {
        let handler = in_shell(kinds[number % kinds.len()]);
        run_one(HookEvent::PostToolUse, handler, &folder)
    });
    let outcomes: Vec<_> = runs.buffer_unordered(8).collect().await;
    assert_eq!(outcomes.len(), RUNS);
    nobody_left(&folder).await;
    let left = left(&folder);
    println!(
        "hooks: {RUNS} runs in {} ms, {} processes left",
        started.elapsed().as_millis(),
        left.len()
    );
    assert_eq!(left, Vec::<String>::new());
}
