//! Calls that wait for the user's word.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::{
    DecidedBy, Decision, DecisionScope, Event, EventBody, SessionStatus, StopReason, code,
};

use super::scripted::*;
use crate::app::project::session_answers;
use crate::source::{Block, ToolDefinition};
use crate::tool::permission::Subject;
use crate::tool::{Access, Tool, ToolOutcome};

fn asks(ids: &[&str]) -> Reply {
    let calls: Vec<_> = ids.iter().map(|id| call(id, "write")).collect();
    reply(&calls, "tool_use")
}

async fn stage(replies: impl IntoIterator<Item = Reply>) -> Stage {
    let done = Does::Answer(json!("written"));
    let stage = Stage::new(replies).await;
    stage.with("write", Access::Changes, done)
}

fn decisions(events: &[Event]) -> Vec<(String, Decision, DecisionScope, DecidedBy)> {
    let decisions = events.iter().filter_map(|event| {
        if let EventBody::PermissionDecision {
            tool_call_id,
            decision,
            scope,
            decided_by,
            ..
        } = &event.body
        {
            Some((tool_call_id.clone(), *decision, *scope, *decided_by))
        } else {
            None
        }
    });
    decisions.collect()
}

/// The last turn of a session.
async fn turn(stage: &Stage, session: Uuid) -> Uuid {
    let events = stage.stored(session).await;
    let last = events.iter().rev().find_map(|event| event.turn_id);
    last.unwrap()
}

#[tokio::test]
async fn a_call_runs_after_the_user_said_so_and_only_then() {
    let cases = [
        (Decision::Allow, 1, (false, "written")),
        (
            Decision::Deny,
            0,
            (true, "The user did not allow this call."),
        ),
    ];
    for (decision, runs, result) in cases {
        let mut stage = stage([asks(&["a"]), reply(&[text("Well.")], "end_turn")]).await;
        let session = stage.start().await;
        stage.until("permission_request", 1).await;
        assert_eq!(stage.status(session).await, SessionStatus::Waiting);
        assert_eq!(stage.runs(), 0);
        let turn = turn(&stage, session).await;
        let app = &stage.app;
        let other = app
            .decide(session, turn, "b", decision, DecisionScope::Once)
            .await;
        assert_eq!(other.unwrap_err().body().code, code::NOT_WAITING);
        app.decide(session, turn, "a", decision, DecisionScope::Once)
            .await
            .unwrap();
        let again = app
            .decide(session, turn, "a", decision, DecisionScope::Once)
            .await;
        assert_eq!(again.unwrap_err().body().code, code::NOT_WAITING);
        app.wait(session).await;
        let events = stage.stored(session).await;
        assert_eq!(
            kinds(&events),
            [
                "user_message",
                "tool_use",
                "usage",
                "permission_request",
                "permission_decision",
                "tool_result",
                "message",
                "usage",
                "complete",
            ]
        );
        assert_eq!(stage.runs(), runs);
        let (is_error, words) = result;
        assert_eq!(
            results(&events),
            [("a".to_owned(), is_error, words.to_owned())]
        );
        let user = DecidedBy::User;
        assert_eq!(
            decisions(&events),
            [("a".to_owned(), decision, DecisionScope::Once, user)]
        );
        let late = stage
            .app
            .decide(session, turn, "a", decision, DecisionScope::Once)
            .await;
        assert_eq!(late.unwrap_err().body().code, code::NOT_WAITING);
    }
}

#[tokio::test]
async fn several_are_asked_together_and_answered_each_on_its_own() {
    let mut stage = stage([asks(&["a", "b", "c"]), reply(&[text("Well.")], "end_turn")]).await;
    let session = stage.start().await;
    stage.until("permission_request", 3).await;
    let turn = turn(&stage, session).await;
    // Nobody else waits for it.
    let other = stage.start_demo().await;
    stage.app.wait(other).await;
    for (id, decision) in [
        ("c", Decision::Allow),
        ("a", Decision::Deny),
        ("b", Decision::Allow),
    ] {
        assert_eq!(stage.status(session).await, SessionStatus::Waiting, "{id}");
        let scope = DecisionScope::Once;
        stage
            .app
            .decide(session, turn, id, decision, scope)
            .await
            .unwrap();
    }
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::EndTurn);
    assert_eq!(stage.runs(), 2);
    let answered: Vec<String> = decisions(&events).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(answered, ["c", "a", "b"]);
    let asked = stage.script.asked();
    let sent = asked[1].messages[2].blocks.iter().map(|block| {
        let Block::ToolResult {
            tool_call_id,
            is_error,
            ..
        } = block
        else {
            panic!("{block:?}");
        };
        (tool_call_id.as_str(), *is_error)
    });
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [("a", true), ("b", false), ("c", false)]
    );
}

#[tokio::test]
async fn an_answer_for_the_session_is_not_asked_for_again() {
    let same = |id: &str| reply(&[call_with(id, "write", json!({"at": 1}))], "tool_use");
    let mut stage = stage([same("a"), same("b"), reply(&[text("Twice.")], "end_turn")]).await;
    let session = stage.start().await;
    stage.until("permission_request", 1).await;
    let scope = DecisionScope::Session;
    let turn = turn(&stage, session).await;
    stage
        .app
        .decide(session, turn, "a", Decision::Allow, scope)
        .await
        .unwrap();
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(stage.runs(), 2);
    assert_eq!(decisions(&events).len(), 1);
    assert_eq!(session_answers(&events).len(), 1);
    // A fork is a session of its own.
    let fork = stage.app.fork(session, None).await.unwrap();
    let copied = stage.stored(fork.id).await;
    assert_eq!(decisions(&copied).len(), 1);
    assert_eq!(session_answers(&copied), []);
}

/// Sources number their calls anew in every turn: an answer to one that was shown earlier is
/// none to its namesake.
#[tokio::test]
async fn an_answer_reaches_the_turn_it_was_given_for() {
    let mut stage = stage([
        asks(&["call_0"]),
        asks(&["call_0"]),
        reply(&[text("Well.")], "end_turn"),
    ])
    .await;
    let session = stage.start().await;
    stage.until("permission_request", 1).await;
    let first = turn(&stage, session).await;
    stage.app.stop(session).await.unwrap();
    stage.go_on(Some(session)).await;
    stage.until("permission_request", 1).await;
    let second = turn(&stage, session).await;
    let (allow, once) = (Decision::Allow, DecisionScope::Once);
    for (turn, waits) in [(first, false), (Uuid::now_v7(), false), (second, true)] {
        let app = &stage.app;
        assert_eq!(app.waiting(session, turn, "call_0").is_ok(), waits);
        let answered = app.decide(session, turn, "call_0", allow, once).await;
        assert_eq!(answered.is_ok(), waits);
    }
    stage.app.wait(session).await;
    assert_eq!(stage.runs(), 1);
}

/// A tool whose call leads elsewhere after a while.
struct Turning {
    inner: ScriptedTool,
    turned: Arc<AtomicBool>,
}

impl Tool for Turning {
    fn definition(&self) -> ToolDefinition {
        self.inner.definition()
    }

    fn access(&self) -> Access {
        self.inner.access()
    }

    fn subject(&self, _input: &Value) -> Subject {
        let turned = self.turned.load(Ordering::SeqCst);
        Subject::Paths(vec![turned.to_string()])
    }

    fn run(&self, input: Value) -> BoxFuture<'static, ToolOutcome> {
        self.inner.run(input)
    }
}

#[tokio::test]
async fn a_yes_is_none_to_what_stands_there_since() {
    let changed = "The file changed while you were asked; nothing was read.";
    let rows = [
        (false, Decision::Allow, 1, "written", 1),
        (true, Decision::Allow, 0, changed, 0),
        (
            true,
            Decision::Deny,
            0,
            "The user did not allow this call.",
            1,
        ),
    ];
    for (turns, decision, runs, words, kept) in rows {
        let replies = [asks(&["a"]), reply(&[text("Well.")], "end_turn")];
        let mut stage = Stage::new(replies).await;
        let (turned, ran) = (Arc::new(AtomicBool::new(false)), Arc::default());
        stage.tools.push(Arc::new(Turning {
            inner: ScriptedTool {
                name: "write",
                access: Access::Changes,
                does: Does::Answer(json!("written")),
                runs: Arc::clone(&ran),
                gate: None,
            },
            turned: Arc::clone(&turned),
        }));
        let session = stage.start().await;
        stage.until("permission_request", 1).await;
        turned.store(turns, Ordering::SeqCst);
        let turn = turn(&stage, session).await;
        let app = &stage.app;
        app.decide(session, turn, "a", decision, DecisionScope::Session)
            .await
            .unwrap();
        app.wait(session).await;
        let events = stage.stored(session).await;
        assert_eq!(results(&events)[0].2, words);
        assert_eq!(ran.load(Ordering::SeqCst), runs);
        assert_eq!(session_answers(&events).len(), kept, "{words}");
    }
}

#[tokio::test]
async fn a_stop_while_waiting_is_a_no_by_nobody() {
    let mut stage = stage([asks(&["a"])]).await;
    let session = stage.start().await;
    stage.until("permission_request", 1).await;
    stage.app.stop(session).await.unwrap();
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::Cancelled);
    assert_eq!(
        decisions(&events),
        [(
            "a".to_owned(),
            Decision::Deny,
            DecisionScope::Once,
            DecidedBy::Nobody
        )]
    );
    assert_eq!(stage.runs(), 0);
}

/// Weir ends, as if killed, while a call waits or runs; what is sent after that says so, and
/// nothing runs again.
#[test]
fn a_call_that_weir_was_closed_over_is_answered_and_never_run_again() {
    let cases = [
        (
            Access::Changes,
            "permission_request",
            0,
            "This call was not run.",
        ),
        (
            Access::ReadOnly,
            "usage",
            1,
            "Weir was interrupted during this call; it is not known whether it ran.",
        ),
    ];
    for (access, seen, runs, words) in cases {
        let runtime = || {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(2).enable_all().build().unwrap()
        };
        let first = runtime();
        let (session, folder) = first.block_on(async {
            let mut stage = Stage::new([asks(&["a"])])
                .await
                .with("write", access, Does::Hang);
            let session = stage.start().await;
            stage.until(seen, 1).await;
            while stage.runs() < runs {
                tokio::task::yield_now().await;
            }
            (session, stage.folder())
        });
        drop(first);
        runtime().block_on(async {
            let replies = [reply(&[text("On we go.")], "end_turn")];
            let stage = Stage::in_folder(folder, replies)
                .await
                .with("write", access, Does::Hang);
            assert_eq!(stage.status(session).await, SessionStatus::Interrupted);
            let turn = turn(&stage, session).await;
            let late = stage
                .app
                .decide(session, turn, "a", Decision::Allow, DecisionScope::Once)
                .await;
            assert_eq!(late.unwrap_err().body().code, code::NOT_WAITING);
            stage.go_on(Some(session)).await;
            stage.app.wait(session).await;
            let events = stage.stored(session).await;
            assert_eq!(ended(&events), StopReason::EndTurn);
            assert_eq!(decisions(&events), []);
            assert_eq!(stage.runs(), 0);
            let asked = stage.script.asked();
            let Block::ToolResult {
                result, is_error, ..
            } = &asked[0].messages[2].blocks[0]
            else {
                panic!("{asked:?}");
            };
            assert!(is_error);
            assert_eq!(result, words);
        });
    }
}
