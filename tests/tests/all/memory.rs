//! Memory through `weir`: off by default, kept after a turn, found in the next session, shown to
//! the source as context, forgotten to the last byte, and never in the way of a turn.

use std::path::PathBuf;

use serde_json::Value;
use uuid::Uuid;
use weir_tests::events::{content, kinds, of_kind, session};
use weir_tests::weir::Outcome;
use weir_tests::{Canary, Part, Reply, Sandbox, Server, files, sse};

use super::project;

fn replies(count: usize) -> Vec<Reply> {
    let reply = || Reply::Stream(vec![Part::Send(sse::reply("Hm.", "c2VhbA==", "Yes."))]);
    (0..count).map(|_| reply()).collect()
}

struct Stage {
    sandbox: Sandbox,
    canary: Canary,
    server: Server,
}

impl Stage {
    fn new(turns: usize) -> Self {
        Self {
            sandbox: Sandbox::new(),
            canary: Canary::new(),
            server: Server::start(replies(turns)),
        }
    }

    fn project(&self, name: &str) -> PathBuf {
        let folder = self.sandbox.home().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        self.weir(&["trust", "--yes", folder.to_str().unwrap()]);
        folder
    }

    fn weir(&self, arguments: &[&str]) -> Outcome {
        self.sandbox.weir(arguments).run().code(0)
    }

    fn chat(&self, arguments: &[&str]) -> Vec<Value> {
        let chat = project::chat(&self.sandbox, &self.server, &self.canary, arguments);
        chat.run().code(0).events()
    }

    fn listed(&self) -> Vec<Value> {
        self.weir(&["memory", "list", "--json"]).events()
    }

    /// The last request, as its bytes.
    fn asked(&self) -> String {
        self.last().to_string()
    }

    fn last(&self) -> Value {
        self.server.requests().last().unwrap().body.clone()
    }
}

fn id(memory: &Value) -> &str {
    memory["id"].as_str().unwrap()
}

#[test]
fn nothing_is_remembered_or_sent_until_it_is_switched_on() {
    let stage = Stage::new(4);
    let project = stage.project("quiet");
    let path = project.to_str().unwrap();
    let word = format!("quokka{}", Uuid::new_v4().simple());
    let said = format!("Remember: our mascot is {word}.");
    for more in [&["--project", path][..], &[]] {
        stage.chat(&[more, &[said.as_str()]].concat());
    }
    assert_eq!(stage.listed(), [Value::Null; 0]);
    for more in [&["--project", path][..], &[]] {
        let events = stage.chat(&[more, &["Who is our mascot?"]].concat());
        assert_eq!(of_kind(&events, "memories").len(), 0);
        assert_eq!(stage.asked().matches(&word).count(), 0, "0 bytes of it");
    }
    // A folder that nobody trusts cannot be switched on.
    let other = stage.sandbox.home().join("other");
    std::fs::create_dir_all(&other).unwrap();
    let refused = ["memory", "on", "--project", other.to_str().unwrap()];
    let refused = stage.sandbox.weir(&refused).run().code(1);
    assert!(refused.sentence().contains("weir trust"));
    let unknown = ["chat", "--memory", "maybe", "hello"];
    stage.sandbox.weir(&unknown).run().code(2);
}

#[test]
fn what_was_said_in_one_session_is_context_in_the_next_of_the_same_project() {
    let stage = Stage::new(9);
    let (project, other) = (stage.project("birds"), stage.project("fish"));
    let (path, other) = (project.to_str().unwrap(), other.to_str().unwrap());
    stage.weir(&["memory", "on", "--project", path]);
    stage.weir(&["memory", "on", "--project", other]);

    let first = stage.chat(&[
        "--project",
        path,
        "Fix it. We use Postgres for herons. Thanks!",
    ]);
    assert_eq!(of_kind(&first, "memories").len(), 0);
    let kept = stage.listed();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(content(&kept[0]), "We use Postgres for herons.");
    assert_eq!(kept[0]["sessionId"], session(&first).as_str());
    assert_eq!(kept[0]["project"], path);

    // The event has the id alone, right behind the prompt, which is stored as it was typed.
    let asked = "Where do herons live?";
    let second = stage.chat(&["--project", path, asked]);
    assert_eq!(
        kinds(&second)[..3],
        ["session_start", "user_message", "memories"]
    );
    assert_eq!(content(&second[1]), asked);
    assert_eq!(second[2]["memories"], serde_json::json!([id(&kept[0])]));
    let stored = serde_json::to_string(&second).unwrap();
    assert_eq!(stored.matches("Postgres").count(), 0);
    let message = stage.last()["messages"][0].clone();
    assert_eq!(message["role"], "user");
    let blocks = message["content"].as_array().unwrap();
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    assert_eq!(texts.len(), 2);
    assert!(
        texts[0].contains("remembers"),
        "it says what it is: {}",
        texts[0]
    );
    assert!(texts[0].ends_with("- We use Postgres for herons."));
    assert_eq!(texts[1], asked);

    // Later turns send the same beginning, so that a cache holds.
    let id_of_second = session(&second);
    let third = stage.chat(&["--session", &id_of_second, "And now?"]);
    assert_eq!(of_kind(&third, "memories").len(), 0);
    let texts_of = |request: &Value| -> Vec<String> {
        let blocks = request["messages"][0]["content"].as_array().unwrap();
        blocks
            .iter()
            .map(|block| block["text"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(texts_of(&stage.last()), texts);

    // Not in another project, not outside of any, and not against the user's word.
    for more in [
        &["--project", other][..],
        &["--memory", "on"],
        &["--project", path, "--memory", "off"],
    ] {
        let events = stage.chat(&[more, &["Where do herons live?"]].concat());
        assert_eq!(of_kind(&events, "memories").len(), 0, "{more:?}");
        assert_eq!(stage.asked().matches("Postgres").count(), 0, "{more:?}");
    }
    // For a turn of a session that has some, off leaves them out, too; so does the switch.
    stage.chat(&["--session", &id_of_second, "--memory", "off", "And?"]);
    assert_eq!(stage.asked().matches("Postgres for herons").count(), 0);
    stage.weir(&["memory", "off", "--project", path]);
    stage.chat(&["--session", &id_of_second, "And then?"]);
    assert_eq!(stage.asked().matches("Postgres for herons").count(), 0);
}

#[test]
fn five_go_along_at_most_and_the_apt_ones_first() {
    let stage = Stage::new(3);
    stage.weir(&["memory", "on"]);
    let said: String = (0..9)
        .map(|n| format!("- We use box number{n} for owls.\n"))
        .collect();
    stage.chat(&[&format!("Some facts:\n{said}"), "--memory", "on"]);
    assert_eq!(stage.listed().len(), 9);
    let events = stage.chat(&["Which owls have number7?"]);
    let went = of_kind(&events, "memories")[0]["memories"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(went.len(), 5);
    let first = stage
        .listed()
        .into_iter()
        .find(|memory| went[0] == memory["id"]);
    assert_eq!(content(&first.unwrap()), "We use box number7 for owls.");
    let sent = stage.asked();
    assert_eq!(sent.matches("We use box").count(), 5);
    let used: u64 = stage
        .listed()
        .iter()
        .map(|memory| memory["uses"].as_u64().unwrap())
        .sum();
    assert_eq!(used, 5);
}

#[test]
fn what_is_forgotten_is_in_no_file_and_in_no_request() {
    let stage = Stage::new(6);
    stage.weir(&["memory", "on"]);
    let told = stage.chat(&["I prefer tea. We use kettles."]);
    assert_eq!(stage.listed().len(), 2);
    let old = session(&stage.chat(&["What do I drink?"]));
    assert!(stage.asked().contains("I prefer tea."));

    // Only the list knows these words: no prompt ever had them.
    let word = format!("canary{}", Uuid::new_v4().simple());
    let tea = stage
        .listed()
        .into_iter()
        .find(|memory| content(memory) == "I prefer tea.");
    let tea = id(&tea.unwrap()).to_owned();
    stage.weir(&["memory", "edit", &tea, &format!("I prefer {word}.")]);
    let there = files::holding(&stage.sandbox.data(), word.as_bytes());
    assert!(!there.is_empty(), "it was there");
    stage.chat(&["--session", &old, "Really?"]);
    assert!(
        stage.asked().contains(&word),
        "as it was edited, in the old session"
    );

    let forgotten = stage.weir(&["memory", "forget", &tea, "--json"]).events();
    assert_eq!(forgotten[0], serde_json::json!({"count": 1, "swept": true}));
    let data = stage.sandbox.data();
    let left = files::holding(&data, &word.as_bytes()[..20]);
    assert!(left.is_empty(), "left in {left:?}");
    stage.chat(&["--session", &old, "And now?"]);
    assert_eq!(
        stage.asked().matches(&word).count(),
        0,
        "in the old session"
    );
    let next = stage.chat(&["What do I prefer?"]);
    assert_eq!(of_kind(&next, "memories").len(), 0);
    assert_eq!(stage.asked().matches(&word).count(), 0, "in a new one");
    let again = stage
        .sandbox
        .weir(&["memory", "forget", &tea])
        .run()
        .code(1);
    assert!(again.sentence().contains("no such memory"));

    let of_session = ["memory", "forget", "--session", &session(&told)];
    assert!(stage.weir(&of_session).stdout.starts_with("1 memory is"));
    let all = stage.weir(&["memory", "forget", "--all"]).stdout;
    assert!(all.starts_with("0 memories"), "{all}");
    let bytes: usize = files::below(&data)
        .iter()
        .map(|file| std::fs::read(file).unwrap().len())
        .sum();
    println!("0 of {bytes} bytes hold the forgotten words");
}

#[test]
fn a_sentence_with_a_key_is_never_remembered() {
    let stage = Stage::new(3);
    stage.weir(&["memory", "on"]);
    let key = stage.canary.key().to_owned();
    // The guards may send it redacted, or not at all.
    for said in [
        format!("Remember: the key is {key}."),
        format!("We use {key} for deploys."),
    ] {
        project::chat(&stage.sandbox, &stage.server, &stage.canary, &[&said]).run();
        assert_eq!(stage.listed(), [Value::Null; 0]);
    }
    stage.chat(&["We use kettles."]);
    let memory = stage.listed().remove(0);
    let edited = ["memory", "edit", id(&memory), &format!("We use {key}.")];
    let refused = stage.sandbox.weir(&edited).run().code(3);
    assert!(refused.sentence().contains("guard"));
    assert_eq!(content(&stage.listed()[0]), "We use kettles.");
}

/// Whatever happens to what is remembered, the turn is answered as if there was nothing.
#[test]
fn a_turn_works_while_its_memory_fails() {
    let damages = [
        "DROP TABLE memories",
        "DROP INDEX memories_by_project",
        "UPDATE memories SET content = x'00ff'",
        "UPDATE memories SET content = ''",
        "UPDATE memories SET id = 'odd'",
        "ALTER TABLE memories RENAME COLUMN content TO words",
        "UPDATE memories SET kind = 'odd'",
    ];
    for damage in damages {
        let stage = Stage::new(3);
        stage.weir(&["memory", "on"]);
        stage.chat(&["I prefer tea."]);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(by_hand(&stage, damage));
        let events = stage.chat(&["Which tea? We use kettles."]);
        let told = kinds(&events);
        assert_eq!(told.last(), Some(&"complete"), "{damage}: {told:?}");
        assert_eq!(of_kind(&events, "error").len(), 0, "{damage}");
        let sessions = stage.weir(&["sessions", "--json"]).events();
        assert_eq!(sessions.len(), 2, "{damage}: no session is lost");
        stage.chat(&["Still there?"]);
    }
    println!("{} ways to break it", damages.len());
}

async fn by_hand(stage: &Stage, statement: &'static str) {
    use sqlx::{ConnectOptions, Connection};
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(stage.sandbox.database());
    let mut connection = options.connect().await.unwrap();
    sqlx::query(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}
