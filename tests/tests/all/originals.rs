//! A model that tries to get at what guards redacted, through the real program: it writes
//! placeholders into the input of every tool, in every place and shape, and reads what comes
//! back. Nothing of an original is in a request, in the data folder, in what `weir` prints or in
//! its log, in any form.
//!
//! The attempts are combined from tables; the values are made at run time, and no rule knows
//! them by their looks.

use std::path::Path;

use serde_json::{Value, json};
use uuid::Uuid;
use weir_tests::events::{of_kind, session};
use weir_tests::{Canary, Lock, Part, Reply, Sandbox, Server, files, sse};

use super::project::chat;

/// Passwords as the user typed them, by the number of their placeholder.
struct Originals(Vec<String>);

impl Originals {
    fn new() -> Self {
        let random = || Uuid::new_v4().simple().to_string();
        let (a, b, c, d) = (random(), random(), random(), random());
        Self(vec![
            ["correct", &a[..4], "Horse", &a[4..8]].concat(),
            ["p@ss/", &b[..8], "&<x>%", &b[8..12]].concat(),
            ["Üb\u{e9}r", &c[..10], "-ß\u{3bb}"].concat(),
            // The name of a file in the project.
            ["dir-", &d[..6], "_file-", &d[6..12]].concat(),
        ])
    }

    fn prompt(&self) -> String {
        let lines = self.0.iter().map(|it| format!("password: \"{it}\"\n"));
        format!("These are mine.\n{}Go.", lines.collect::<String>())
    }

    /// Where it stands in the text in a form that somebody can read again.
    fn shown_in(&self, text: &str) -> Option<String> {
        let mut needles = self.0.iter().flat_map(|it| needles(it));
        let shown = needles.find(|it| text.contains(it.as_str()))?;
        let at = text.find(&shown)?;
        let start = text.floor_char_boundary(at.saturating_sub(300));
        let end = text.floor_char_boundary((at + 300).min(text.len()));
        Some(format!("{shown:?} in {}", &text[start..end]))
    }
}

fn bytes(text: &str, write: impl Fn(u8) -> String) -> String {
    text.bytes().map(write).collect()
}

fn base64(text: &[u8], alphabet: &[u8; 64]) -> String {
    let mut out = String::new();
    for group in text.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..=group.len() {
            let sextet = bits >> (18 - 6 * at) & 0x3F;
            out.push(char::from(alphabet[sextet as usize]));
        }
    }
    out
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What is looked for: the value, the longest word in it, and encodings of both.
fn needles(value: &str) -> Vec<String> {
    let words = value.split(|it: char| !it.is_ascii_alphanumeric());
    let word = words.max_by_key(|it| it.len()).unwrap_or_default();
    let mut needles = [forms(value), forms(word)].concat();
    needles.retain(|form| form.len() >= 8);
    // What is left of it at a cut.
    let letters: Vec<char> = value.chars().collect();
    let (start, end) = (&letters[..HALF], &letters[letters.len() - HALF..]);
    needles.extend([start, end].map(|it| it.iter().collect::<String>()));
    needles
}

/// So many characters from either end of a value say what it is.
const HALF: usize = 9;

/// Letters beyond ASCII by their names in HTML.
fn entities(text: &str) -> String {
    [
        ('Ü', "&Uuml;"),
        ('é', "&eacute;"),
        ('ß', "&szlig;"),
        ('λ', "&lambda;"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (letter, name)| {
        text.replace(*letter, name)
    })
}

/// The bytes of a text in Latin-1, without what is none.
fn latin_1(text: &str) -> Vec<u8> {
    text.chars()
        .filter_map(|it| u8::try_from(it).ok())
        .collect()
}

/// A file in base64 that has the value across the end of a line of 76 characters, and that end of
/// a line as it is decorated in other files.
fn wrapped(value: &str, before: usize) -> Vec<String> {
    let text = format!("{}DB_PASS={value}\nOTHER=1\n", "A".repeat(before));
    let encoded = base64(text.as_bytes(), STANDARD);
    let lines = |write: &dyn Fn(&str) -> String| {
        let lines = encoded.as_bytes().chunks(76);
        let lines = lines.map(|it| write(&String::from_utf8_lossy(it)) + "\n");
        lines.collect::<String>()
    };
    vec![
        lines(&str::to_owned),
        "data:\n  env: |\n".to_owned() + &lines(&|it| format!("    {it}")),
        lines(&|it| format!("# {it}")),
        lines(&|it| format!("> {it}")),
        lines(&|it| format!("    \"{it}\" +")),
    ]
}

/// Lines that are longer than what is read of one, with the value across that end.
fn long_lines(value: &str) -> String {
    let lines = (1..value.len()).filter(|cut| value.is_char_boundary(*cut));
    let lines = lines.step_by(9).map(|cut| {
        let dots = 64 * 1024 - "needle ".len() - cut;
        format!("needle {}{value} tail\n", ".".repeat(dots))
    });
    lines.collect()
}

/// A text as programs write it.
fn forms(text: &str) -> Vec<String> {
    let escaped = Value::from(text).to_string();
    let mut forms = vec![
        text.to_owned(),
        escaped.trim_matches('"').to_owned(),
        text.to_uppercase(),
        text.to_lowercase(),
        text.chars().rev().collect(),
        bytes(text, |it| format!("{it:02x}")),
        bytes(text, |it| format!("{it:02X}")),
        bytes(text, |it| format!("%{it:02x}")),
        bytes(text, |it| format!("%{it:02X}")),
        bytes(text, |it| match it {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(it).to_string(),
            _ => format!("%{it:02X}"),
        }),
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;"),
        entities(text),
        latin_1(text)
            .iter()
            .map(|it| format!("\\x{it:02x}"))
            .collect(),
    ];
    for alphabet in [STANDARD, URL_SAFE] {
        for start in 0..3 {
            // At any place of a longer text: without what its neighbours have a part in.
            let padded = [&b"xyz"[..start], text.as_bytes()].concat();
            let encoded = base64(&padded, alphabet);
            let from = (start * 4).div_ceil(3);
            let end = encoded.len().saturating_sub(2).max(from);
            forms.push(encoded[from..end].to_owned());
        }
    }
    forms
}

/// How a placeholder is written; `A` and `B` stand for two of them.
const SHAPES: [&str; 27] = [
    "A",
    "A/B",
    "AB",
    "xAy",
    "x-A",
    "A.txt",
    "./A",
    "sub/A",
    "A/sub/B",
    "../A",
    "/A",
    "C:\\A",
    "sub\\A",
    "A\n",
    "A\u{0}B",
    "[A]",
    "[^A]",
    "(A",
    "A{2,",
    "A|B",
    "(?i)A",
    "(?x)[ # ]\n A ]",
    "*A*",
    "{A,B}",
    " A ",
    "'A'",
    "%41A",
];

/// Where it is written: a tool, and its input with `"@"` in the place of the text.
fn places() -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({"path": "@"})),
        ("read_file", json!({"path": "notes.txt", "offset": "@"})),
        ("read_file", json!({"path": "notes.txt", "limit": ["@"]})),
        ("read_file", json!({"path": "notes.txt", "@": 1})),
        ("read_file", json!({"path": {"@": "@"}})),
        ("list_folder", json!({"path": "@"})),
        ("list_folder", json!({"@": "@"})),
        ("search_text", json!({"pattern": "@"})),
        ("search_text", json!({"pattern": "@", "literal": true})),
        ("search_text", json!({"pattern": "@", "ignore_case": "@"})),
        ("search_text", json!({"pattern": ".", "glob": "@"})),
        ("search_text", json!({"pattern": ".", "path": "@"})),
        (
            "search_text",
            json!({"pattern": "(", "path": "@", "glob": "@"}),
        ),
        ("send_mail", json!({"to": "@", "cc": ["@", {"@": "@"}]})),
        ("@", json!({"path": "@"})),
        ("read_file", json!(["@"])),
        ("read_file", json!("@")),
    ]
}

fn fill(value: &Value, text: &str) -> Value {
    match value {
        Value::String(it) if it == "@" => text.into(),
        Value::Array(items) => items.iter().map(|it| fill(it, text)).collect(),
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| (name.replace('@', text), fill(value, text));
            Value::Object(fields.iter().map(field).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// All calls, each with another pair of placeholders than the one before.
fn attempts(count: usize) -> Vec<(String, Value)> {
    let mut attempts = Vec::new();
    for shape in SHAPES {
        for (tool, input) in places() {
            let number = attempts.len();
            let text = shape
                .replace('A', &format!("[PASSWORD_{}]", number % count + 1))
                .replace('B', &format!("[PASSWORD_{}]", (number / 2 + 1) % count + 1));
            attempts.push((tool.replace('@', &text), fill(&input, &text)));
        }
    }
    // Characters that a class of an original matches, one by one.
    for (number, letter) in "abcdefghijklmnopqrstuvwxyz0123456789-_@&<>%"
        .chars()
        .enumerate()
    {
        let placeholder = format!("[PASSWORD_{}]", number % count + 1);
        let pattern = format!("^[{placeholder}&&[{letter}]]$");
        attempts.push((
            "search_text".into(),
            json!({"pattern": pattern, "path": "letters.txt"}),
        ));
    }
    // The last one is part of a path that is longer than what is shown of one.
    for before in LONG_PATHS {
        let path = long_path(before, &format!("[PASSWORD_{count}]"));
        for path in [path.clone(), format!("{path}/"), format!("{path}/missing")] {
            attempts.push(("read_file".into(), json!({"path": path})));
            attempts.push(("list_folder".into(), json!({"path": path})));
        }
    }
    for number in 0..5 {
        let path = format!("wrapped-{number}.txt");
        attempts.push(("read_file".into(), json!({"path": path})));
    }
    let rest = ["split.txt", "latin.txt", "needle.txt"];
    attempts.extend(rest.map(|path| ("read_file".into(), json!({"path": path}))));
    for pattern in ["^[A-Za-z0-9+/ >#\"=]+$", "needle"] {
        let input = json!({"pattern": pattern, "glob": "*.txt"});
        attempts.push(("search_text".into(), input));
    }
    attempts
}

/// How much of a long path stands before an original: the cuts of a sentence and of a name.
const LONG_PATHS: [usize; 4] = [86, 92, 186, 192];

fn long_path(before: usize, name: &str) -> String {
    let folder = "d".repeat(before - 1);
    format!("{folder}/{name}/{}", "e".repeat(240))
}

/// Hooks that say what they were told, each in another form.
fn hooks() -> Value {
    // More than is used of one, with the path across that end.
    let long = concat!(
        r#"told=$(sed -n 's/.*"tool_input":{[^}]*"path":"\([^"\\]*\)".*/\1/p'); "#,
        r#"dots=$(printf '%9990s' '' | tr ' ' .); "#,
        r#"printf '{"systemMessage":"%s%s"}' "$dots" "$told""#,
    );
    let hook = |command: &str| json!([{"hooks": [{"type": "command", "command": command}]}]);
    let before = concat!(
        "told=$(cat | base64 -w0); ",
        r#"printf '{"systemMessage":"%s","hookSpecificOutput":{"hookEventName":"PreToolUse","#,
        r#""additionalContext":"%s"}}' "$told" "$told""#,
    );
    json!({"hooks": {
        "PreToolUse": [
            {"hooks": [{"type": "command", "command": before}]},
            {"matcher": "list_folder", "hooks": [{"type": "command", "command": long}]},
        ],
        "PostToolUse": hook(concat!(
            "told=$(cat | rev | tr -d '\\n\"\\\\'); ",
            r#"printf '{"systemMessage":"%s","hookSpecificOutput":{"hookEventName":"PostToolUse","#,
            r#""additionalContext":"%s"}}' "$told" "$told""#,
        )),
    }})
}

fn project(sandbox: &Sandbox, originals: &Originals) -> std::path::PathBuf {
    let project = sandbox.home().join("project");
    std::fs::create_dir_all(project.join("sub")).unwrap();
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    std::fs::write(project.join(".claude/settings.json"), hooks().to_string()).unwrap();
    std::fs::write(project.join("notes.txt"), "nothing\n").unwrap();
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789-_@&<>%".chars();
    let letters: String = letters.map(|it| format!("{it}\n")).collect();
    std::fs::write(project.join("letters.txt"), letters).unwrap();
    // Files that have originals in their names and, as a program would leave them, inside.
    let own = originals.0.last().unwrap();
    let everything: String = originals
        .0
        .iter()
        .flat_map(|it| forms(it))
        .map(|it| it + "\n")
        .collect();
    std::fs::write(project.join(own), &everything).unwrap();
    std::fs::write(project.join("sub").join(own), "deeper\n").unwrap();
    std::fs::write(project.join(format!("{own}.bin")), "a\0b").unwrap();
    for before in LONG_PATHS {
        std::fs::create_dir_all(project.join(long_path(before, own))).unwrap();
    }
    let all = || originals.0.iter();
    for number in 0..5 {
        let files = all().flat_map(|it| [38, 42, 46].map(|before| wrapped(it, before)));
        let files: String = files.map(|forms| forms[number].clone() + "\n\n").collect();
        std::fs::write(project.join(format!("wrapped-{number}.txt")), files).unwrap();
    }
    let halves = all().map(|it| {
        // A search shows lines by themselves: what is left of a value in one has to be a piece.
        let (start, end) = it.split_at(it.floor_char_boundary(it.len() - 3));
        format!("{start}\n{end}\n\n")
    });
    std::fs::write(project.join("split.txt"), halves.collect::<String>()).unwrap();
    let latin = all().map(|it| [latin_1(it), b"\n".to_vec()].concat());
    std::fs::write(
        project.join("latin.txt"),
        latin.collect::<Vec<_>>().concat(),
    )
    .unwrap();
    std::fs::write(project.join("needle.txt"), long_lines(own)).unwrap();
    project
}

fn check_absent(originals: &Originals, what: &str, text: &str) {
    if let Some(shown) = originals.shown_in(text) {
        panic!("{what} shows {shown}");
    }
}

fn check_absent_below(originals: &Originals, folder: &Path) {
    for file in files::below(folder) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        if let Some(shown) = originals.shown_in(&String::from_utf8_lossy(&bytes)) {
            panic!("{} shows {shown}", file.display());
        }
    }
}

#[test]
fn no_placeholder_brings_its_original_out() {
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    let (account, originals) = (Canary::new(), Originals::new());
    let project = project(&sandbox, &originals);
    let path = project.to_str().unwrap();
    sandbox.weir(&["trust", "--yes", path]).run().code(0);

    let attempts = attempts(originals.0.len());
    assert!(attempts.len() >= 500, "{}", attempts.len());
    let (mut requests, mut logged, mut read) = (0, 0, false);
    for attempts in attempts.chunks(128) {
        let steps = attempts.chunks(32).map(step);
        let done = Reply::Stream(vec![Part::Send(
            sse::message_start() + &sse::text(0, "I have nothing.") + &sse::message_stop(),
        )]);
        let server = Server::start(steps.chain([done]));
        let prompt = originals.prompt();
        let arguments = ["--project", path, &prompt];
        let chat = chat(&sandbox, &server, &account, &arguments)
            .env("WEIR_LOG", "trace")
            .run()
            .code(0);
        let events = chat.events();
        let id = session(&events);
        let typed = of_kind(&events, "user_message")[0]["content"].to_string();
        for number in 1..=originals.0.len() {
            assert!(typed.contains(&format!("[PASSWORD_{number}]")), "{typed}");
        }
        let results = of_kind(&events, "tool_result");
        assert_eq!(results.len(), attempts.len(), "every attempt was answered");
        let deeper = |it: &&Value| it["result"].to_string().contains("deeper");
        read |= results.iter().any(deeper);

        let exported = sandbox.weir(&["export", &id, "--to", "json"]).run().code(0);
        let stored = sandbox.weir(&["events", &id]).run().code(0);
        for request in server.requests() {
            check_absent(&originals, "a request", &request.body.to_string());
            requests += 1;
        }
        for outcome in [&chat, &exported, &stored] {
            check_absent(&originals, "stdout", &outcome.stdout);
            check_absent(&originals, "stderr", &outcome.stderr);
        }
        logged += chat.stderr.len();
        // The person who typed them still finds them.
        let restored = sandbox.weir(&["events", &id, "--originals"]).run().code(0);
        assert!(restored.stdout.contains(originals.0[0].as_str()));
    }
    check_absent_below(&originals, &sandbox.data());
    // What was meant still works: a file is read by its name, which is a placeholder.
    assert!(read, "no path was restored");
    println!(
        "{} attempts, {requests} requests, {} forms of each original: none in a request, {} files, the output or the log ({logged} bytes)",
        attempts.len(),
        needles(&originals.0[0]).len(),
        files::below(&sandbox.data()).len(),
    );
}

/// One reply with many calls.
fn step(calls: &[(String, Value)]) -> Reply {
    let ids: Vec<String> = (0..calls.len()).map(|at| format!("call_{at}")).collect();
    let calls = calls.iter().zip(&ids);
    let calls = calls.map(|((name, input), id)| (id.as_str(), name.as_str(), input.clone()));
    Reply::Stream(vec![Part::Send(sse::calls(&calls.collect::<Vec<_>>()))])
}

/// Everything that a server can say, with the key in it.
#[test]
fn a_key_that_a_server_echoes_is_saved_and_shown_nowhere() {
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    // A key of no shape that a rule knows.
    let key = ["gw", &Uuid::new_v4().simple().to_string()[..20], "Zx"].join("~");
    let originals = Originals(vec![key.clone()]);
    let mut requests = 0;
    for form in forms(&key) {
        let drip = |text: &str| {
            let letters: Vec<char> = text.chars().collect();
            let pieces = letters.chunks(3).map(|it| it.iter().collect::<String>());
            pieces.map(|it| sse::text_delta(1, &it)).collect::<String>()
        };
        let stop = sse::event(&json!({"type": "content_block_stop", "index": 1}));
        // The tier is a name of the source's own choice, in the usage of every step.
        let tier = format!("\"service_tier\":{},\"input_tokens\"", json!(form));
        let start = sse::message_start().replace("\"input_tokens\"", &tier);
        assert!(start.contains("service_tier"), "{start}");
        let said = start
            + &sse::thinking(0, &format!("with {form}"), &form)
            + &sse::text_start(1)
            + &drip(&format!("Your key is {form}, or x{form}y.\n"))
            + &stop
            + &sse::event(&json!({"type": format!("odd {form}"), "key": form}))
            + &sse::message_stop();
        let broken = sse::message_start()
            + &sse::event(&json!({"type": "error", "error": {"type": form, "message": form}}));
        let refusal =
            json!({"error": {"type": format!("bad {form}"), "message": format!("no {form}")}});
        // Across each bound on the length of a code and of a sentence.
        let long =
            |bound: usize| format!("{}{form}{}", "x ".repeat(bound / 2 - 6), "y ".repeat(99));
        let [code, sentence, longest] = [200, 4_000, 16_000].map(long);
        let cut = json!({"error": {
            "type": code, "code": code, "param": code, "message": sentence,
            "metadata": {"raw": longest},
        }});
        let cut_in_stream = sse::message_start()
            + &sse::event(&json!({"type": "error", "error": {"type": code, "message": sentence}}));
        let call = sse::calls(&[(
            form.as_str(),
            form.as_str(),
            json!({"path": form, form.as_str(): [form]}),
        )]);
        let server = Server::start([
            Reply::Stream(vec![Part::Send(said)]),
            Reply::Stream(vec![Part::Send(call)]),
            Reply::Stream(vec![Part::Send(broken)]),
            Reply::Refusal(400, refusal),
            Reply::Refusal(400, cut),
            Reply::Stream(vec![Part::Send(cut_in_stream)]),
        ]);
        let url = server.url();
        for _ in 0..5 {
            let call = [
                "chat",
                "--json",
                "--source",
                "anthropic",
                "--base-url",
                &url,
                "hello",
            ];
            let outcome = sandbox
                .weir(&call)
                .env("ANTHROPIC_API_KEY", &key)
                .env("WEIR_LOG", "trace")
                .run();
            check_absent(&originals, "stdout", &outcome.stdout);
            check_absent(&originals, "stderr", &outcome.stderr);
        }
        for request in server.requests() {
            check_absent(&originals, "a request", &request.body.to_string());
            requests += 1;
        }
    }
    check_absent_below(&originals, &sandbox.data());
    println!(
        "{requests} replies with the key in {} forms: none saved or shown",
        forms(&key).len()
    );
}

/// A word that is redacted as a word alone is not made a part of another one.
#[test]
fn a_short_original_is_in_no_longer_name() {
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    sandbox.weir(&["sessions"]).run().code(0);
    let words = json!({"words": [{"word": "Anna"}, {"word": "4711"}]});
    std::fs::write(sandbox.data().join("guards.json"), words.to_string()).unwrap();
    let project = sandbox.home().join("project");
    for name in ["Annax", "4711b", "Anna/4711", "q/Anna"] {
        std::fs::create_dir_all(project.join(name)).unwrap();
    }
    let path = project.to_str().unwrap();
    sandbox.weir(&["trust", "--yes", path]).run().code(0);
    let account = Canary::new();
    let prompt = "my friend Anna has pin 4711";
    let done = || {
        Reply::Stream(vec![Part::Send(
            sse::message_start() + &sse::text(0, "Done.") + &sse::message_stop(),
        )])
    };
    let server = Server::start([done()]);
    let first = chat(&sandbox, &server, &account, &["--project", path, prompt]).run();
    let events = first.code(0).events();
    let typed = of_kind(&events, "user_message")[0]["content"].to_string();
    let placeholders: Vec<&str> = typed
        .split(['[', ']'])
        .filter(|it| it.contains('_'))
        .collect();
    assert_eq!(placeholders.len(), 2, "{typed}");

    let mut calls = Vec::new();
    for name in &placeholders {
        for shape in [
            "./[N]x", "[N]b", "[N]x/", "q/[N]x/.", "x[N]", "[N]", "q//[N]", "./[N]/.",
        ] {
            let text = shape.replace('N', name);
            for tool in ["read_file", "list_folder"] {
                calls.push((tool.to_owned(), json!({"path": text})));
            }
            let search = json!({"pattern": ".", "path": text});
            calls.push(("search_text".to_owned(), search));
        }
    }
    let server = Server::start([step(&calls), done()]);
    let outcome = chat(&sandbox, &server, &account, &["--project", path, prompt]).run();
    let outcome = outcome.code(0);
    let results = of_kind(&outcome.events(), "tool_result").len();
    assert_eq!(results, calls.len(), "every attempt was answered");
    for request in server.requests() {
        let sent = request.body.to_string();
        assert!(!sent.contains("Anna") && !sent.contains("4711"), "{sent}");
    }
    for shown in [&outcome.stdout, &outcome.stderr] {
        assert!(
            !shown.contains("Anna") && !shown.contains("4711"),
            "{shown}"
        );
    }
}
