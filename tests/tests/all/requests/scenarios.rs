//! The conversations that are held with every source.

use serde_json::{Value, json};
use weir_core::app::Prompt;
use weir_core::source::Source;
use weir_protocol::{Image, ProviderTool, RequestOptions, Thinking};
use weir_tests::server::Request;
use weir_tests::steps::Step;

use super::conversation::{Stage, Subject, Talk};
use super::snapshots::Snapshot;
use super::{Capture, Captured, options, over_http};

/// Models that are asked in another way than their source's default one.
const VARIANTS: &[(&str, &str, &str)] = &[
    ("anthropic-budget", "anthropic", "claude-sonnet-4-5"),
    ("anthropic-haiku", "anthropic", "claude-haiku-5-5"),
    ("anthropic-opus", "anthropic", "claude-opus-5-5"),
    ("bedrock-nova", "bedrock", "global.amazon.nova-2-lite-v1:0"),
    ("bedrock-gpt-oss", "bedrock", "openai.gpt-oss-120b-1:0"),
    ("gemini-2.5", "gemini", "gemini-2.5-flash"),
    ("moonshot-k2", "moonshot", "kimi-k2.6"),
    ("ollama-gpt-oss", "ollama", "gpt-oss:20b"),
    ("openai-chat-sol", "openai-chat", "gpt-6.1-sol"),
    (
        "openrouter-anthropic",
        "openrouter",
        "anthropic/claude-sonnet-4.6",
    ),
    (
        "openrouter-google",
        "openrouter",
        "google/gemini-3-pro-preview",
    ),
];

/// Models beyond those that are offered, which know other words for how hard to think.
const OTHER_MODELS: &[(&str, &[&str])] = &[
    (
        "anthropic",
        &[
            "claude-3-5-haiku-20241022",
            "claude-opus-4-5",
            "claude-opus-4-6",
        ],
    ),
    ("openai", &["gpt-4.1", "gpt-5", "gpt-5.1-codex", "o3"]),
    ("openai-chat", &["gpt-4.1", "gpt-5", "gpt-5.1-codex", "o3"]),
    (
        "gemini",
        &["gemini-2.0-flash", "gemini-2.5-pro", "gemini-3-pro-preview"],
    ),
    ("ollama", &["gpt-oss:20b", "qwen3:8b"]),
];

/// Every word that a level of effort has anywhere; those that Weir does not know are passed over.
const EFFORTS: [&str; 8] = [
    "off", "minimal", "low", "medium", "high", "xhigh", "max", "auto",
];

const SYSTEM: &str = "Be brief.";
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
const JPEG: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==";
const FILE: &str = "What does this say?\n\n`notes.txt`:\n```\nA weir is a low wall.\n```";

pub(super) async fn run() -> Capture {
    let stage = Stage::new().await;
    let mut capture = Capture::default();
    for subject in over_http().map(Subject::of).chain(variants()) {
        let add = |capture: &mut Capture, scenario: &str, requests: Vec<Request>| {
            let snapshot = Snapshot::whole(&subject.name, scenario, &requests, &stage);
            capture.snapshots.push(snapshot);
            capture.keep(&subject, scenario, requests);
        };
        add(&mut capture, "turns", turns(&stage, &subject).await);
        add(&mut capture, "tool_loop", tool_loop(&stage, &subject).await);
        let stopped = stopped_call(&stage, &subject).await;
        add(&mut capture, "stopped_call", stopped);
        add(&mut capture, "images", images(&stage, &subject).await);
        add(&mut capture, "files", files(&stage, &subject).await);
        options::run(&stage, &subject, &mut capture).await;
        let provided = provider_tools(&stage, &subject).await;
        add(&mut capture, "provider_tools", provided);
    }
    for source in over_http() {
        efforts(&stage, source, &mut capture).await;
    }
    moves(&stage, &mut capture).await;
    capture
}

/// Where a body says how hard to think, in each dialect.
const LEVELS: [&str; 7] = [
    "/reasoning_effort",
    "/reasoning/effort",
    "/output_config/effort",
    "/generationConfig/thinkingConfig/thinkingLevel",
    "/additionalModelRequestFields/output_config/effort",
    "/additionalModelRequestFields/reasoning_effort",
    "/additionalModelRequestFields/reasoningConfig/maxReasoningEffort",
];

impl Capture {
    /// Keeps the word for how hard to think, if the body has one.
    fn add_level(&mut self, source: &'static str, model: &str, body: &Value) {
        let words = self.levels.entry((source, model.to_owned())).or_default();
        let said = LEVELS.iter().filter_map(|at| body.pointer(at)?.as_str());
        words.extend(said.map(str::to_owned));
    }

    pub(super) fn keep(&mut self, subject: &Subject, scenario: &str, requests: Vec<Request>) {
        let named = requests.into_iter().zip(1..).map(|(request, number)| {
            let name = format!("{}/{scenario}, request {number}", subject.name);
            Captured {
                name,
                source: subject.source,
                request,
            }
        });
        self.requests.extend(named);
    }
}

fn variants() -> impl Iterator<Item = Subject> {
    VARIANTS.iter().map(|(name, source, model)| Subject {
        name: (*name).to_owned(),
        source: weir_core::source::source(source).unwrap(),
        model: (*model).to_owned(),
    })
}

pub(super) fn prompt(text: &str) -> Prompt {
    Prompt {
        text: text.to_owned(),
        thinking: Some(Thinking::Medium),
        ..Prompt::default()
    }
}

fn told(text: &str) -> Prompt {
    Prompt {
        system: Some(SYSTEM.to_owned()),
        ..prompt(text)
    }
}

/// Thinks first.
fn thinks(text: &str) -> Step<'_> {
    Step {
        thinking: Some("A weir measures a stream."),
        text: Some(text),
        ..Step::default()
    }
}

fn says(text: &str) -> Step<'_> {
    Step {
        text: Some(text),
        ..Step::default()
    }
}

/// A first turn, one after thinking, and two more: cache breakpoints move along.
async fn turns(stage: &Stage, subject: &Subject) -> Vec<Request> {
    let mut talk = stage.talk();
    let mut asked = Vec::new();
    for (text, step) in [
        ("What is a weir?", thinks("A low wall.")),
        ("Why is it low?", thinks("To let water pass.")),
        ("How low?", says("As low as it needs.")),
        ("Thanks.", says("You are welcome.")),
    ] {
        asked.extend(talk.turn(subject, told(text), &[step]).await);
    }
    asked
}

/// Calls at once, after thinking; one alone; one that fails; the answer; and a turn after it.
async fn tool_loop(stage: &Stage, subject: &Subject) -> Vec<Request> {
    let mut talk = stage.talk();
    let at_once = [
        ("list_folder", json!({"path": "."})),
        ("read_file", json!({"path": "notes.txt"})),
    ];
    let alone = [("search_text", json!({"pattern": "weir", "literal": true}))];
    let failing = [("read_file", json!({"path": "missing.txt"}))];
    let steps = [
        Step {
            calls: &at_once,
            ..thinks("Let me look.")
        },
        Step {
            thinking: Some("Where else?"),
            calls: &alone,
            ..Step::default()
        },
        Step {
            calls: &failing,
            ..Step::default()
        },
        says("It is in notes.txt."),
    ];
    let first = Prompt {
        project: Some(stage.project.clone()),
        ..told("Where is the weir?")
    };
    let mut asked = talk.turn(subject, first, &steps).await;
    let next = told("And what is it?");
    asked.extend(talk.turn(subject, next, &[says("A wall.")]).await);
    asked
}

/// A turn that ends over its calls, and a prompt after it: nothing was said of the results.
async fn stopped_call(stage: &Stage, subject: &Subject) -> Vec<Request> {
    let mut talk = stage.talk();
    let calls = [("read_file", json!({"path": "notes.txt"}))];
    let step = Step {
        calls: &calls,
        ..thinks("Let me look.")
    };
    let first = Prompt {
        project: Some(stage.project.clone()),
        max_turns: Some(1),
        ..told("Where is the weir?")
    };
    let mut asked = talk.turn(subject, first, &[step]).await;
    let next = told("Never mind. What is it?");
    asked.extend(talk.turn(subject, next, &[says("A wall.")]).await);
    asked
}

/// Every tool that the provider runs, used once; and a turn that keeps them without being told.
/// A source that offers none is asked without.
async fn provider_tools(stage: &Stage, subject: &Subject) -> Vec<Request> {
    let mut talk = stage.talk();
    let options = RequestOptions {
        provider_tools: ProviderTool::ALL.to_vec(),
        file_stores: vec!["stores/weirs".to_owned()],
        ..RequestOptions::default()
    };
    let first = Prompt {
        options: Some(options),
        ..prompt("What is new about weirs?")
    };
    let found = Step {
        search: Some("weirs"),
        ..thinks("Nothing.")
    };
    let mut asked = talk.turn(subject, first, &[found]).await;
    let next = prompt("And about walls?");
    asked.extend(talk.turn(subject, next, &[says("Neither.")]).await);
    asked
}

async fn images(stage: &Stage, subject: &Subject) -> Vec<Request> {
    let mut talk = stage.talk();
    let mut asked = talk.turn(subject, pictured(), &[says("Two dots.")]).await;
    let next = prompt("Which is larger?");
    asked.extend(talk.turn(subject, next, &[says("Neither.")]).await);
    asked
}

fn pictured() -> Prompt {
    let image = |media_type: &str, data: &str| Image {
        media_type: media_type.to_owned(),
        data: data.to_owned(),
    };
    Prompt {
        images: vec![image("image/png", PNG), image("image/jpeg", JPEG)],
        ..prompt("What is in these?")
    }
}

/// A file in the prompt, the project's instructions, and files that the model reads.
async fn files(stage: &Stage, subject: &Subject) -> Vec<Request> {
    let mut talk = stage.talk();
    let reads = [
        ("read_file", json!({"path": "odd.txt"})),
        ("read_file", json!({"path": "src/main.rs", "limit": 1})),
    ];
    let steps = [
        Step {
            calls: &reads,
            ..Step::default()
        },
        says("Odd."),
    ];
    let first = Prompt {
        project: Some(stage.project.clone()),
        ..prompt(FILE)
    };
    talk.turn(subject, first, &steps).await
}

/// Every level of effort with every model; of the bodies only what is not the conversation is
/// committed.
async fn efforts(stage: &Stage, source: &'static Source, capture: &mut Capture) {
    let others = OTHER_MODELS.iter().filter(|(name, _)| *name == source.name);
    let others = others.flat_map(|(_, models)| models.iter());
    let mut models: Vec<String> = vec![Subject::of(source).model];
    for model in source.models.iter().chain(others) {
        if !models.iter().any(|known| known == model) {
            models.push((*model).to_owned());
        }
    }
    let levels: Vec<(String, Thinking)> = EFFORTS
        .iter()
        .filter_map(|word| {
            let thinking = serde_json::from_value(Value::from(*word)).ok()?;
            Some(((*word).to_owned(), thinking))
        })
        .chain([("5000 tokens".to_owned(), Thinking::Tokens(5_000))])
        .collect();
    assert!(levels.len() >= 5, "the levels are found");
    let mut snapshot = Snapshot::new(source.name, "efforts");
    for model in models {
        let subject = Subject {
            model: model.clone(),
            ..Subject::of(source)
        };
        for (word, thinking) in &levels {
            let asked = Prompt {
                thinking: Some(*thinking),
                ..prompt("Why?")
            };
            let mut talk = stage.talk();
            let requests = talk.turn(&subject, asked, &[says("So.")]).await;
            snapshot.add_settings(&model, word, &requests[0].body);
            if source.models.contains(&model.as_str()) {
                capture.add_level(source.name, &model, &requests[0].body);
            }
            capture.keep(&subject, &format!("efforts, {model}, {word}"), requests);
        }
    }
    capture.snapshots.push(snapshot);
}

/// A session of each source with everything in it, gone on with by every other one; and one that
/// comes back after another source has answered.
async fn moves(stage: &Stage, capture: &mut Capture) {
    let subjects: Vec<Subject> = over_http().map(Subject::of).collect();
    let mut snapshots: Vec<Snapshot> = subjects
        .iter()
        .map(|target| Snapshot::new(&target.name, "moved_here"))
        .collect();
    for origin in &subjects {
        let talk = everything(stage, origin).await;
        for (target, snapshot) in subjects.iter().zip(&mut snapshots) {
            if target.name == origin.name {
                continue;
            }
            let mut moved = talk.fork().await;
            let asked = told("Go on.");
            let requests = moved.turn(target, asked, &[says("Well.")]).await;
            snapshot.add_outline(&origin.name, &requests[0].body);
            capture.keep(target, &format!("moved from {}", origin.name), requests);
        }
    }
    capture.snapshots.extend(snapshots);
    for (index, origin) in subjects.iter().enumerate() {
        let elsewhere = &subjects[(index + 1) % subjects.len()];
        let mut talk = everything(stage, origin).await;
        let away = told("Go on.");
        talk.turn(elsewhere, away, &[thinks("Well.")]).await;
        let requests = talk.turn(origin, told("And back?"), &[says("Yes.")]).await;
        let scenario = "moved_back";
        let snapshot = Snapshot::whole(&origin.name, scenario, &requests, stage);
        capture.snapshots.push(snapshot);
        capture.keep(origin, scenario, requests);
    }
}

async fn everything<'a>(stage: &'a Stage, origin: &Subject) -> Talk<'a> {
    let mut talk = stage.talk();
    let calls = [
        ("list_folder", json!({"path": "src"})),
        ("read_file", json!({"path": "notes.txt"})),
    ];
    let steps = [
        Step {
            calls: &calls,
            ..thinks("Let me look.")
        },
        thinks("A wall."),
    ];
    let first = Prompt {
        project: Some(stage.project.clone()),
        system: Some(SYSTEM.to_owned()),
        ..pictured()
    };
    talk.turn(origin, first, &steps).await;
    talk.turn(origin, told("Why?"), &[thinks("To measure.")])
        .await;
    talk
}
