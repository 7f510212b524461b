//! `chat --image FILE --file FILE`: what is sent of a file, and what is refused before anything
//! is saved.

use serde_json::{Value, json};
use weir_tests::events::{content, of_kind};
use weir_tests::{Part, Reply, Sandbox, Server, sse};

use super::asking;

/// The smallest picture of each kind that its first bytes tell.
const PICTURES: [(&str, &[u8]); 4] = [
    ("image/png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
    ("image/jpeg", b"\xff\xd8\xff\xe0\x00\x10JFIF"),
    ("image/gif", b"GIF89a\x01\x00\x01\x00"),
    ("image/webp", b"RIFF\x22\x00\x00\x00WEBPVP8 "),
];

fn written(sandbox: &Sandbox, name: &str, bytes: &[u8]) -> String {
    let path = sandbox.root().join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn replying() -> Server {
    let reply = sse::message_start() + &sse::text(0, "Seen.") + &sse::message_stop();
    Server::start([Reply::Stream(vec![Part::Send(reply)])])
}

fn sent(server: &Server) -> Value {
    let requests = server.requests();
    let messages = requests[0].body["messages"].as_array().unwrap().clone();
    messages.last().unwrap()["content"].clone()
}

#[test]
fn files_go_by_what_they_are_and_not_by_their_names() {
    let sandbox = Sandbox::new();
    let server = replying();
    let url = server.url();
    let mut more = vec!["--json", "look at these"];
    let paths: Vec<String> = PICTURES
        .iter()
        .enumerate()
        .map(|(number, (_, bytes))| written(&sandbox, &format!("picture{number}.txt"), bytes))
        .collect();
    let options = ["--image", "--file", "--image", "--file"];
    for (option, path) in options.into_iter().zip(&paths) {
        more.extend([option, path]);
    }
    let notes = written(&sandbox, "notes.png", "\u{feff}grün\n```\nfence".as_bytes());
    let empty = written(&sandbox, "empty.md", b"");
    more.extend(["--file", &notes, "--file", &empty]);
    let turn = sandbox
        .weir(&asking(&url, &more))
        .env("ANTHROPIC_API_KEY", "any")
        .run()
        .code(0);
    let events = turn.events();
    let asked = of_kind(&events, "user_message")[0];
    let expected =
        "look at these\n\nnotes.png:\n````\ngrün\n```\nfence\n````\n\n\nempty.md:\n```\n```\n";
    assert_eq!(content(asked), expected);
    let kinds = asked["images"].as_array().unwrap().iter();
    let kinds: Vec<&str> = kinds.map(|it| it["mediaType"].as_str().unwrap()).collect();
    // Pictures of --image first, then those of --file.
    assert_eq!(
        kinds,
        ["image/png", "image/gif", "image/jpeg", "image/webp"]
    );
    let sent = sent(&server);
    let pictures = sent
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["type"] == "image");
    assert_eq!(pictures.count(), 4, "{sent}");
    assert!(sent.to_string().contains("notes.png"), "{sent}");
    let place_name = sandbox.root().to_str().unwrap();
    assert!(
        !sent.to_string().contains(place_name),
        "only the name of a file is sent"
    );
}

#[test]
fn what_cannot_be_sent_is_refused_by_name_and_nothing_is_saved() {
    let sandbox = Sandbox::new();
    let rows: [(&str, &str, Vec<u8>, &str); 9] = [
        ("--image", "note.png", b"plain text".to_vec(), "picture"),
        ("--image", "drawing.svg", b"<svg></svg>".to_vec(), "picture"),
        ("--image", "empty.png", Vec::new(), "picture"),
        (
            "--image",
            "large.png",
            large(&PICTURES[0], 5 * 1024 * 1024),
            "smaller",
        ),
        ("--file", "paper.txt", b"%PDF-1.7\n".to_vec(), "pdf"),
        (
            "--file",
            "wide.txt",
            b"\xff\xfea\x00b\x00".to_vec(),
            "utf-8",
        ),
        (
            "--file",
            "program",
            b"\x7fELF\x02\x01\x01\x00".to_vec(),
            "utf-8",
        ),
        ("--file", "long.txt", vec![b'a'; 1024 * 1024 + 1], "longer"),
        ("--file", "huge.txt", vec![b'a'; 9 * 1024 * 1024], "larger"),
    ];
    for (option, name, bytes, word) in rows {
        let path = written(&sandbox, name, &bytes);
        let refused = sandbox
            .weir(&["chat", "hello fast", option, &path])
            .run()
            .code(2);
        let sentence = refused.sentence().to_lowercase();
        assert!(
            sentence.contains(name) && sentence.contains(word),
            "{sentence}"
        );
    }
    let sessions = sandbox.weir(&["sessions", "--json"]).run().code(0);
    assert_eq!(sessions.stdout, "");
}

fn large((_, start): &(&str, &[u8]), length: usize) -> Vec<u8> {
    let mut bytes = start.to_vec();
    bytes.resize(length, 0);
    bytes
}

/// A pipe that nobody writes to would keep it waiting for ever.
#[test]
fn a_pipe_is_no_file() {
    let sandbox = Sandbox::new();
    let pipe = sandbox.root().join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    let path = pipe.to_str().unwrap();
    sandbox
        .weir(&["chat", "a", "--file", path])
        .run()
        .code(2)
        .sentence();
}

/// A file is guarded like the prompt that it becomes a part of.
#[test]
fn secrets_in_a_file_do_not_leave() {
    let sandbox = Sandbox::new();
    let server = replying();
    let url = server.url();
    let canary = weir_tests::Canary::new();
    let file = written(
        &sandbox,
        "settings.env",
        format!("KEY={}\n", canary.key()).as_bytes(),
    );
    let turn = sandbox
        .weir(&asking(&url, &["--json", "look", "--file", &file]))
        .env("ANTHROPIC_API_KEY", "any")
        .run()
        .code(0);
    canary.check_absent_from_text("the request", &json!(sent(&server)).to_string());
    canary.check_absent_from_text("stdout", &turn.stdout);
}
