//! The three tools, as a model calls them.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;

use serde_json::{Value, json};

use super::{FileError, Stop, blocking, file_tools};
use crate::tool::permission::{RuleFile, Rules, read_rules};
use crate::tool::root::Root;
use crate::tool::{LongLines, Mode, Tools};

struct Project {
    _folder: tempfile::TempDir,
    tools: Tools,
}

impl Project {
    fn new(files: &[(&str, &[u8])], rules: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        let root = Root::open(folder.path()).unwrap();
        let (rules, notices) = read_rules(RuleFile {
            name: "rules",
            text: &rules.to_string(),
            project: root.path(),
        });
        assert_eq!(notices, [""; 0]);
        let rules = Rules::new(root.path(), rules);
        Self {
            tools: Tools::new(file_tools(Arc::new(root), Arc::new(rules))),
            _folder: folder,
        }
    }

    fn path(&self) -> &Path {
        self._folder.path()
    }

    async fn call(&self, tool: &str, input: Value) -> (String, bool) {
        let tool = self.tools.find(tool, Mode::Plan).unwrap();
        let outcome = tool.run(input).await.shortened();
        (
            outcome.result.as_str().unwrap().to_owned(),
            outcome.is_error,
        )
    }

    async fn answer(&self, tool: &str, input: Value) -> String {
        let (text, is_error) = self.call(tool, input).await;
        assert!(!is_error, "{text}");
        text
    }

    async fn refusal(&self, tool: &str, input: Value) -> String {
        let (text, is_error) = self.call(tool, input).await;
        assert!(is_error, "{text}");
        text
    }
}

#[tokio::test]
async fn reads_lines_with_their_numbers() {
    let many: String = (1..=2_500).map(|line| format!("line {line}\n")).collect();
    let wide = "x".repeat(5_000);
    let project = Project::new(
        &[
            ("a.txt", b"one\r\ntwo\nthree"),
            ("bom.txt", b"\xEF\xBB\xBFone\n"),
            ("empty", b""),
            ("odd", b"caf\xE9\nok\n"),
            ("many", many.as_bytes()),
            ("wide", wide.as_bytes()),
            ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0"),
        ],
        &json!({}),
    );
    let rows = [
        (json!({"path": "a.txt"}), "1\tone\n2\ttwo\n3\tthree\n"),
        (json!({"path": "bom.txt"}), "1\tone\n"),
        (json!({"path": "a.txt", "offset": 2}), "2\ttwo\n3\tthree\n"),
        (
            json!({"path": "a.txt", "offset": 2, "limit": 1}),
            "2\ttwo\n[There is more. Go on with offset 3.]",
        ),
        (
            json!({"path": "a.txt", "offset": 9}),
            "[The file has 3 lines; there is no line 9.]",
        ),
        (json!({"path": "empty"}), "[The file is empty.]"),
        (json!({"path": "odd"}), "1\tcaf\u{FFFD}\n2\tok\n"),
    ];
    for (input, expected) in rows {
        assert_eq!(project.answer("read_file", input).await, expected);
    }
    let long = project.answer("read_file", json!({"path": "many"})).await;
    assert!(long.ends_with("2000\tline 2000\n[There is more. Go on with offset 2001.]"));
    let cut = project.answer("read_file", json!({"path": "wide"})).await;
    assert!(
        cut.ends_with("x [the line goes on: 5002 bytes]\n"),
        "{}",
        cut.len()
    );
    assert_eq!(
        project
            .refusal("read_file", json!({"path": "picture.png"}))
            .await,
        "picture.png is a binary file (11 bytes). This tool reads text."
    );
    let wrong = [
        json!({}),
        json!({"path": 1}),
        json!("a.txt"),
        json!({"path": "a.txt", "offset": -1}),
    ];
    for input in wrong {
        let refusal = project.refusal("read_file", input).await;
        assert!(refusal.starts_with("The input does not fit: "), "{refusal}");
    }
}

/// A search of a place that asks runs only once the user has said yes to it.
#[tokio::test]
async fn a_search_that_was_agreed_to_finds_what_only_asks() {
    let files: [(&str, &[u8]); 4] = [
        ("src/a.txt", b"needle"),
        ("src/.env", b"needle"),
        ("src/no.txt", b"needle"),
        ("docs/a.txt", b"needle"),
    ];
    let rows = [
        ("Read(src)", "src", vec!["src/a.txt"]),
        ("Read", "src", vec!["src/a.txt"]),
        ("Read", ".", vec!["docs/a.txt", "src/a.txt"]),
        // Nobody was asked about what is below.
        ("Read(src)", ".", vec!["docs/a.txt"]),
        ("Read(src/*)", "src", vec![]),
        ("Read(.env)", "src/.env", vec!["src/.env"]),
    ];
    for (ask, at, expected) in rows {
        let project = Project::new(&files, &json!({"ask": [ask], "deny": ["Read(no.txt)"]}));
        let input = json!({"pattern": "needle", "path": at});
        let found = project.answer("search_text", input).await;
        let names: Vec<_> = files.iter().map(|(name, _)| *name).collect();
        let mut names: Vec<_> = names
            .into_iter()
            .filter(|name| found.contains(name))
            .collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{ask} {at}: {found}");
    }
}

/// The rules were asked about another place than the one it leads to now.
#[cfg(unix)]
#[tokio::test]
async fn a_link_that_was_turned_after_the_check_is_not_followed() {
    let files: [(&str, &[u8]); 3] = [("a.txt", b"needle"), ("in/.env", b"needle"), ("to/x", b"")];
    let project = Project::new(&files, &json!({}));
    let link = project.path().join("link");
    let rows = [
        ("read_file", json!({"path": "link"}), "a.txt", "in/.env"),
        ("list_folder", json!({"path": "link"}), "to", "in"),
        (
            "search_text",
            json!({"path": "link", "pattern": "needle"}),
            "to",
            "in",
        ),
    ];
    for (tool, input, before, after) in rows {
        let tool = project.tools.find(tool, Mode::Plan).unwrap();
        std::os::unix::fs::symlink(before, &link).unwrap();
        let judged = tool.subject(&input);
        let same = tool.run_judged(input.clone(), judged.clone()).await;
        assert!(!same.is_error, "{same:?}");
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(after, &link).unwrap();
        let turned = tool.run_judged(input, judged).await;
        let expected = "It leads elsewhere since this call was checked; nothing was read.";
        assert_eq!(turned.result, expected);
        std::fs::remove_file(&link).unwrap();
    }
}

/// A field that no tool knows would only hide the others from whoever is asked.
#[tokio::test]
async fn refuses_fields_it_does_not_know() {
    let project = Project::new(&[("a.txt", b"needle")], &json!({}));
    for (tool, mut input) in [
        ("read_file", json!({"path": "a.txt"})),
        ("list_folder", json!({"path": "."})),
        ("search_text", json!({"pattern": "needle"})),
    ] {
        project.answer(tool, input.clone()).await;
        input["aaa"] = "x".into();
        let refusal = project.refusal(tool, input).await;
        assert!(refusal.contains("unknown field `aaa`"), "{refusal}");
    }
}

#[tokio::test]
async fn one_answer_is_never_larger_than_its_cap() {
    let lines: String = std::iter::repeat_n("y".repeat(1_000) + "\n", 1_500).collect();
    let project = Project::new(&[("big", lines.as_bytes())], &json!({}));
    let text = project.answer("read_file", json!({"path": "big"})).await;
    assert!(text.len() < 140 * 1024, "{}", text.len());
    assert!(text.contains("There is more"));
    let found = project.answer("search_text", json!({"pattern": "y"})).await;
    assert!(found.len() < 70 * 1024, "{}", found.len());
    assert!(found.contains("There may be more"));
}

#[tokio::test]
async fn lists_a_folder() {
    let project = Project::new(
        &[
            ("b.txt", b"12"),
            ("a/x", b""),
            ("secret/y", b""),
            ("c\n.txt", b""),
        ],
        &json!({"deny": ["Read(secret)"]}),
    );
    symlink("b.txt", project.path().join("z")).unwrap();
    let listed = project.answer("list_folder", Value::Null).await;
    assert_eq!(
        listed,
        "a/\nb.txt  2\nc\\u{a}.txt  0\nz@\n[1 left out by a rule.]\n"
    );
    std::fs::create_dir(project.path().join("empty")).unwrap();
    let empty = project
        .answer("list_folder", json!({"path": "empty"}))
        .await;
    assert_eq!(empty, "[The folder is empty.]\n");
    let refused = project
        .refusal("list_folder", json!({"path": "secret"}))
        .await;
    assert_eq!(refused, "The rule Read(secret) in rules denies it.");
    assert_eq!(
        project
            .refusal("list_folder", json!({"path": "b.txt"}))
            .await,
        "b.txt is not a folder."
    );
    for number in 0..1_010 {
        std::fs::write(project.path().join(format!("a/{number:04}")), "").unwrap();
    }
    let many = project.answer("list_folder", json!({"path": "a"})).await;
    assert!(
        many.ends_with("0999  0\n[11 more are not shown.]\n"),
        "{many}"
    );
}

#[tokio::test]
async fn searches_what_is_not_ignored_or_held_back() {
    let project = Project::new(
        &[
            (".gitignore", b"target/\n*.log\n!keep.log\n/only-root\n"),
            ("a.rs", b"fn main() {}\nlet needle = 1;\r\n"),
            ("b.txt", b"Needle\nnee.dle\n"),
            ("src/deep/c.rs", b"needle"),
            ("src/.gitignore", b"generated\n"),
            ("src/generated/d.rs", b"needle"),
            ("src/only-root", b"needle"),
            ("only-root", b"needle"),
            ("target/e.rs", b"needle"),
            ("noise.log", b"needle"),
            ("keep.log", b"needle"),
            (".git/config", b"needle"),
            (".env", b"needle"),
            ("private/f", b"needle"),
            ("binary", b"needle\0"),
        ],
        &json!({"deny": ["Read(./private/**)"]}),
    );
    symlink("a.rs", project.path().join("link.rs")).unwrap();
    symlink("/", project.path().join("top")).unwrap();
    let held = "[2 files were left out by a rule or because they look like they hold secrets.]\n";
    let rows = [
        (
            json!({"pattern": "needle"}),
            format!(
                "a.rs:2:let needle = 1;\nkeep.log:1:needle\nsrc/deep/c.rs:1:needle\nsrc/only-root:1:needle\n{held}"
            ),
        ),
        (
            json!({"pattern": "NEEDLE", "ignore_case": true, "glob": "*.txt"}),
            format!("b.txt:1:Needle\n{held}"),
        ),
        (
            json!({"pattern": "e.d", "literal": true}),
            format!("b.txt:2:nee.dle\n{held}"),
        ),
        (
            json!({"pattern": "needle", "path": "src", "glob": "src/**/*.rs"}),
            "src/deep/c.rs:1:needle\n".into(),
        ),
        (
            json!({"pattern": "needle", "path": "target"}),
            "target/e.rs:1:needle\n".into(),
        ),
        (
            json!({"pattern": "^needle$", "path": "src/deep/c.rs"}),
            "src/deep/c.rs:1:needle\n".into(),
        ),
        // The rules are asked about it before it runs; here they have been.
        (
            json!({"pattern": "needle", "path": ".env"}),
            ".env:1:needle\n".into(),
        ),
        (
            json!({"pattern": "absent"}),
            format!("[Nothing matches.]\n{held}"),
        ),
    ];
    for (input, expected) in rows {
        assert_eq!(
            project.answer("search_text", input.clone()).await,
            expected,
            "{input}"
        );
    }
    let wrong = [
        (
            json!({"pattern": "("}),
            "the pattern cannot be used (unclosed group)",
        ),
        (json!({"pattern": "(?=x)"}), "look-around"),
        (json!({"pattern": ""}), "1 to 1000 bytes"),
        (
            json!({"pattern": "x", "glob": "["}),
            "the glob cannot be used",
        ),
        (json!({"pattern": "x", "path": "top"}), "out of the project"),
        (json!({"pattern": "x", "path": "private/f"}), "denies it"),
        (
            json!({"pattern": "(a{1000}){1000}"}),
            "the pattern cannot be used",
        ),
    ];
    for (input, said) in wrong {
        let refusal = project.refusal("search_text", input).await;
        assert!(refusal.contains(said), "{refusal}");
    }
}

/// Patterns on which engines that try every way need longer than the universe has.
#[tokio::test]
async fn a_search_is_linear_whatever_the_pattern() {
    let line = "a".repeat(256 * 1024) + "!";
    let project = Project::new(&[("a.txt", line.as_bytes())], &json!({}));
    for pattern in [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "(.*)*b",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(a?){50}b",
    ] {
        let found = project
            .answer("search_text", json!({"pattern": pattern}))
            .await;
        assert_eq!(found, "[Nothing matches.]\n", "{pattern}");
    }
}

#[tokio::test]
async fn a_pipe_for_an_ignore_file_holds_nobody_up() {
    let project = Project::new(&[("a.txt", b"needle")], &json!({}));
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.path().join(".gitignore"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let found = project
        .answer("search_text", json!({"pattern": "needle"}))
        .await;
    assert_eq!(found, "a.txt:1:needle\n");
}

#[tokio::test]
async fn dropping_the_future_stops_the_work() {
    let (started, starting) = mpsc::channel();
    let (go_on, wait) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let work = blocking(
        move |stop: &Stop| {
            started.send(()).unwrap();
            wait.recv().unwrap();
            tell.send(stop.check()).unwrap();
            Ok(String::new())
        },
        LongLines::Whole,
    );
    let running = tokio::spawn(work);
    tokio::task::spawn_blocking(move || starting.recv().unwrap())
        .await
        .unwrap();
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    go_on.send(()).unwrap();
    let seen = tokio::task::spawn_blocking(move || told.recv().unwrap())
        .await
        .unwrap();
    assert_eq!(seen, Err(FileError::Stopped));
}

#[tokio::test]
async fn a_stopped_search_reads_no_further_file() {
    let project = Project::new(&[("a.txt", b"needle")], &json!({}));
    let root = Arc::new(Root::open(project.path()).unwrap());
    let rules = Arc::new(Rules::default());
    let folder = super::Folder {
        root,
        rules,
        judged: None,
    };
    let stop = Stop::default();
    drop(super::StopOnDrop(stop.clone()));
    let input = serde_json::from_value(json!({"pattern": "needle"})).unwrap();
    assert_eq!(
        super::search::run(&folder, input, &stop),
        Err(FileError::Stopped)
    );
}
