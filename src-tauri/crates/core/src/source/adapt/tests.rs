use serde_json::json;

use super::*;

const SUMMARY: &str = "Your organization must be verified to generate reasoning summaries. Please \
    go to: https://platform.openai.com/settings/organization/general and click on Verify \
    Organization. (400)";
const WITH_TOOLS: &str = "Function tools with reasoning_effort are not supported for gpt-5.6-terra \
    in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to \
    'none'. (400)";
const BOUND: &str = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is \
    bound to a different conversation. (400)";

#[test]
fn a_refusal_names_the_part_that_is_given_up() {
    let effort = Part::Effort("/reasoning/effort");
    let cases = [
        (
            Part::Summary,
            json!({"reasoning": {"effort": "low", "summary": "auto"}}),
            SUMMARY,
            Some(json!({"reasoning": {"effort": "low"}})),
        ),
        (
            Part::Summary,
            json!({"reasoning": {"effort": "low"}}),
            SUMMARY,
            None,
        ),
        (
            Part::EffortWithTools,
            json!({"tools": [], "reasoning_effort": "high"}),
            WITH_TOOLS,
            Some(json!({"tools": [], "reasoning_effort": "none"})),
        ),
        // The model's own default is refused as well.
        (
            Part::EffortWithTools,
            json!({"tools": []}),
            WITH_TOOLS,
            Some(json!({"tools": [], "reasoning_effort": "none"})),
        ),
        (
            Part::EffortWithTools,
            json!({"reasoning_effort": "high"}),
            WITH_TOOLS,
            None,
        ),
        (
            effort,
            json!({"reasoning": {"effort": "max"}}),
            "Unsupported value: 'max' is not supported with the 'gpt-5.1' model. Supported values \
             are: 'none', 'low', 'medium', and 'high'. (400)",
            Some(json!({"reasoning": {"effort": "high"}})),
        ),
        (
            effort,
            json!({"reasoning": {"effort": "none"}}),
            "Unsupported value: 'none' is not supported with the 'gpt-5' model. Supported values \
             are: 'minimal', 'low', 'medium', and 'high'. (400)",
            Some(json!({"reasoning": {"effort": "minimal"}})),
        ),
        (
            effort,
            json!({"reasoning": {"effort": "max"}}),
            "Unsupported value: 'fast' is not supported. Supported values are: 'low'. (400)",
            None,
        ),
        (
            Part::Field("temperature"),
            json!({"temperature": 0.2, "top_p": 0.5}),
            "Unsupported parameter: 'temperature' is not supported with this model. (400)",
            Some(json!({"top_p": 0.5})),
        ),
        (
            Part::Field("temperature"),
            json!({"temperature": 3}),
            "'temperature' must be at most 2. (400)",
            None,
        ),
        (
            Part::MaxTokens,
            json!({"max_tokens": 5}),
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
             'max_completion_tokens' instead. (400)",
            Some(json!({"max_completion_tokens": 5})),
        ),
        (
            Part::Field("temperature"),
            json!({"temperature": 0.2, "top_p": 0.5}),
            "invalid temperature: only 1 is allowed for this model (400)",
            Some(json!({"top_p": 0.5})),
        ),
        (
            Part::ReasoningOff,
            json!({"reasoning": {"enabled": false}}),
            "Reasoning is mandatory for this endpoint and cannot be disabled. (400)",
            Some(json!({"reasoning": {"effort": "low"}})),
        ),
        (
            Part::ReasoningOff,
            json!({"reasoning": {"effort": "high"}}),
            "Reasoning is mandatory for this endpoint and cannot be disabled. (400)",
            None,
        ),
        (
            Part::SignedThinking,
            json!({"thinking": {"type": "adaptive"}, "messages": [
                {"role": "user", "content": [{"type": "text", "text": "one"}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "redacted_thinking", "data": "s"},
                    {"type": "text", "text": "two"},
                ]},
            ]}),
            BOUND,
            Some(json!({"thinking": {"type": "adaptive"}, "messages": [
                {"role": "user", "content": [{"type": "text", "text": "one"}]},
                {"role": "assistant", "content": [{"type": "text", "text": "two"}]},
            ]})),
        ),
        // With a budget it cannot think beside calls that come without their thinking.
        (
            Part::SignedThinking,
            json!({"additionalModelRequestFields": {"thinking": {"type": "enabled"}}, "messages": [
                {"role": "assistant", "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                    {"toolUse": {"toolUseId": "1"}},
                ]},
            ]}),
            "messages.1.content.0: Invalid `signature` in `thinking` block (400)",
            Some(json!({"additionalModelRequestFields": {}, "messages": [
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1"}}]},
            ]})),
        ),
        (
            Part::SignedThinking,
            json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "one"}]}]}),
            BOUND,
            None,
        ),
    ];
    for (part, mut body, message, expected) in cases {
        let remedy = part.remedy(&body, message);
        let changed = remedy.is_some_and(|remedy| part.apply(&mut body, &remedy));
        assert_eq!(changed.then_some(body), expected, "{part:?}: {message}");
    }
}

#[test]
fn what_was_learned_is_known_for_a_week() {
    let now = Timestamp::from_second(1_800_000_000).unwrap();
    let exchange = Exchange::default();
    exchange.learn("a".into(), "omit".into(), now);
    let stored = exchange.take_changed().unwrap();
    assert_eq!(exchange.take_changed(), None, "stored once");
    let later = |seconds: i64| Timestamp::from_second(1_800_000_000 + seconds).unwrap();
    let known = |at: Timestamp| Exchange::load(Some(&stored), at).known("a");
    assert_eq!(known(later(60)).as_deref(), Some("omit"));
    assert_eq!(known(later(KNOWN_SECONDS + 1)), None);
    assert_eq!(Exchange::load(Some("no JSON"), now).known("a"), None);
    for number in 0..1_000 {
        exchange.learn(format!("{number}"), "omit".into(), later(number));
    }
    assert_eq!(exchange.state().facts.len(), MOST_FACTS);
    assert_eq!(exchange.known("999").as_deref(), Some("omit"));
}

#[test]
fn a_note_is_told_once() {
    let exchange = Exchange::default();
    exchange.note("one".into());
    exchange.note("one".into());
    assert_eq!(exchange.take_notes(), ["one"]);
    exchange.note("one".into());
    exchange.note("two".into());
    assert_eq!(exchange.take_notes(), ["two"]);
}
