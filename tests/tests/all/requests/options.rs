//! What a user sets of a request beside the model and how much it thinks.

use serde_json::json;
use weir_core::app::Prompt;
use weir_protocol::{RequestOptions, Thinking, ToolChoice};
use weir_tests::steps::Step;

use super::conversation::{Stage, Subject};
use super::snapshots::Snapshot;
use super::{Capture, scenarios};

fn numbers() -> RequestOptions {
    RequestOptions {
        max_tokens: Some(2_000),
        temperature: Some(0.3),
        top_p: Some(0.9),
        stop: vec!["END".to_owned()],
        ..RequestOptions::default()
    }
}

fn choosing(tool_choice: ToolChoice) -> RequestOptions {
    RequestOptions {
        tool_choice: Some(tool_choice),
        ..RequestOptions::default()
    }
}

fn schema() -> RequestOptions {
    RequestOptions {
        schema: Some(
            json!({"type": "object", "properties": {"answer": {"type": "string"}},
            "required": ["answer"]}),
        ),
        ..RequestOptions::default()
    }
}

/// Every option with and without thinking; of the bodies only what is not the conversation is
/// committed.
pub(super) async fn run(stage: &Stage, subject: &Subject, capture: &mut Capture) {
    let cases = [
        ("numbers", numbers(), Thinking::Off),
        ("numbers and thinking", numbers(), Thinking::High),
        ("auto", choosing(ToolChoice::Auto), Thinking::Medium),
        ("none", choosing(ToolChoice::None), Thinking::Medium),
        ("required", choosing(ToolChoice::Required), Thinking::Medium),
        (
            "required, off",
            choosing(ToolChoice::Required),
            Thinking::Off,
        ),
        (
            "one tool",
            choosing(ToolChoice::Tool("read_file".to_owned())),
            Thinking::Off,
        ),
    ];
    let cases = cases
        .into_iter()
        .map(|case| (case, Some(stage.project.clone())))
        .chain([
            (("schema", schema(), Thinking::Medium), None),
            (("schema, off", schema(), Thinking::Off), None),
        ]);
    let mut snapshot = Snapshot::new(&subject.name, "options");
    for ((name, options, thinking), project) in cases {
        let asked = Prompt {
            project,
            thinking: Some(thinking),
            options: Some(options),
            ..scenarios::prompt("Why?")
        };
        let says = Step {
            text: Some("So."),
            ..Step::default()
        };
        let requests = stage.talk().turn(subject, asked, &[says]).await;
        snapshot.add_settings(&subject.model, name, &requests[0].body);
        capture.keep(subject, &format!("options, {name}"), requests);
    }
    capture.snapshots.push(snapshot);
}
