//! Keys in the environment serve Weir and reach nobody else; files are closed to other users.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use serde_json::json;
use weir_tests::process::{self, Signal};
use weir_tests::{Canary, Part, Reply, Sandbox, Server, files, sse};

/// Names that Weir reads, and names that are none of its business but look like secrets.
pub(crate) const NAMES: [&str; 11] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "VERTEXAI_CREDENTIALS",
    "GITHUB_TOKEN",
    "DATABASE_PASSWORD",
];

/// Panics when a process has the key in its environment, and when that cannot be seen.
pub(crate) fn check_unseen(canary: &Canary, id: u32) {
    let name = process::name(id);
    let variables = process::environment(id);
    // Only one that hides it may hide it: Weir itself, from anybody but root.
    let hidden = variables.is_none() && name.starts_with("weir");
    assert!(variables.is_some() || hidden, "{name} is looked at");
    if let Some(variables) = &variables {
        let is_whole = variables.iter().any(|it| it.starts_with(b"HOME="));
        assert!(is_whole, "{name} runs and is looked at");
    }
    for variable in variables.unwrap_or_default() {
        canary.check_absent_from_text(&name, &String::from_utf8_lossy(&variable));
    }
}

/// Panics unless a process leaves no core dump.
pub(crate) fn check_no_core(id: u32) {
    let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let words: Vec<&str> = core.unwrap().split_whitespace().collect();
    assert_eq!(words[4..6], ["0", "0"], "{} {core:?}", process::name(id));
}

#[test]
fn a_key_from_the_environment_serves_and_is_not_in_it_any_more() {
    let mut sandbox = Sandbox::new();
    let canary = Canary::new();
    for name in NAMES {
        sandbox.set_variable(name, canary.key());
    }
    sandbox.set_variable("OTHER", &format!("key is {}", canary.key()));
    let folder = sandbox.home().join("project");
    std::fs::create_dir_all(folder.join(".claude")).unwrap();
    let command = format!("env > '{}'", sandbox.home().join("hook").display());
    let hook = json!({"type": "command", "command": command});
    let settings = json!({"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}});
    std::fs::write(folder.join(".claude/settings.json"), settings.to_string()).unwrap();
    let folder = folder.to_str().unwrap();
    sandbox.weir(&["trust", "--yes", folder]).run().code(0);

    let reply = sse::reply("Hm.", "seal", "Yes.");
    let server = Server::start([Reply::Stream(vec![Part::Send(reply)])]);
    let url = server.url();
    let source = ["--source", "anthropic", "--base-url", &url];
    let chat = [
        &["chat", "--json", "--project", folder],
        &source[..],
        &["Why?"],
    ]
    .concat();
    sandbox.weir(&chat).run().code(0);
    assert_eq!(server.requests()[0].header("x-api-key"), canary.key());
    let turn = sandbox.weir(&["chat", "--json", "long"]).start();
    turn.wait_until("a chunk", |output| output.contains("_chunk"));
    check_unseen(&canary, turn.id());
    check_no_core(turn.id());
    turn.signal(Signal::KILL);
    drop(turn);
    let hook = std::fs::read_to_string(sandbox.home().join("hook")).unwrap();
    assert!(hook.contains("HOME="), "{hook}");
    canary.check_absent_from_text("a hook", &hook);
    canary.check_absent_below(sandbox.root());
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Panics when anything below a folder, or it itself, is open to others.
pub(crate) fn check_private(folder: &Path) {
    for path in files::below(folder)
        .iter()
        .map(AsRef::as_ref)
        .chain([folder])
    {
        assert_eq!(
            mode(path) & 0o077,
            0,
            "{} is {:o}",
            path.display(),
            mode(path)
        );
    }
}

#[test]
fn a_data_folder_is_closed_to_others_and_so_is_all_that_is_written() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.data()).unwrap();
    set_mode(&sandbox.data(), 0o777);
    let chat = sandbox
        .weir(&["chat", "--json", "hello fast"])
        .run()
        .code(0);
    let id = weir_tests::events::session(&chat.events());
    check_private(&sandbox.data());

    // As an earlier version, or a copy, may have left it; a Weir that runs has all its files.
    let running = sandbox.weir(&["chat", "--json", "long"]).start();
    running.wait_until("a chunk", |output| output.contains("_chunk"));
    for path in files::below(&sandbox.data()) {
        set_mode(&path, 0o666);
    }
    set_mode(&sandbox.data(), 0o755);
    sandbox.weir(&["sessions"]).run().code(0);
    let of_the_running = sandbox.data().join("owners");
    for path in files::below(&sandbox.data()) {
        let is_empty = path.starts_with(&of_the_running);
        assert!(is_empty || mode(&path) == 0o600, "{}", path.display());
    }
    assert_eq!(mode(&sandbox.data()), 0o700);
    running.signal(Signal::INT);
    running.finish().code(130);

    let export = sandbox.root().join("export.md");
    std::fs::write(&export, "older").unwrap();
    set_mode(&export, 0o644);
    let path = export.to_str().unwrap();
    let export_to = ["export", &id, "--to", "md", "-o", path];
    sandbox.weir(&export_to).run().code(0);
    assert_eq!(mode(&export), 0o600);
    assert!(std::fs::read_to_string(&export).unwrap().contains("hello"));
    let backup = sandbox.root().join("backup.db");
    sandbox
        .weir(&["backup", backup.to_str().unwrap()])
        .run()
        .code(0);
    assert_eq!(mode(&backup), 0o600);
    // A pipe or a device is written to, and stays one.
    sandbox
        .weir(&["export", &id, "--to", "md", "-o", "/dev/null"])
        .run()
        .code(0);
    assert!(!Path::new("/dev/null").is_file());
}

#[test]
fn a_folder_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        // Only root can give a folder away.
        return;
    }
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.data()).unwrap();
    std::os::unix::fs::chown(sandbox.data(), Some(65534), Some(65534)).unwrap();
    set_mode(&sandbox.data(), 0o777);
    let refused = sandbox.weir(&["chat", "hello fast"]).run().code(1);
    let sentence = refused.sentence();
    assert!(sentence.contains("belongs to another user"), "{sentence}");
    assert_eq!(mode(&sandbox.data()), 0o777, "it is left as it is");
    // So is one that a link leads to.
    let link = sandbox.root().join("link");
    std::os::unix::fs::symlink(sandbox.data(), &link).unwrap();
    let path = link.to_str().unwrap();
    let refused = sandbox
        .weir(&["--data-dir", path, "chat", "hello fast"])
        .run();
    assert!(
        refused
            .code(1)
            .sentence()
            .contains("belongs to another user")
    );
    assert!(files::below(&sandbox.data()).is_empty());
}

#[test]
fn a_folder_that_others_share_stays_open_and_the_files_do_not() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.data()).unwrap();
    set_mode(&sandbox.data(), 0o755);
    std::fs::set_permissions(sandbox.data(), std::fs::Permissions::from_mode(0o1777)).unwrap();
    let chat = sandbox.weir(&["chat", "hello fast"]).run().code(0);
    assert!(
        chat.stderr.contains("Others can look into"),
        "{}",
        chat.stderr
    );
    let left = std::fs::metadata(sandbox.data()).unwrap().mode() & 0o7777;
    assert_eq!(left, 0o1777);
    for path in files::below(&sandbox.data()) {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
}
