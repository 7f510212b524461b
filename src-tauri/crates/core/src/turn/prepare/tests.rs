//! What is stored and what is sent, in letters.

mod laws;

use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::{
    DecidedBy, Decision, DecisionScope, ErrorBody, Event, EventBody, ExecutedBy, Image, StopReason,
    code,
};

use super::messages;
use crate::source::{Block, Message, Role};
use crate::turn::TurnId;

/// What is stored, in a few letters: `u` asks this model, `p` with a picture, `o` asks another
/// one, `t` is signed thinking, `x` sealed thinking, `n` unsigned thinking, `m` and `c` are text,
/// `w`, `v` and `s` are calls that Weir and the source run, `W`, `V` and `S` their results, `?`
/// asks for permission for `w`, `+` and `-` answer, `.` ends a turn, `!` interrupts it, `e` is an
/// error, `U` what a reply used. `k` is a summary that keeps the turn it is in, `K` one that keeps nothing.
pub(super) fn stored(script: &str) -> Vec<Event> {
    let mut id = TurnId {
        session: Uuid::nil(),
        turn: Uuid::nil(),
        started: crate::clock::now(),
    };
    script
        .chars()
        .map(|letter| {
            let body = body(letter, id.turn);
            if let EventBody::UserMessage { .. } = body {
                id.turn = Uuid::now_v7();
            }
            id.event(body, id.started)
        })
        .collect()
}

fn body(letter: char, turn: Uuid) -> EventBody {
    let thinking = |signature: Option<&str>, redacted: Option<&str>| EventBody::Thinking {
        detail: None,
        content: "hm".into(),
        signature: signature.map(str::to_owned),
        redacted: redacted.map(str::to_owned),
        duration_ms: 1,
    };
    let kept = |detail: Value| EventBody::Thinking {
        content: "hm".into(),
        signature: Some("sig".into()),
        redacted: None,
        duration_ms: 1,
        detail: Some(detail),
    };
    let asked = |model: &str, images: Vec<Image>| EventBody::UserMessage {
        content: "q".into(),
        source: "anthropic".into(),
        model: model.into(),
        images,
        system: None,
        replaces: None,
        thinking: None,
        options: Default::default(),
    };
    let tool = |executed_by: ExecutedBy, id: &str| EventBody::ToolUse {
        tool_call_id: id.into(),
        tool_name: "look".into(),
        input: json!({}),
        executed_by,
        signature: None,
        detail: None,
    };
    let result = |id: &str| EventBody::ToolResult {
        tool_call_id: id.into(),
        tool_name: "look".into(),
        result: "seen".into(),
        is_error: false,
        duration_ms: 1,
        detail: None,
    };
    let text = |content: &str| EventBody::Message {
        detail: None,
        content: content.into(),
        citations: Vec::new(),
        signature: None,
    };
    let decided = |decision: Decision| EventBody::PermissionDecision {
        tool_call_id: "w".into(),
        tool_name: "look".into(),
        decision,
        scope: DecisionScope::Once,
        decided_by: DecidedBy::User,
        others_wait: false,
        binding: None,
    };
    let failed = |code: &str| EventBody::Error {
        error: ErrorBody::new(code, "It failed."),
    };
    let summary = |keeps_from: Option<Uuid>| EventBody::Compaction {
        content: "sum".into(),
        keeps_from,
        tokens_before: 1,
    };
    let picture = Image {
        media_type: "image/png".into(),
        data: "aGk=".into(),
    };
    match letter {
        'u' => asked("this", Vec::new()),
        'p' => asked("this", vec![picture]),
        'o' => asked("other", Vec::new()),
        't' => thinking(Some("sig"), None),
        'x' => thinking(None, Some("sealed")),
        'n' => thinking(None, None),
        'i' => kept(json!({"id": "rs_1"})),
        'l' => kept(json!([{"type": "reasoning.encrypted"}])),
        'm' => text("a"),
        'c' => text("b"),
        ' ' => text(" "),
        'w' => tool(ExecutedBy::Weir, "w"),
        'W' => result("w"),
        'v' => tool(ExecutedBy::Weir, "v"),
        'V' => result("v"),
        's' => tool(ExecutedBy::Source, "s"),
        'S' => result("s"),
        '?' => EventBody::PermissionRequest {
            tool_call_id: "w".into(),
            tool_name: "look".into(),
            input: json!({}),
            reason: "No rule names it.".into(),
        },
        '+' => decided(Decision::Allow),
        '-' => decided(Decision::Deny),
        '.' => EventBody::Complete {
            stop_reason: StopReason::EndTurn,
            usage: None,
            cost: None,
        },
        'U' => EventBody::Usage {
            usage: Default::default(),
            cost: None,
            saved: None,
            model: "this".into(),
            first_chunk_ms: None,
            duration_ms: 1,
            is_estimate: false,
        },
        '!' => failed(code::INTERRUPTED),
        'e' => failed("overloaded_error"),
        'k' => summary(Some(turn)),
        'K' => summary(None),
        other => panic!("no event is called {other}"),
    }
}

/// What is sent, in the same letters, messages apart by a bar. An answer that Weir made up
/// itself is `#` where the call did not run, `~` where nobody knows; a summary is `=`, and
/// unsigned thinking `n`.
fn sent(script: &str) -> String {
    let message = |message: &Message| -> String { message.blocks.iter().map(letter).collect() };
    let messages = messages(&stored(script));
    let all: Vec<String> = messages.iter().map(message).collect();
    all.join("|")
}

fn letter(block: &Block) -> String {
    match block {
        Block::Text { text, .. } if text.ends_with("sum") => "=".into(),
        Block::Text { text, .. } => text.clone(),
        Block::Thinking { .. } => "t".into(),
        Block::ThinkingItem { detail, .. } if detail.is_array() => "l".into(),
        Block::ThinkingItem { .. } => "I".into(),
        Block::Redacted(_) => "x".into(),
        Block::Reasoning(_) => "n".into(),
        Block::Image { .. } => "i".into(),
        Block::ToolUse { tool_call_id, .. } => tool_call_id.clone(),
        Block::ToolResult {
            tool_call_id,
            result,
            is_error,
            ..
        } => match (is_error, result.as_str()) {
            (true, Some(super::NOT_RUN)) => "#".into(),
            (true, _) => "~".into(),
            (false, _) => tool_call_id.to_uppercase(),
        },
    }
}

fn check(cases: &[(&str, &str)]) {
    for (stored, expected) in cases {
        assert_eq!(sent(stored), *expected, "{stored:?}");
    }
}

#[test]
fn neighbours_of_one_role_are_one_message() {
    check(&[
        ("u", "q"),
        ("umcu", "q|ab|q"),
        ("uu", "qq"),
        ("mu", "q"),
        ("", ""),
    ]);
}

#[test]
fn interleaved_calls_and_results_are_split() {
    check(&[
        ("umwWcvVu", "q|aw|W|bv|Vq"),
        ("umwvWVcu", "q|awv|WV|b|q"),
        ("umwW", "q|aw|W"),
        ("uwWwW", "q|w|W|w_2|W_2"),
        ("uwW.uwW.u", "q|w|Wq|w_2|W_2q"),
    ]);
}

#[test]
fn results_of_a_step_stand_together_in_the_order_of_its_calls() {
    check(&[
        ("uwvVWmu", "q|wv|WV|a|q"),
        ("uwvWmVu", "q|wv|WV|a|q"),
        ("uwmWcu", "q|wa|W|b|q"),
    ]);
}

#[test]
fn reasoning_becomes_thinking_with_its_signature() {
    check(&[("utmu", "q|ta|q"), ("uxtmu", "q|xta|q")]);
    let sent = messages(&stored("utm"));
    assert_eq!(
        sent[1].blocks[0],
        Block::Thinking {
            content: "hm".into(),
            signature: "sig".into()
        }
    );
}

#[test]
fn thinking_comes_first_before_tool_calls() {
    check(&[
        ("umtwWu", "q|taw|Wq"),
        ("uwtvWVu", "q|twv|WVq"),
        ("umxtwWcu", "q|xtaw|W|b|q"),
        // Without a call it keeps its place, and between a source's own tools too.
        ("umtcu", "q|atb|q"),
        ("utsStmwWu", "q|tsStaw|Wq"),
    ]);
}

/// A signature is bound to what stood before it.
#[test]
fn thinking_keeps_its_place_in_what_is_known_to_be_one_reply() {
    check(&[
        ("umtwUWu", "q|atw|Wq"),
        ("umxtwUWcUu", "q|axtw|W|b|q"),
        // A first attempt of which nothing came was counted too.
        ("uUmtwUWu", "q|atw|Wq"),
        // Two replies that became one message, whole or not.
        ("umUtwUWu", "q|taw|Wq"),
        ("umUtwWu", "q|taw|Wq"),
        ("uwtvUWVu", "q|twv|WVq"),
    ]);
}

#[test]
fn thinking_of_another_model_is_dropped() {
    check(&[("otmu", "q|a|q"), ("otwWmu", "q|w|W|a|q"), ("utu", "qq")]);
}

#[test]
fn thinking_in_its_sources_own_form_keeps_its_place() {
    check(&[
        ("uiwivWVmu", "q|IwIv|WV|a|q"),
        ("uimiwWimu", "q|IaIw|W|Ia|q"),
        // An item needs what follows it; a list goes beside what was said.
        ("uimi.u", "q|Ia|q"),
        ("uml.u", "q|al|q"),
        ("ulwlWlmu", "q|lwl|W|la|q"),
        ("oimlu", "q|a|q"),
    ]);
}

#[test]
fn thinking_that_led_to_nothing_is_dropped() {
    check(&[
        ("umt.u", "q|a|q"),
        ("umtx!u", "q|a|q"),
        ("utmt", "q|ta"),
        ("umn", "q|a"),
        ("usSt.u", "q|sS|q"),
        ("umtwWt.u", "q|taw|Wq"),
    ]);
}

#[test]
fn unsigned_thinking_goes_back_to_the_model_that_made_it() {
    check(&[
        ("unwW", "q|nw|W"),
        ("unwW.u", "q|nw|Wq"),
        ("unmu", "q|na|q"),
        ("onmu", "q|a|q"),
        ("umnwW", "q|naw|W"),
    ]);
}

#[test]
fn orphaned_calls_are_answered_with_an_error() {
    check(&[
        ("umw.u", "q|aw|#q"),
        ("umweu", "q|aw|#q"),
        ("uwvV.u", "q|wv|#Vq"),
        // Killed while it ran, or might have.
        ("uw!u", "q|w|~q"),
        ("uw?+!u", "q|w|~q"),
        ("uwvV!u", "q|wv|~Vq"),
        // Killed before anybody allowed it.
        ("uw?!u", "q|w|#q"),
        ("uw?-!u", "q|w|#q"),
        // A call that was given up half way in the turn under way.
        ("uwvV", "q|wv|#V"),
    ]);
}

#[test]
fn what_a_source_ran_itself_goes_back_to_it_alone() {
    check(&[
        ("usSmu", "q|sSa|q"),
        ("usmu", "q|a|q"),
        // It paused over its own call and goes on from there.
        ("ums", "q|as"),
        ("usSmwWu", "q|sSaw|Wq"),
    ]);
}

#[test]
fn results_without_a_call_and_empty_text_stay_behind() {
    check(&[("umWu", "q|a|q"), ("um u", "q|a|q"), ("uwWWu", "q|w|Wq")]);
}

#[test]
fn a_summary_stands_for_what_came_before() {
    check(&[
        ("um.ukmcu", "=q|ab|q"),
        ("um.utwWKm.u", "=|a|q"),
        ("um.utwWKtwW", "=|tw|W"),
        ("umKm.ukm.uK", "="),
    ]);
}

/// A signature holds for all that stood before it, and a summary stands there now.
#[test]
fn signed_thinking_from_before_a_summary_stays_behind() {
    check(&[
        ("um.utwWkmtc.u", "=q|w|W|atb|q"),
        ("um.uxtmkc.u", "=q|ab|q"),
        ("um.unwWkm.u", "=q|nw|W|a|q"),
        ("um.uiwWkm.u", "=q|Iw|W|a|q"),
    ]);
}

/// Those of the prompt that is being answered; of one that never was, only that there were.
#[test]
fn pictures_follow_the_summary_of_everything() {
    check(&[
        ("pK", "=i"),
        ("pwWK", "=i"),
        ("pm.uK", "="),
        ("pwWKm.u", "=i|a|q"),
        ("pK.u", "=[A picture stood here.]q"),
        ("pm.pkm", "=iq|a"),
    ]);
}

#[test]
fn an_input_that_is_no_object_becomes_one() {
    for (stored, sent) in [
        (json!("{\"a\": "), json!({"input": "{\"a\": "})),
        (json!(null), json!({})),
        (json!({"a": 1}), json!({"a": 1})),
    ] {
        let mut events = super::tests::stored("uw");
        if let EventBody::ToolUse { input, .. } = &mut events[1].body {
            *input = stored;
        }
        let messages = messages(&events);
        let Block::ToolUse { input, .. } = &messages[1].blocks[0] else {
            panic!("{messages:?}");
        };
        assert_eq!(*input, sent);
    }
}

/// The conversation that the description of this transformation tells.
#[test]
fn the_example_conversation_is_stored_naturally_and_sent_as_required() {
    let id = TurnId {
        session: Uuid::nil(),
        turn: Uuid::now_v7(),
        started: crate::clock::now(),
    };
    let thinking = |content: &str| EventBody::Thinking {
        detail: None,
        content: content.into(),
        signature: Some(format!("signed: {content}")),
        redacted: None,
        duration_ms: 1,
    };
    let text = |content: &str| EventBody::Message {
        detail: None,
        content: content.into(),
        citations: Vec::new(),
        signature: None,
    };
    let input = json!({"token_address": "MOTHER"});
    let result = json!({"data": "flows"});
    let bodies = [
        EventBody::UserMessage {
            content: "Analyze MOTHER token".into(),
            source: "anthropic".into(),
            model: "claude".into(),
            images: Vec::new(),
            system: None,
            replaces: None,
            thinking: None,
            options: Default::default(),
        },
        text("Let me fetch flow intelligence data for you"),
        thinking("I need to use the flow tool"),
        EventBody::ToolUse {
            tool_call_id: "call".into(),
            tool_name: "flow".into(),
            input: input.clone(),
            executed_by: ExecutedBy::Weir,
            signature: None,
            detail: None,
        },
        EventBody::ToolResult {
            tool_call_id: "call".into(),
            tool_name: "flow".into(),
            result: result.clone(),
            is_error: false,
            duration_ms: 1,
            detail: None,
        },
        thinking("Based on the flow data"),
        text("Here's the analysis"),
    ];
    let stored: Vec<Event> = bodies
        .into_iter()
        .map(|body| id.event(body, id.started))
        .collect();
    let before = stored.clone();
    let thought = |content: &str| Block::Thinking {
        content: content.into(),
        signature: format!("signed: {content}"),
    };
    let message = |role: Role, blocks: Vec<Block>| Message { role, blocks };
    assert_eq!(
        messages(&stored),
        [
            message(Role::User, vec![Block::text("Analyze MOTHER token")]),
            message(
                Role::Assistant,
                vec![
                    thought("I need to use the flow tool"),
                    Block::text("Let me fetch flow intelligence data for you"),
                    Block::ToolUse {
                        tool_call_id: "call".into(),
                        name: "flow".into(),
                        input,
                        executed_by: ExecutedBy::Weir,
                        signature: None,
                        detail: None,
                    },
                ]
            ),
            message(
                Role::User,
                vec![Block::ToolResult {
                    tool_call_id: "call".into(),
                    name: "flow".into(),
                    result,
                    is_error: false,
                    executed_by: ExecutedBy::Weir,
                    detail: None,
                }]
            ),
            message(
                Role::Assistant,
                vec![
                    thought("Based on the flow data"),
                    Block::text("Here's the analysis"),
                ]
            ),
        ]
    );
    assert_eq!(stored, before);
}
