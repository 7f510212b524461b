use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::{Decision, DecisionScope};

use super::{Fake, fake, permissions};
use crate::tool::Access;
use crate::tool::permission::{Binding, Covered, Originals, Permissions, Verdict};
use crate::value_search::{Known, KnownValues, Pieces};

fn input() -> Value {
    json!({"path": "a", "text": "one", "more": [1, {"x": null}]})
}

fn asks(permissions: &Permissions, tool: &Fake, input: &Value) -> bool {
    matches!(permissions.verdict(tool, input), Verdict::Ask { .. })
}

#[test]
fn an_answer_holds_for_exactly_its_call() {
    let tool = fake("Edit");
    let (mut permissions, _) = permissions(&["[]"]);
    assert!(asks(&permissions, &tool, &input()));
    let kept = permissions.remember(
        &Binding::of(&tool, &input()),
        Decision::Allow,
        DecisionScope::Session,
    );
    assert_eq!(kept, Some(Binding::of(&tool, &input())));
    assert_eq!(permissions.verdict(&tool, &input()), Verdict::Allow);
    // The order of fields is no difference.
    let same: Value =
        serde_json::from_str(r#"{"more":[1,{"x":null}],"text":"one","path":"a"}"#).unwrap();
    assert_eq!(permissions.verdict(&tool, &same), Verdict::Allow);

    let tools = [
        Fake {
            name: "Edit2",
            ..tool.clone()
        },
        Fake {
            description: "Does something. ",
            ..tool.clone()
        },
        Fake {
            schema: json!({"type": "object", "x": 1}),
            ..tool.clone()
        },
        Fake {
            access: Access::ReadOnly,
            name: "Edit_",
            ..tool.clone()
        },
    ];
    for (changed, number) in tools.iter().zip(1..) {
        assert_ne!(
            Binding::of(changed, &input()),
            Binding::of(&tool, &input()),
            "{number}"
        );
    }
    assert!(asks(&permissions, &tools[0], &input()));
    assert!(asks(&permissions, &tools[1], &input()));
    assert!(asks(&permissions, &tools[2], &input()));
    let inputs = [
        json!({"path": "b", "text": "one", "more": [1, {"x": null}]}),
        json!({"path": "a", "text": "One", "more": [1, {"x": null}]}),
        json!({"path": "a", "text": "one", "more": [1, {"x": 0}]}),
        json!({"path": "a", "text": "one", "more": [{"x": null}, 1]}),
        json!({"path": "a", "text": "one"}),
        json!({"path": "a", "text": "one", "more": [1, {"x": null}], "extra": true}),
        Value::Null,
    ];
    for changed in inputs {
        assert!(asks(&permissions, &tool, &changed), "{changed}");
    }
}

#[test]
fn a_link_that_was_turned_asks_again() {
    let tool = Fake {
        leads_to: "docs/a",
        ..fake("Edit")
    };
    let call = json!({"path": "link"});
    let (mut permissions, _) = permissions(&["[]"]);
    permissions.remember(
        &Binding::of(&tool, &call),
        Decision::Allow,
        DecisionScope::Project,
    );
    assert_eq!(permissions.verdict(&tool, &call), Verdict::Allow);
    let turned = Fake {
        leads_to: "docs/b",
        ..tool
    };
    assert!(asks(&permissions, &turned, &call));
}

#[test]
fn how_far_an_answer_reaches() {
    let tool = fake("Edit");
    let rows = [
        (r#"[]"#, Decision::Allow, DecisionScope::Once, "ask"),
        (r#"[]"#, Decision::Allow, DecisionScope::Session, "allow"),
        (r#"[]"#, Decision::Allow, DecisionScope::Project, "allow"),
        (r#"[]"#, Decision::Deny, DecisionScope::Once, "ask"),
        (r#"[]"#, Decision::Deny, DecisionScope::Session, "deny"),
        (
            r#"["Edit"]"#,
            Decision::Deny,
            DecisionScope::Session,
            "deny",
        ),
        (
            r#"{"ask": ["Edit"]}"#,
            Decision::Allow,
            DecisionScope::Session,
            "allow",
        ),
        (
            r#"{"deny": ["Edit"]}"#,
            Decision::Allow,
            DecisionScope::Project,
            "deny",
        ),
    ];
    for (rules, decision, scope, expected) in rows {
        let (mut permissions, _) = permissions(&[rules]);
        permissions.remember(&Binding::of(&tool, &input()), decision, scope);
        let verdict = match permissions.verdict(&tool, &input()) {
            Verdict::Allow => "allow",
            Verdict::Ask { .. } => "ask",
            Verdict::Deny { .. } => "deny",
        };
        assert_eq!(verdict, expected, "{rules} {decision:?} {scope:?}");
    }
}

#[test]
fn a_no_outweighs_a_yes_to_the_same_call() {
    let tool = fake("Edit");
    let binding = Binding::of(&tool, &input());
    let (yes, no) = (Decision::Allow, Decision::Deny);
    for (project, session) in [
        ([yes, no], [yes, yes]),
        ([no, yes], [yes, yes]),
        ([yes, yes], [no, yes]),
    ] {
        let kept = |answers: [Decision; 2]| answers.map(|answer| (binding.clone(), answer));
        let (fresh, _) = permissions(&["[]"]);
        let restored = fresh
            .with_answers(kept(project))
            .with_answers(kept(session));
        let verdict = restored.verdict(&tool, &input());
        assert!(
            matches!(verdict, Verdict::Deny { .. }),
            "{project:?} {session:?}"
        );
    }
}

#[test]
fn kept_answers_come_back() {
    let tool = fake("Edit");
    let text = Binding::of(&tool, &input()).to_string();
    assert_eq!(text.len(), 64);
    let (fresh, _) = permissions(&["[]"]);
    let restored = fresh.with_answers([(Binding::kept(text), Decision::Allow)]);
    assert_eq!(restored.verdict(&tool, &input()), Verdict::Allow);
    let (fresh, _) = permissions(&["[]"]);
    let damaged = fresh.with_answers([(Binding::kept("Edit"), Decision::Allow)]);
    assert!(asks(&damaged, &tool, &input()));
}

/// The binding is stored: were it a hash of the original, a PIN would be found by trying them all.
#[test]
fn an_answer_to_a_call_with_originals_is_bound_to_placeholders() {
    let tool = fake("Edit");
    let covered = |session: Uuid, placeholder: &str, value: &str| Covered {
        session,
        input: json!({"path": format!("pins/{placeholder}")}),
        known: Arc::new(KnownValues::new([Known {
            value: value.to_owned(),
            replacement: placeholder.to_owned(),
            pieces: Pieces::Searched,
        }])),
    };
    let (permissions, _) = permissions(&["[]"]);
    let binding = |value: &str, covered: &Covered| {
        let input = json!({"path": format!("pins/{value}")});
        let judged = permissions.judge(&tool, &input, Originals::Withheld, Some(covered));
        assert_eq!(
            judged.binding,
            Binding::spelled(&tool, &input, Some(covered))
        );
        judged.binding
    };
    let (session, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let bound = binding("4711", &covered(session, "[PIN_1]", "4711"));
    // It says nothing of the value, and tells which original it is about.
    assert_eq!(bound, binding("0815", &covered(session, "[PIN_1]", "0815")));
    assert_ne!(bound, binding("0815", &covered(session, "[PIN_2]", "0815")));
    assert_ne!(bound, binding("4711", &covered(other, "[PIN_1]", "4711")));
    for pin in 0..10_000 {
        let guess = Binding::of(&tool, &json!({"path": format!("pins/{pin:04}")}));
        assert_ne!(bound, guess);
    }
}
