//! Originals in the input of a call: who gets them, and that nothing of them comes back.

use std::path::Path;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::{DecidedBy, Decision, DecisionScope, Event, EventBody, HookEvent};

use super::scripted::*;
use crate::hook::{Hook, HookInput, HookReply, Hooks, Permission, Point};
use crate::source::ToolDefinition;
use crate::tool::permission::{Permissions, RuleFile, Rules, read_rules};
use crate::tool::{Access, Reach, Tool, ToolOutcome};

/// What a tool makes of the strings it is given.
type Change = fn(&str) -> String;

/// Answers with what it was given, changed.
struct Echo {
    reach: Reach,
    change: Change,
    given: Arc<Mutex<Vec<Value>>>,
}

impl Tool for Echo {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "echo".to_owned(),
            description: "Says it again.".to_owned(),
            schema: json!({"type": "object"}),
        }
    }

    fn access(&self) -> Access {
        Access::ReadOnly
    }

    fn reach(&self) -> Reach {
        self.reach
    }

    fn run(&self, input: Value) -> BoxFuture<'static, ToolOutcome> {
        self.given.lock().unwrap().push(input.clone());
        let text = input["to"].as_str().unwrap_or_default();
        let outcome = ToolOutcome::failed(format!("No {}.", (self.change)(text)));
        async move { outcome }.boxed()
    }
}

/// A password that no rule knows by its looks.
fn canary() -> String {
    let id = Uuid::new_v4().simple().to_string();
    ["canary", &id[..6], "Word", &id[6..9]].concat()
}

/// The model reads a password, and then passes its placeholder on.
async fn stage(canary: &str, inputs: &[Value], reach: Reach, change: Change) -> (Stage, Given) {
    let mut replies = vec![reply(&[call("look", "look")], "tool_use")];
    for (number, input) in inputs.iter().enumerate() {
        let id = format!("call_{number}");
        replies.push(reply(&[call_with(&id, "echo", input.clone())], "tool_use"));
    }
    replies.push(reply(&[text("Well.")], "end_turn"));
    let found = json!({ "password": canary });
    let mut stage = Stage::new(replies).await;
    stage = stage.with("look", Access::ReadOnly, Does::Answer(found));
    let given = Given::default();
    stage.tools.push(Arc::new(Echo {
        reach,
        change,
        given: Arc::clone(&given),
    }));
    (stage, given)
}

type Given = Arc<Mutex<Vec<Value>>>;

fn allowing(folder: &Path, tool: &str) -> Permissions {
    let text = json!({"permissions": {"allow": [tool]}}).to_string();
    let (rules, _) = read_rules(RuleFile {
        name: "rules",
        text: &text,
        project: folder,
    });
    Permissions::new(Arc::new(Rules::new(folder, rules)))
}

async fn last_turn(stage: &Stage, session: Uuid) -> Uuid {
    let events = stage.stored(session).await;
    events.iter().rev().find_map(|event| event.turn_id).unwrap()
}

fn requests(events: &[Event]) -> Vec<(Value, String)> {
    let requests = events.iter().filter_map(|event| {
        if let EventBody::PermissionRequest { input, reason, .. } = &event.body {
            Some((input.clone(), reason.clone()))
        } else {
            None
        }
    });
    requests.collect()
}

fn check_absent(stage: &Stage, events: &[Event], canary: &str) {
    let sent = format!("{:?}", stage.script.asked());
    let stored = serde_json::to_string(events).unwrap();
    for text in [sent, stored] {
        assert!(!text.contains(canary), "{text}");
    }
}

#[tokio::test]
async fn a_tool_that_is_not_local_is_given_an_original_only_after_the_user_agreed() {
    let rows = [Decision::Allow, Decision::Deny];
    for decision in rows {
        let canary = canary();
        let input = json!({ "to": "mail [PASSWORD_1]" });
        let (mut stage, given) = stage(
            &canary,
            std::slice::from_ref(&input),
            Reach::Elsewhere,
            str::to_owned,
        )
        .await;
        // A rule that lets the tool run says nothing about originals.
        stage.permissions = allowing(stage.folder().path(), "echo");
        let session = stage.start().await;
        stage.until("permission_request", 1).await;
        assert!(given.lock().unwrap().is_empty());
        let turn = last_turn(&stage, session).await;
        let waiting = stage.app.waiting(session, turn, "call_0").unwrap();
        assert_eq!(waiting.originals, ["[PASSWORD_1]"]);
        let decided = stage
            .app
            .decide(session, turn, "call_0", decision, DecisionScope::Once);
        decided.await.unwrap();
        stage.app.wait(session).await;
        let events = stage.stored(session).await;
        let asked = requests(&events);
        assert_eq!(asked[0].0, input);
        assert!(
            asked[0].1.contains("originals of [PASSWORD_1]"),
            "{asked:?}"
        );
        let result = results(&events).pop().unwrap();
        match decision {
            Decision::Allow => {
                let restored = json!({ "to": format!("mail {canary}") });
                assert_eq!(*given.lock().unwrap(), [restored]);
                assert_eq!(result.2, "No mail [PASSWORD_1].");
            }
            Decision::Deny => assert!(given.lock().unwrap().is_empty()),
        }
        check_absent(&stage, &events, &canary);
    }
}

#[tokio::test]
async fn an_answer_holds_for_the_same_originals_and_for_nothing_else() {
    let canary = canary();
    let input = json!({ "to": "[PASSWORD_1]" });
    let other = json!({ "to": "x [PASSWORD_1]" });
    let inputs = [input.clone(), input, other, json!({ "to": "nothing" })];
    let (mut stage, given) = stage(&canary, &inputs, Reach::Elsewhere, str::to_owned).await;
    let session = stage.start().await;
    for id in ["call_0", "call_2"] {
        stage.until("permission_request", 1).await;
        let turn = last_turn(&stage, session).await;
        let (yes, scope) = (Decision::Allow, DecisionScope::Session);
        stage
            .app
            .decide(session, turn, id, yes, scope)
            .await
            .unwrap();
    }
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(requests(&events).len(), 2, "the others are not asked about");
    assert_eq!(given.lock().unwrap().len(), 4);
    check_absent(&stage, &events, &canary);
}

struct Answers(fn(&Point) -> HookReply);

impl Hook for Answers {
    fn name(&self) -> String {
        "answers".to_owned()
    }

    fn run(&self, input: HookInput) -> BoxFuture<'static, HookReply> {
        let reply = (self.0)(&input.point);
        async move { reply }.boxed()
    }
}

#[tokio::test]
async fn a_hook_cannot_agree_to_originals_and_says_none_of_them() {
    let canary = canary();
    let inputs = [json!({ "to": "[PASSWORD_1]" }), json!({ "to": "plain" })];
    let (mut stage, given) = stage(&canary, &inputs, Reach::Elsewhere, str::to_owned).await;
    let mut hooks = Hooks::default();
    let allows: fn(&Point) -> HookReply = |point| HookReply {
        permission: Some((Permission::Allow, "fine".to_owned())),
        message: Some(format!("I saw {point:?}")),
        context: Some(format!("{point:?}").to_uppercase()),
        ..HookReply::passed()
    };
    let replaces: fn(&Point) -> HookReply = |point| HookReply {
        updated_output: Some(json!({ "seen": [format!("{point:?}")] })),
        ..HookReply::passed()
    };
    hooks.register(HookEvent::PreToolUse, "", Arc::new(Answers(allows)));
    hooks.register(HookEvent::PostToolUse, "echo", Arc::new(Answers(replaces)));
    stage.hooks = hooks;
    let session = stage.start().await;
    stage.until("permission_request", 1).await;
    let turn = last_turn(&stage, session).await;
    let waiting = stage.app.waiting(session, turn, "call_0").unwrap();
    assert_eq!(waiting.originals, ["[PASSWORD_1]"]);
    let (yes, scope) = (Decision::Allow, DecisionScope::Once);
    stage
        .app
        .decide(session, turn, "call_0", yes, scope)
        .await
        .unwrap();
    stage.app.wait(session).await;
    assert_eq!(given.lock().unwrap().len(), 2);
    let events = stage.stored(session).await;
    check_absent(&stage, &events, &canary);
    check_absent(&stage, &events, &canary.to_uppercase());
    let by_hook = events.iter().filter(|event| {
        matches!(
            &event.body,
            EventBody::PermissionDecision {
                decided_by: DecidedBy::Hook,
                ..
            }
        )
    });
    assert_eq!(by_hook.count(), 0);
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02X}")).collect()
}

fn base64(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let bits: Vec<bool> = text
        .bytes()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1))
        .collect();
    let sextet = |bits: &[bool]| {
        let bits = bits.iter().chain(&[false; 5]).take(6);
        bits.fold(0, |sum, bit| sum * 2 + usize::from(*bit))
    };
    bits.chunks(6)
        .map(|it| char::from(ALPHABET[sextet(it)]))
        .collect()
}

/// What tools do to what they are given.
const CHANGES: [Change; 14] = [
    str::to_owned,
    |text| text.to_uppercase(),
    |text| format!("{text:?}"),
    |text| Value::from(text).to_string(),
    |text| {
        text.chars()
            .map(|it| format!("\\u{:04x}", u32::from(it)))
            .collect()
    },
    percent,
    |text| percent(&percent(text)),
    |text| {
        text.chars()
            .map(|it| format!("&#{};", u32::from(it)))
            .collect()
    },
    base64,
    |text| base64(&format!("{{\"a\":\"{text}\"}}")),
    hex,
    |text| text.chars().rev().collect(),
    |text| text.chars().map(|it| format!("{it}\n")).collect(),
    |text| format!("{text:?}", text = text.as_bytes()),
];

/// How a model writes a placeholder into an input.
const SHAPES: [&str; 10] = [
    "[PASSWORD_1]",
    "x[PASSWORD_1]y",
    "[PASSWORD_1][PASSWORD_1]",
    "[PASSWORD_1]/[PASSWORD_1]",
    "a/[PASSWORD_1]/b.txt",
    "'[PASSWORD_1]'",
    "user:[PASSWORD_1]@host",
    "../[PASSWORD_1]",
    "[[PASSWORD_1]]",
    "é[PASSWORD_1]\n",
];

fn holds(folder: &Path, needle: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, needle);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes
            .windows(needle.len())
            .any(|it| it == needle.as_bytes())
    })
}

#[tokio::test]
async fn no_form_of_an_original_comes_back_from_a_tool_that_was_given_it() {
    let mut attempts = 0;
    for change in CHANGES {
        let canary = canary();
        let inputs = SHAPES.map(|shape| json!({ "to": shape }));
        let (mut stage, given) = stage(&canary, &inputs, Reach::Elsewhere, change).await;
        let session = stage.start().await;
        for number in 0..inputs.len() {
            stage.until("permission_request", 1).await;
            let turn = last_turn(&stage, session).await;
            let id = format!("call_{number}");
            let (yes, scope) = (Decision::Allow, DecisionScope::Once);
            stage
                .app
                .decide(session, turn, &id, yes, scope)
                .await
                .unwrap();
        }
        stage.app.wait(session).await;
        let events = stage.stored(session).await;
        assert_eq!(given.lock().unwrap().len(), inputs.len());
        let sent = format!("{:?}", stage.script.asked());
        stage.app.store().close().await;
        for form in CHANGES.map(|form| form(&canary)) {
            check_absent(&stage, &events, &form);
            assert!(!sent.contains(&form), "{form} in {sent}");
            assert!(!holds(stage.folder().path(), &form), "{form}");
        }
        attempts += inputs.len();
    }
    assert_eq!(attempts, CHANGES.len() * SHAPES.len());
}
