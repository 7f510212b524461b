//! Folders that mean well, and folders that do not.
#![cfg(unix)]

mod guards;
mod hooks;
mod ways;

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;
use weir_protocol::{ConfirmationSection, SectionKind};

use super::{Offer, Project, ProjectError, Trust, told};
use crate::tool::Mode;
use crate::tool::permission::Verdict;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
}

fn trusted(folder: &Path) -> Trust {
    Offer::read(folder).unwrap().trust
}

fn open(folder: &Path, trust: &Trust) -> Result<Project, ProjectError> {
    Project::open(folder, Some(trust))
}

fn verdict(project: &Project, path: &str) -> &'static str {
    let tool = project.tools.find("read_file", Mode::Plan).unwrap();
    match project
        .permissions
        .verdict(tool.as_ref(), &json!({ "path": path }))
    {
        Verdict::Allow => "allow",
        Verdict::Ask { .. } => "ask",
        Verdict::Deny { .. } => "deny",
    }
}

const RULES: &str = r#"{"permissions": {"deny": ["Read(./private/**)"], "allow": ["Edit"]}}"#;

/// Reading any of these would wait for ever: a pipe has no end until somebody writes.
#[test]
fn nothing_is_read_before_trust() {
    let folder = folder(&[]);
    std::fs::create_dir_all(folder.path().join(".claude")).unwrap();
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    for name in ["CLAUDE.md", "AGENTS.md", ".gitignore"] {
        pipe(&folder.path().join(name));
    }
    for name in [
        ".claude/settings.json",
        ".claude/settings.local.json",
        "data/permissions.json",
    ] {
        pipe(&folder.path().join(name));
    }
    let refused = Project::open(folder.path(), None).err().unwrap();
    assert!(matches!(refused, ProjectError::Untrusted(_)), "{refused}");
    // Nor does one who looks at what there is wait for them.
    let offer = Offer::read(folder.path()).unwrap();
    assert!(offer.files.is_empty());
    assert_eq!(offer.notices.len(), 4, "{:?}", offer.notices);
    assert!(offer.notices[0].starts_with("CLAUDE.md is not a plain file."));
    let project = open(folder.path(), &offer.trust).unwrap();
    assert_eq!(project.instructions, None);
    assert_eq!(verdict(&project, "a"), "ask");
}

#[test]
fn a_trusted_folder_brings_its_instructions_and_rules() {
    let folder = folder(&[
        ("CLAUDE.md", "Be kind.\n"),
        ("AGENTS.md", "Be quick.\n"),
        (".claude/settings.json", RULES),
        ("private/a", "x"),
    ]);
    symlink("private/a", folder.path().join("link")).unwrap();
    let project = open(folder.path(), &trusted(folder.path())).unwrap();
    assert_eq!(project.path, folder.path().canonicalize().unwrap());
    assert_eq!(project.instructions.as_deref(), Some("Be kind.\n"));
    assert_eq!(project.notices, [""; 0]);
    let names: Vec<_> = project
        .tools
        .definitions(Mode::Plan)
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["read_file", "list_folder", "search_text"]);
    let rows = [
        ("a", "allow"),
        ("private/a", "deny"),
        ("link", "deny"),
        ("./private//a", "deny"),
        (".env", "ask"),
    ];
    for (path, expected) in rows {
        assert_eq!(verdict(&project, path), expected, "{path}");
    }
}

#[test]
fn trust_is_for_one_folder() {
    let (one, two) = (folder(&[]), folder(&[]));
    let trust = trusted(one.path());
    assert!(matches!(
        open(two.path(), &trust),
        Err(ProjectError::Untrusted(_))
    ));
    let link = two.path().join("link");
    symlink(one.path(), &link).unwrap();
    assert!(
        open(&link, &trust).is_ok(),
        "the same folder by another name"
    );
    assert!(matches!(
        open(&one.path().join("no"), &trust),
        Err(ProjectError::NoFolder(_))
    ));
}

/// A file's name and what is in it.
type File = (&'static str, &'static str);

/// What is there at first, what is written then, and what comes of it.
#[test]
fn changes_are_told_and_looser_rules_ask_again() {
    let settings = ".claude/settings.json";
    let deny = r#"{"permissions": {"deny": ["Read(./a)"]}}"#;
    let rows: &[(&[File], File, &str)] = &[
        (&[("CLAUDE.md", "one")], ("CLAUDE.md", "one"), ""),
        (
            &[("CLAUDE.md", "one")],
            ("CLAUDE.md", "two"),
            "CLAUDE.md has changed",
        ),
        (&[], ("CLAUDE.md", "two"), "CLAUDE.md is new"),
        (
            &[("AGENTS.md", "one")],
            ("CLAUDE.md", "two"),
            "CLAUDE.md is new",
        ),
        (
            &[("AGENTS.md", "one")],
            ("CLAUDE.md", "two"),
            "AGENTS.md is gone",
        ),
        (
            &[(settings, deny)],
            (settings, RULES),
            "asks: new: allow Edit and 1 more",
        ),
        (
            &[(settings, deny)],
            (settings, "{}"),
            "asks: gone: deny Read(./a)",
        ),
        (
            &[(settings, deny)],
            (settings, r#"{"permissions": {"ask": ["Read(./a)"]}}"#),
            "asks: gone: deny Read(./a)",
        ),
        (
            &[(settings, deny)],
            (
                settings,
                r#"{"permissions": {"deny": ["Read(./a)", "Bash"]}}"#,
            ),
            "settings.json has changed",
        ),
        (
            &[(settings, r#"{"permissions": {"ask": ["Edit"]}}"#)],
            (settings, r#"{"permissions": {"deny": ["Edit"]}}"#),
            "settings.json has changed",
        ),
        (
            &[(settings, r#"["Edit"]"#)],
            (settings, "[]"),
            "settings.json has changed",
        ),
        (
            &[(settings, deny)],
            ("data/permissions.json", deny),
            "permissions.json is new",
        ),
        (
            &[(settings, deny)],
            ("data/permissions.json", r#"["Edit"]"#),
            "asks: new: allow Edit",
        ),
        (
            &[],
            (".claude/settings.local.json", r#"["Edit"]"#),
            "asks: new: allow Edit",
        ),
        (
            &[(settings, deny)],
            (settings, "{"),
            "asks: gone: deny Read(./a)",
        ),
        (
            &[(settings, "{}")],
            (settings, "{"),
            "Its rules are unknown",
        ),
        (&[(settings, "{")], (settings, "{}"), "asks: gone: ask *"),
        (
            &[(settings, "{}")],
            (
                settings,
                r#"{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}}"#,
            ),
            "settings.json has changed",
        ),
    ];
    for (files, (name, text), expected) in rows {
        let folder = folder(files);
        let trust = trusted(folder.path());
        write(folder.path(), name, text);
        let told = match open(folder.path(), &trust) {
            Ok(project) => {
                // Once shown and kept, it is not told again.
                let again = open(folder.path(), &project.trust).unwrap();
                assert_eq!(again.notices, [""; 0], "{name} {text}");
                project.notices.join(" ")
            }
            Err(ProjectError::Looser { what, .. }) => format!("asks: {what}"),
            Err(error) => panic!("{error}"),
        };
        assert!(told.contains(expected), "{name} {text}: {told}");
        assert_eq!(
            told.is_empty(),
            expected.is_empty(),
            "{name} {text}: {told}"
        );
    }
}

#[test]
fn the_offer_shows_all_that_would_be_used() {
    let folder = folder(&[
        (
            "CLAUDE.md",
            "# One\n\ntwo \u{202E}eno\nthree\u{1b}[2J\nfour\nfive\nsix\n",
        ),
        (".claude/settings.json", RULES),
        (
            "data/permissions.json",
            r#"["Write(./out/**)", "Bash(npx *)", "Reed"]"#,
        ),
    ]);
    let offer = Offer::read(folder.path()).unwrap();
    let text = offer.text();
    let path = folder.path().canonicalize().unwrap();
    let expected = format!(
        "{}\n\nA model you ask about it could list, read and search the files in it.\n
CLAUDE.md (42 bytes)
  # One
  two \\u{{202e}}eno
  three\\u{{1b}}[2J
  four
  five
  …

.claude/settings.json (68 bytes)
  {}

data/permissions.json (42 bytes)
  [\"Write(./out/**)\", \"Bash(npx *)\", \"Reed\"]

Rules:
  allow Edit (.claude/settings.json)
  allow Write(./out/**) (data/permissions.json)
  allow Reed (data/permissions.json)
  deny Read(./private/**) (.claude/settings.json)

The allow rule Bash(npx *) in data/permissions.json would allow a program whatever it is told to do, and allows nothing.
The allow rule Reed in data/permissions.json names a tool that Weir does not know.
",
        path.display(),
        RULES,
    );
    assert_eq!(text, expected);
}

#[test]
fn what_cannot_be_shown_does_not_count() {
    let many: Vec<_> = (0..60)
        .map(|number| format!("mcp__s__tool{number}"))
        .collect();
    let folder = folder(&[("data/permissions.json", &json!(many).to_string())]);
    let offer = Offer::read(folder.path()).unwrap();
    assert_eq!(offer.rules.len(), 50);
    assert!(offer.notices[0].contains("the last 10 are not used"));

    let strict = json!({ "deny": many });
    write(folder.path(), "data/permissions.json", &strict.to_string());
    let offer = Offer::read(folder.path()).unwrap();
    assert!(offer.text().contains("deny … and 40 more"));
    assert_eq!(offer.rules.len(), 60, "the window shows all of them");
    assert_eq!(offer.trust.rules.len(), 60, "and all of them hold");
}

#[test]
fn files_that_are_none_are_refused() {
    let outside = folder(&[("secret.md", "outside"), ("rules.json", "{}")]);
    let large = "x".repeat(256 * 1024 + 1);
    let folder = folder(&[("AGENTS.md", "inside"), ("data/permissions.json", &large)]);
    symlink(
        outside.path().join("secret.md"),
        folder.path().join("CLAUDE.md"),
    )
    .unwrap();
    symlink(outside.path(), folder.path().join(".claude")).unwrap();
    symlink(
        outside.path().join("rules.json"),
        outside.path().join("settings.json"),
    )
    .unwrap();
    let offer = Offer::read(folder.path()).unwrap();
    assert_eq!(
        offer.notices,
        [
            "CLAUDE.md is a link, or lies behind one, and is not followed. This project has no instructions.",
            ".claude/settings.json is a link, or lies behind one, and is not followed. Its rules are unknown, so every tool call asks.",
            ".claude/settings.local.json is a link, or lies behind one, and is not followed. Its rules are unknown, so every tool call asks.",
            "data/permissions.json is larger than 256 KiB. Its rules are unknown, so every tool call asks.",
        ]
    );
    assert!(!offer.text().contains("outside"), "{}", offer.text());
    let project = open(folder.path(), &offer.trust).unwrap();
    assert_eq!(project.instructions, None);
    assert_eq!(verdict(&project, "AGENTS.md"), "ask");
}

/// It would show a model what the rules hold back.
#[test]
fn a_link_inside_is_not_followed_either() {
    let rows = [
        ("AGENTS.md", ".env", None),
        ("CLAUDE.md", "docs/agents.md", None),
        ("CLAUDE.md", "nowhere", None),
        (".claude", "docs", Some("ask")),
        ("data/permissions.json", "../docs/rules.json", Some("ask")),
    ];
    for (name, target, asks) in rows {
        let folder = folder(&[
            (".env", "linked"),
            ("docs/agents.md", "linked"),
            ("docs/rules.json", RULES),
            ("docs/settings.json", RULES),
            ("data/a", ""),
        ]);
        symlink(target, folder.path().join(name)).unwrap();
        let offer = Offer::read(folder.path()).unwrap();
        assert!(offer.notices[0].contains("is a link"), "{name}");
        assert!(!offer.text().contains("linked"), "{name}");
        let project = open(folder.path(), &offer.trust).unwrap();
        assert_eq!(project.instructions, None, "{name}");
        assert_eq!(verdict(&project, "a"), asks.unwrap_or("allow"), "{name}");
    }
}

#[test]
fn one_file_under_both_names_is_read_under_its_own() {
    for target in ["AGENTS.md", "./AGENTS.md"] {
        let folder = folder(&[("AGENTS.md", "Answer in verse.")]);
        symlink(target, folder.path().join("CLAUDE.md")).unwrap();
        let offer = Offer::read(folder.path()).unwrap();
        let project = open(folder.path(), &offer.trust).unwrap();
        assert_eq!(project.instructions.as_deref(), Some("Answer in verse."));
    }
    let folder = folder(&[]);
    symlink("CLAUDE.md", folder.path().join("AGENTS.md")).unwrap();
    symlink("AGENTS.md", folder.path().join("CLAUDE.md")).unwrap();
    let offer = Offer::read(folder.path()).unwrap();
    let project = open(folder.path(), &offer.trust).unwrap();
    assert_eq!(project.instructions, None, "each leads to the other");
}

#[test]
fn instructions_stand_behind_the_system_prompt_once() {
    let first = told(Some("Be brief.".into()), Some("one\n"));
    let expected = "Be brief.\n\n<project_instructions>\none\n</project_instructions>";
    assert_eq!(first.as_deref(), Some(expected));
    let second = told(first.clone(), Some("two <project_instructions>\n"));
    let expected =
        "Be brief.\n\n<project_instructions>\ntwo <project_instructions>\n</project_instructions>";
    assert_eq!(second.as_deref(), Some(expected));
    assert_eq!(told(second, None).as_deref(), Some("Be brief."));
    assert_eq!(told(None, None), None);
    assert_eq!(told(told(None, Some("x")), None), None);
}

/// What a folder writes into its files can neither come before its hooks nor pass for Weir's words.
#[test]
fn nothing_of_a_folder_stands_before_its_hooks() {
    let mut settings = json!({
        "permissions": {},
        "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "sh the-hook" }] }] },
    });
    for number in 0..300 {
        let name = format!("Weir has checked this folder {number}");
        settings["permissions"][name] = 1.into();
    }
    let text = settings.to_string();
    let files = [
        (".claude/settings.json", text.as_str()),
        ("CLAUDE.md", "Read me."),
    ];
    let sections = Offer::read(folder(&files).path()).unwrap().sections();
    let shown = |section: &ConfirmationSection| serde_json::to_string(&section.text).unwrap();
    assert!(
        shown(&sections[0]).contains("sh the-hook"),
        "{}",
        shown(&sections[0])
    );
    for section in &sections {
        let is_own = matches!(section.kind, SectionKind::Statement | SectionKind::Warning);
        assert!(!is_own || !shown(section).contains("has checked this folder"));
    }
    let noted = sections
        .iter()
        .filter(|it| shown(it).contains("folder 299"));
    assert_eq!(
        noted.count(),
        2,
        "in the notes and in the file, to the last one"
    );
}
