//! Options that a provider refuses beside a model or beside its thinking: each scripted server
//! refuses them the way the provider does, and a turn with every option set is answered all the
//! same, at the first attempt.

use serde_json::{Value, json};
use weir_tests::replies::pieces;
use weir_tests::{Part, Reply, Sandbox, Server, eventstream};

use super::{chat, list, notes, project, refused};

/// What a provider says of a body that it refuses.
type Refusal = fn(&Value) -> Option<String>;

fn is_forced(choice: &Value) -> bool {
    let is_word = matches!(choice.as_str(), Some("auto" | "none"));
    let kind = choice["type"].as_str();
    let is_kind = matches!(kind, Some("auto" | "none")) || choice.get("auto").is_some();
    !(choice.is_null() || is_word || is_kind)
}

fn has(body: &Value, field: &str) -> bool {
    body.get(field).is_some()
}

fn anthropic(body: &Value) -> Option<String> {
    let model = body["model"].as_str().unwrap_or_default();
    let is_newest = model.ends_with("-5-5");
    let thinks = matches!(
        body["thinking"]["type"].as_str(),
        Some("adaptive" | "enabled")
    );
    let most = body["max_tokens"].as_u64().unwrap_or_default();
    if is_forced(&body["tool_choice"]) && (is_newest || thinks) {
        return Some("tool_choice forces tool use is not supported by this model.".to_owned());
    }
    if (is_newest || thinks) && has(body, "temperature") {
        return Some("`temperature` is deprecated for this model.".to_owned());
    }
    if has(body, "temperature") && has(body, "top_p") {
        return Some("`temperature` and `top_p` cannot both be specified.".to_owned());
    }
    (most > 128_000).then(|| format!("max_tokens: {most} > 128000, the maximum of {model}"))
}

fn moonshot(body: &Value) -> Option<String> {
    let thinks = body["thinking"]["type"] != "disabled";
    if has(body, "temperature") {
        return Some("invalid temperature: only 1 is allowed for this model".to_owned());
    }
    if has(body, "top_p") {
        return Some("invalid top_p: only 0.95 is allowed for this model".to_owned());
    }
    if has(body, "max_tokens") {
        return Some("max_tokens is replaced by max_completion_tokens".to_owned());
    }
    (thinks && is_forced(&body["tool_choice"]))
        .then(|| "tool_choice 'required' is incompatible with thinking enabled".to_owned())
}

fn qwen(body: &Value) -> Option<String> {
    let thinks = body["enable_thinking"] != false;
    (thinks && is_forced(&body["tool_choice"])).then(|| {
        "The tool_choice parameter does not support being set to required or object in thinking \
         mode"
            .to_owned()
    })
}

fn zai(body: &Value) -> Option<String> {
    let model = body["model"].as_str().unwrap_or_default();
    let effort = body["reasoning_effort"].as_str();
    if model.starts_with("glm-5.3") {
        if body["thinking"]["type"] != "enabled" {
            return Some("thinking.type only supports enabled for this model".to_owned());
        }
        if !matches!(effort, None | Some("low" | "high" | "max")) {
            return Some("reasoning_effort must be one of low, high, max".to_owned());
        }
    } else if effort.is_some() {
        return Some("reasoning_effort is not supported by this model".to_owned());
    }
    if !list(&body["tools"]).is_empty() && body["tool_stream"] != true {
        return Some("the input of calls does not arrive in pieces".to_owned());
    }
    let choice = &body["tool_choice"];
    (!choice.is_null() && choice != "auto").then(|| "tool_choice only supports auto".to_owned())
}

fn groq(body: &Value) -> Option<String> {
    let model = body["model"].as_str().unwrap_or_default();
    let words: &[&str] = match model.starts_with("openai/gpt-oss") {
        true => &["low", "medium", "high"],
        false => &["none", "default", "low", "medium", "high"],
    };
    let effort = body["reasoning_effort"].as_str();
    if effort.is_some_and(|word| !words.contains(&word)) {
        return Some(format!("`reasoning_effort` must be one of {words:?}"));
    }
    has(body, "max_tokens").then(|| "`max_tokens` is deprecated".to_owned())
}

fn xai(body: &Value) -> Option<String> {
    has(body, "stop").then(|| "Argument not supported on this model: stop".to_owned())
}

fn bedrock(body: &Value) -> Option<String> {
    let more = &body["additionalModelRequestFields"];
    let inference = &body["inferenceConfig"];
    let choice = &body["toolConfig"]["toolChoice"];
    let is_claude = has(more, "output_config") || has(more, "thinking");
    let is_gpt_oss = has(more, "reasoning_effort");
    if is_forced(choice) && (is_claude || is_gpt_oss) {
        return Some("This model doesn't support the toolConfig.toolChoice field.".to_owned());
    }
    if is_claude && (has(inference, "temperature") || has(inference, "topP")) {
        return Some("`temperature` is deprecated for this model.".to_owned());
    }
    let is_highest = more["reasoningConfig"]["maxReasoningEffort"] == "high";
    let fields = ["temperature", "topP", "maxTokens"];
    (is_highest && fields.iter().any(|field| has(inference, field)))
        .then(|| "temperature, topP and maxTokens must be unset at high effort".to_owned())
}

const CASES: &[(&str, Refusal, &[&str])] = &[
    (
        "anthropic",
        anthropic,
        &[
            "claude-sonnet-5-5",
            "claude-opus-5-5",
            "claude-haiku-5-5",
            "claude-sonnet-4-6",
            "claude-sonnet-4-5",
        ],
    ),
    (
        "moonshot",
        moonshot,
        &["kimi-k3", "kimi-k3.1-pro", "kimi-k2.6", "kimi-k2.7-code"],
    ),
    ("qwen", qwen, &["qwen3.8-max", "qwq-plus"]),
    ("zai", zai, &["glm-5.3", "glm-5.3-flash", "glm-4.7"]),
    ("groq", groq, &["openai/gpt-oss-120b", "qwen/qwen3.8-27b"]),
    ("xai", xai, &["grok-4.7", "grok-4.3"]),
    (
        "bedrock",
        bedrock,
        &[
            "global.anthropic.claude-sonnet-5-5",
            "global.anthropic.claude-opus-5-5",
            "global.anthropic.claude-haiku-5-5",
            "global.amazon.nova-2-lite-v1:0",
            "openai.gpt-oss-120b-1:0",
        ],
    ),
];

fn answer(dialect: &str) -> Reply {
    match dialect {
        "bedrock" => Reply::EventStream(vec![Part::Bytes(eventstream::whole())]),
        other => Reply::Stream(vec![Part::Send(pieces(other).whole())]),
    }
}

#[test]
fn no_provider_is_sent_an_option_that_it_refuses() {
    for (source, refusal, models) in CASES {
        let sandbox = Sandbox::new();
        let path = project(&sandbox);
        let dialect = weir_core::source::source(source).unwrap().dialect.name;
        for model in *models {
            for thinking in ["off", "medium", "high"] {
                let refusal = *refusal;
                let server = Server::judging(
                    Box::new(move |request| {
                        let said = refusal(&request.body)?;
                        Some(refused(&said, ""))
                    }),
                    [answer(dialect)],
                );
                let more = [
                    "--model",
                    model,
                    "--thinking",
                    thinking,
                    "--project",
                    &path,
                    "--max-tokens",
                    "200000",
                    "--temperature",
                    "0.5",
                    "--top-p",
                    "0.9",
                    "--stop",
                    "END",
                    "--tool-choice",
                    "required",
                    "Why?",
                ];
                let events = chat(&sandbox, source, &server, &more)
                    .run()
                    .code(0)
                    .events();
                let requests = server.requests();
                assert_eq!(
                    requests.len(),
                    1,
                    "{model} {thinking}: at the first attempt"
                );
                check_notes(&requests[0].body, &notes(&events), model);
            }
        }
    }
}

/// What is not sent is said.
fn check_notes(body: &Value, notes: &[&str], model: &str) {
    let inference = &body["inferenceConfig"];
    let sent = |fields: &[&str]| {
        fields
            .iter()
            .any(|field| has(body, field) || has(inference, field))
    };
    let is_told = |word: &str| notes.iter().any(|note| note.contains(word));
    for (fields, word) in [
        (&["temperature"][..], "temperature"),
        (&["top_p", "topP"][..], "top"),
        (&["stop", "stop_sequences", "stopSequences"][..], "stop"),
    ] {
        assert!(
            sent(fields) || is_told(word),
            "{model}: {word} in {notes:?}"
        );
    }
    let choice = [&body["tool_choice"], &body["toolConfig"]["toolChoice"]];
    let is_sent = choice.iter().any(|choice| !choice.is_null());
    assert!(is_sent || is_told("tool choice"), "{model}: {notes:?}");
}

/// A level that is changed is said when somebody chose it, `medium` too, and not otherwise.
#[test]
fn a_level_that_nobody_chose_is_not_spoken_of() {
    let reply = || answer("openai-chat");
    let changed = "\"high\" is used";
    let sandbox = Sandbox::new();
    let server = Server::start((0..5).map(|_| reply()));
    let told = |more: &[&str]| {
        let model = ["--model", "kimi-k3"];
        let more = [&model[..], more].concat();
        let events = chat(&sandbox, "moonshot", &server, &more)
            .run()
            .code(0)
            .events();
        let said = notes(&events).iter().any(|note| note.contains(changed));
        (said, weir_tests::events::session(&events))
    };
    let (said, id) = told(&["Why?"]);
    assert!(!said, "nobody chose it");
    assert!(
        !told(&["--session", &id, "And why?"]).0,
        "nor in the next turn"
    );
    assert!(told(&["--thinking", "medium", "Why?"]).0);
    assert!(told(&["--session", &id, "--thinking", "medium", "Why?"]).0);
    sandbox
        .weir(&["settings", "effort", "medium"])
        .run()
        .code(0);
    assert!(told(&["Why?"]).0, "the default was chosen");
    let efforts: Vec<Value> = server
        .requests()
        .iter()
        .map(|it| it.body["reasoning_effort"].clone())
        .collect();
    assert_eq!(efforts, vec![json!("high"); 5]);
}
