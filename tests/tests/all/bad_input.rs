//! What cannot be done is refused with one clear sentence and the right exit code, and
//! nothing that was there is lost.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use weir_tests::events::{content, of_kind, session};
use weir_tests::{Canary, Lock, Sandbox, files};

/// A place with one session in it, and that session's id.
fn lived_in(sandbox: &Sandbox) -> String {
    let turn = sandbox.weir(&["chat", "--json", "remember me fast"]).run();
    session(&turn.code(0).events())
}

fn check_still_there(sandbox: &Sandbox, id: &str) {
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    let ids: Vec<&str> = listed
        .iter()
        .filter_map(|line| line["id"].as_str())
        .collect();
    assert_eq!(ids, [id], "the session from before, and no other");
}

#[test]
fn what_cannot_be_asked_is_refused_before_it_is_saved() {
    let sandbox = Sandbox::new();
    let id = lived_in(&sandbox);
    let nobody = "00000000-0000-7000-8000-000000000000";
    let calls: [(&[&str], &str, i32, &str); 7] = [
        (&["chat", ""], "", 2, "empty"),
        (&["chat", " \n\t "], "", 2, "empty"),
        (&["chat", "-"], "", 2, "empty"),
        (&["chat", "--source", "oracle", "hello"], "", 2, "oracle"),
        (&["chat", "--source", "anthropic", "hello"], "", 1, "key"),
        (&["chat", "--session", nobody, "hello"], "", 1, "session"),
        (
            &[
                "chat",
                "--source",
                "anthropic",
                "--base-url",
                "file:///etc/passwd",
                "hello",
            ],
            "",
            2,
            "http",
        ),
    ];
    for (arguments, input, code, word) in calls {
        let call = sandbox.weir(arguments).input(input).run().code(code);
        let sentence = call.sentence().to_lowercase();
        assert!(sentence.contains(word), "{arguments:?}: {sentence}");
        assert_eq!(call.stdout, "", "{arguments:?}");
        check_still_there(&sandbox, &id);
    }
}

#[test]
fn a_refusal_is_an_error_event_too() {
    let sandbox = Sandbox::new();
    let call = sandbox.weir(&["chat", "--json", ""]).run().code(2);
    let [event] = &call.events()[..] else {
        panic!("one event: {}", call.stdout);
    };
    assert_eq!(event["type"], "error");
    assert_eq!(event["error"]["code"], "bad_input");
    assert_eq!(event["error"]["message"], call.sentence());
}

#[test]
fn two_megabytes_of_prompt_are_refused_or_kept_whole() {
    let sandbox = Sandbox::new();
    let id = lived_in(&sandbox);
    let prompt = "fast ".repeat(2 * 1024 * 1024 / 5);
    let call = sandbox.weir(&["chat", "--json", "-"]).input(&prompt).run();
    if call.stderr.is_empty() {
        let events = call.code(0).events();
        assert_eq!(
            content(of_kind(&events, "user_message")[0]).trim(),
            prompt.trim()
        );
    } else {
        call.code(2).sentence();
        check_still_there(&sandbox, &id);
    }
}

#[test]
fn a_prompt_that_is_no_text_is_refused() {
    let sandbox = Sandbox::new();
    let call = sandbox
        .weir(&["chat", "-"])
        .input(b"\xff\xfe\x00text")
        .run();
    assert!(call.code(2).sentence().contains("UTF-8"));
}

#[test]
fn without_a_keychain_a_key_is_refused_and_not_written() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let set = sandbox.weir(&["keys", "set", "anthropic"]);
    let set = set.input(canary.key()).run().code(1);
    assert!(set.sentence().to_lowercase().contains("keychain"));
    canary.check_absent_from_text("stderr", &set.stderr);
    canary.check_absent_below(sandbox.root());
}

#[test]
fn a_locked_keychain_is_one_sentence() {
    let sandbox = Sandbox::with_keychain(Lock::Locked);
    let canary = Canary::new();
    let set = sandbox.weir(&["keys", "set", "anthropic"]);
    let set = set.input(canary.key()).run().code(1);
    assert!(set.sentence().to_lowercase().contains("keychain"));
    canary.check_absent_from_text("stderr", &set.stderr);
    canary.check_absent_below(sandbox.root());
    let ask = sandbox
        .weir(&["chat", "--source", "anthropic", "hello"])
        .run();
    ask.code(1).sentence();
    sandbox
        .weir(&["chat", "the demo needs no key fast"])
        .run()
        .code(0);
}

#[test]
fn a_folder_that_cannot_be_written_is_one_sentence() {
    let sandbox = Sandbox::new();
    let id = lived_in(&sandbox);
    if is_root() {
        // Permissions do not bind root: another user is asked, of a program it can reach.
        let reachable = sandbox.root().join("weir");
        std::fs::copy(weir_tests::weir::program("weir"), &reachable).unwrap();
        for (path, mode) in [
            (sandbox.root(), 0o755),
            (&sandbox.data(), 0o555),
            (&sandbox.home(), 0o555),
        ] {
            set_mode(path, mode);
        }
        set_mode(&reachable, 0o755);
        for file in files::below(&sandbox.data()) {
            set_mode(&file, 0o444);
        }
        let call = sandbox
            .weir(&["chat", "hello fast"])
            .as_nobody(&sandbox, &reachable);
        check_refused(&call.run().code(1), &sandbox.data());
    } else {
        set_mode(&sandbox.data(), 0o555);
        let call = sandbox.weir(&["chat", "hello fast"]).run();
        set_mode(&sandbox.data(), 0o755);
        check_refused(&call.code(1), &sandbox.data());
    }
    // Here even root may write nothing.
    let call = sandbox.weir(&["--data-dir", "/proc/weir", "chat", "hello fast"]);
    check_refused(&call.run().code(1), Path::new("/proc/weir"));
    set_mode(&sandbox.data(), 0o755);
    for file in files::below(&sandbox.data()) {
        set_mode(&file, 0o644);
    }
    check_still_there(&sandbox, &id);
}

fn check_refused(call: &weir_tests::Outcome, folder: &Path) {
    let sentence = call.sentence();
    let folder = folder.to_str().unwrap();
    assert!(sentence.contains(folder), "names the folder: {sentence}");
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
