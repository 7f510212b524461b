//! Chat completions, as OpenAI, DeepSeek, Mistral and OpenRouter each want them.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use weir_tests::events::{content, of_kind, session};
use weir_tests::replies::pieces;
use weir_tests::{Part, Reply, Sandbox, Server};

use super::{calls, chat, delta, list, notes, project, refused, says};

/// As OpenAI does since GPT-5.4: with the effort that was asked for, or with the model's own.
fn no_thinking_with_tools(body: &Value) -> Option<Reply> {
    let model = body["model"].as_str().unwrap_or_default();
    let message = format!(
        "Function tools with reasoning_effort are not supported for {model} in \
         /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort \
         to 'none'."
    );
    let is_refused = !list(&body["tools"]).is_empty() && body["reasoning_effort"] != "none";
    if CANNOT_STOP.contains(&model) && body["reasoning_effort"] == "none" {
        let message = format!(
            "Unsupported value: 'none' is not supported with the '{model}' model. Supported \
             values are: 'low', 'medium', 'high', 'xhigh', and 'max'."
        );
        return Some(refused(&message, "reasoning_effort"));
    }
    is_refused.then(|| refused(&message, "reasoning_effort"))
}

/// Models of OpenAI's that always think.
const CANNOT_STOP: [&str; 2] = ["gpt-6-astra", "gpt-6.1-sol"];

/// They refuse tools in chat completions with every effort, so they get them by Responses.
#[test]
fn models_of_openai_that_always_think_get_tools_by_responses() {
    for model in CANNOT_STOP {
        let sandbox = Sandbox::new();
        let path = project(&sandbox);
        let answer = || Reply::Stream(vec![Part::Send(pieces("openai-responses").whole())]);
        let server = Server::judging(
            Box::new(|request| match request.path.as_str() {
                "/v1/responses" => None,
                _ => no_thinking_with_tools(&request.body),
            }),
            [answer(), answer(), says(&[], "Yes.")],
        );
        let asked = ["--model", model, "--thinking", "high"];
        let in_project = [&asked[..], &["--project", &path, "Why?"]].concat();
        let turn = chat(&sandbox, "openai-chat", &server, &in_project);
        let events = turn.run().code(0).events();
        assert_eq!(notes(&events), Vec::<&str>::new(), "{model}");
        let id = session(&events);
        let again = [&asked[..], &["--session", &id, "And why?"]].concat();
        chat(&sandbox, "openai-chat", &server, &again).run().code(0);
        // Without tools they are asked as their source says.
        let without = [&asked[..], &["Why?"]].concat();
        chat(&sandbox, "openai-chat", &server, &without)
            .run()
            .code(0);
        let requests = server.requests();
        let paths: Vec<&str> = requests.iter().map(|it| it.path.as_str()).collect();
        let expected = ["/v1/responses", "/v1/responses", "/v1/chat/completions"];
        assert_eq!(paths, expected, "{model}");
        assert_eq!(requests[0].body["reasoning"]["effort"], "high", "{model}");
        assert!(!list(&requests[0].body["tools"]).is_empty(), "{model}");
        assert_eq!(requests[2].body["reasoning_effort"], "high", "{model}");
    }
}

#[test]
fn newer_models_of_openai_do_not_think_while_they_have_tools() {
    // Known from the start, and learned.
    for (model, expected) in [
        ("gpt-6.1-terra", vec!["none", "none"]),
        ("gpt-5.4-mini", vec!["none", "none"]),
        ("gpt-5.2", vec!["high", "none", "none"]),
    ] {
        let sandbox = Sandbox::new();
        let path = project(&sandbox);
        let server = Server::judging(
            Box::new(|request| no_thinking_with_tools(&request.body)),
            [says(&[], "Yes."), says(&[], "Yes."), says(&[], "Yes.")],
        );
        let mut more = vec!["--model", model, "--thinking", "high"];
        let in_project = [&more[..], &["--project", &path, "Why?"]].concat();
        for _ in 0..2 {
            let turn = chat(&sandbox, "openai-chat", &server, &in_project);
            let events = turn.run().code(0).events();
            assert_eq!(content(of_kind(&events, "message")[0]), "Yes.", "{model}");
            let told = notes(&events);
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(
                told[0].contains(model) && told[0].contains("tools"),
                "{told:?}"
            );
        }
        let requests = server.requests();
        let effort = |body: &Value| body["reasoning_effort"].as_str().unwrap_or("").to_owned();
        let efforts: Vec<String> = requests.iter().map(|it| effort(&it.body)).collect();
        assert_eq!(efforts, expected, "{model}");

        // Without tools it thinks as it is told.
        more.push("Why?");
        let events = chat(&sandbox, "openai-chat", &server, &more)
            .run()
            .code(0)
            .events();
        assert_eq!(notes(&events), Vec::<&str>::new());
        let last = &server.requests()[requests.len()];
        assert_eq!(last.body["reasoning_effort"], "high", "{model}");
    }
}

/// As DeepSeek does in thinking mode: every message of the model's own comes with the thinking
/// that led to it, in every later turn too.
fn wants_thinking_back(body: &Value) -> Option<Reply> {
    let is_on = body["thinking"]["type"] == "enabled";
    let lacks = |message: &Value| {
        message["role"] == "assistant" && !message["reasoning_content"].is_string()
    };
    let message = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    let is_refused = is_on && list(&body["messages"]).iter().any(lacks);
    is_refused.then(|| refused(message, ""))
}

#[test]
fn deepseek_gets_its_thinking_back_in_this_turn_and_in_later_ones() {
    let sandbox = Sandbox::new();
    let thinks = |words: &str| vec![delta(&json!({"reasoning_content": words}))];
    let server = Server::judging(
        Box::new(|request| wants_thinking_back(&request.body)),
        [
            calls(&thinks("First."), &["call_1", "call_2"]),
            calls(&thinks("Second."), &["call_3"]),
            says(&thinks("Third."), "No."),
            // It thought nothing this time.
            calls(&[], &["call_4"]),
            says(&[], "Still no."),
            says(&[], "Never."),
        ],
    );
    let model = ["--model", "deepseek-v4-pro"];
    let first = [&model[..], &["Fly!"]].concat();
    let events = chat(&sandbox, "deepseek", &server, &first)
        .run()
        .code(0)
        .events();
    let id = session(&events);
    for prompt in ["Again!", "And again!"] {
        let more = [&model[..], &["--session", &id, prompt]].concat();
        chat(&sandbox, "deepseek", &server, &more).run().code(0);
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    let sent = list(&requests[5].body["messages"]).iter();
    let sent: Vec<&Value> = sent
        .filter(|message| message["role"] == "assistant")
        .map(|message| &message["reasoning_content"])
        .collect();
    assert_eq!(sent, ["First.", "Second.", "Third.", "", ""]);
    // Nothing is to be sent back where it does not think.
    let more = [
        &model[..],
        &["--thinking", "off", "--session", &id, "Once more!"],
    ]
    .concat();
    chat(&sandbox, "deepseek", &server, &more).run();
    let last = server.requests().pop().unwrap();
    assert_eq!(last.body["thinking"]["type"], "disabled");
    assert!(!last.body.to_string().contains("reasoning_content"));
}

/// As Mistral does.
fn wants_nine(body: &Value) -> Option<Reply> {
    let mut open: BTreeSet<String> = BTreeSet::new();
    for message in list(&body["messages"]) {
        let asked = list(&message["tool_calls"]).iter().map(|call| &call["id"]);
        let answered = message.get("tool_call_id");
        for id in asked.clone().chain(answered) {
            let id = id.as_str().unwrap_or_default();
            let fits = id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric());
            if !fits {
                let message =
                    format!("Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.");
                let body = json!({"object": "error", "message": message,
                    "type": "invalid_request_error", "param": null, "code": "3280"});
                return Some(Reply::Refusal(400, body));
            }
        }
        for id in asked {
            if !open.insert(id.to_string()) {
                return Some(refused("Duplicate tool call id in assistant message.", ""));
            }
        }
        if let Some(id) = answered
            && !open.contains(&id.to_string())
        {
            return Some(refused("Unexpected tool call id in tool results.", ""));
        }
    }
    None
}

#[test]
fn mistral_gets_ids_of_nine_letters_and_digits_whoever_made_them() {
    // Ids of other providers, of servers that count anew, and of its own.
    let ids = [
        "toolu_01D7FLrfh4GYq7yT1ULFeyMV",
        "call_0",
        "D681PevKs",
        "fc_ü-1",
    ];
    for (source, model) in [
        ("mistral", "mistral-medium-latest"),
        ("openrouter", "mistralai/mistral-medium-3-5"),
        ("vllm", "mistralai/Ministral-8B-Instruct-2410"),
    ] {
        let sandbox = Sandbox::new();
        let other = Server::start([
            calls(&[], &ids),
            calls(&[], &["call_0", "call_0_2"]),
            says(&[], "No."),
        ]);
        let start = ["--model", "some-model", "Fly!"];
        let events = chat(&sandbox, "openai-compatible", &other, &start)
            .run()
            .code(0)
            .events();
        let id = session(&events);
        let server = Server::judging(
            Box::new(|request| wants_nine(&request.body)),
            [
                calls(&[], &["call_0"]),
                calls(&[], &["b"]),
                says(&[], "No."),
            ],
        );
        let more = ["--model", model, "--session", &id, "--move", "Again!"];
        let events = chat(&sandbox, source, &server, &more)
            .run()
            .code(0)
            .events();
        assert_eq!(content(of_kind(&events, "message")[0]), "No.", "{source}");
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "{source}");
        let last = requests[2].body.to_string();
        assert!(last.contains("D681PevKs"), "what fits stays");
        // The same call goes by the same id in every request.
        let first = list(&requests[0].body["messages"]).to_vec();
        assert_eq!(list(&requests[2].body["messages"])[..first.len()], first);
    }
}

#[test]
fn mistral_is_asked_for_thinking_and_helped_to_its_cache() {
    let sandbox = Sandbox::new();
    let server = Server::start([says(&[], "Yes."), says(&[], "Yes.")]);
    for thinking in ["off", "low"] {
        let more = [
            "--model",
            "mistral-small-latest",
            "--thinking",
            thinking,
            "Why?",
        ];
        let events = chat(&sandbox, "mistral", &server, &more)
            .run()
            .code(0)
            .events();
        let changed = notes(&events).iter().any(|note| note.contains("\"high\""));
        assert_eq!(changed, thinking == "low");
    }
    let requests = server.requests();
    assert_eq!(requests[0].body["reasoning_effort"], "none");
    assert_eq!(requests[1].body["reasoning_effort"], "high");
    let key = requests[0].body["prompt_cache_key"].as_str().unwrap();
    assert!(!key.is_empty() && requests[1].body["prompt_cache_key"] != key);
}

/// What OpenRouter sent has to come back as it was, whoever's model it was.
#[test]
fn openrouter_gets_its_reasoning_details_back_unmodified() {
    let text = |text: &str| {
        json!({"type": "reasoning.text", "text": text, "format": "anthropic-claude-v1",
            "index": 0})
    };
    let signed = json!({"type": "reasoning.text", "text": "Hm.", "signature": "c2VhbA==",
        "format": "anthropic-claude-v1", "index": 0});
    let signature = json!({"type": "reasoning.text", "signature": "c2VhbA==",
        "format": "anthropic-claude-v1", "index": 0});
    let encrypted = json!({"type": "reasoning.encrypted", "data": "c2VhbGVk", "index": 0,
        "format": "google-gemini-v1", "id": "tool_0_fly"});
    let summary = json!({"type": "reasoning.summary", "summary": "Thought.", "index": 0,
        "format": "openai-responses-v1"});
    let sealed = json!({"type": "reasoning.encrypted", "data": "Z0FBQUFB", "index": 0,
        "id": "rs_1", "format": "openai-responses-v1"});
    let piece = |words: Value, part: &Value| {
        delta(&json!({"reasoning": words, "reasoning_details": [part]}))
    };
    let cases = [
        (
            "anthropic/claude-sonnet-5-5",
            vec![
                piece(json!("H"), &text("H")),
                piece(json!("m."), &text("m.")),
                piece(json!(null), &signature),
            ],
            json!([signed]),
        ),
        (
            "google/gemini-4-hydrogen",
            vec![piece(json!(null), &encrypted)],
            json!([encrypted]),
        ),
        (
            "openai/gpt-6.1-terra",
            vec![
                piece(json!("Thought."), &summary),
                piece(json!(null), &sealed),
            ],
            json!([summary, sealed]),
        ),
    ];
    for (model, before, expected) in cases {
        let sandbox = Sandbox::new();
        let server = Server::start([
            calls(&before, &["call_1"]),
            says(&before, "No."),
            says(&[], "Bye."),
        ]);
        let first = ["--model", model, "Fly!"];
        let events = chat(&sandbox, "openrouter", &server, &first)
            .run()
            .code(0)
            .events();
        let id = session(&events);
        let more = ["--model", model, "--session", &id, "--move", "Again!"];
        chat(&sandbox, "openrouter", &server, &more).run().code(0);
        let requests = server.requests();
        let sent = list(&requests[2].body["messages"]).iter();
        let sent: Vec<&Value> = sent
            .filter(|message| message["role"] == "assistant")
            .map(|message| &message["reasoning_details"])
            .collect();
        assert_eq!(sent, [&expected, &expected], "{model}");
        // Another model did not write them.
        let other = ["--model", "qwen/qwen3.8-27b", "--session", &id, "You!"];
        chat(&sandbox, "openrouter", &server, &other).run();
        let last = server.requests().pop().unwrap();
        assert!(!last.body.to_string().contains("reasoning_details"));
    }
}

/// As OpenRouter does for models that always think.
fn reasoning_is_mandatory(body: &Value) -> Option<Reply> {
    let message = "Reasoning is mandatory for this endpoint and cannot be disabled.";
    let is_off = body["reasoning"]["enabled"] == false || body["reasoning"]["effort"] == "none";
    is_off.then(|| Reply::Refusal(400, json!({"error": {"message": message, "code": 400}})))
}

#[test]
fn openrouter_asks_for_little_thinking_where_none_is_refused_and_remembers() {
    let sandbox = Sandbox::new();
    let server = Server::judging(
        Box::new(|request| reasoning_is_mandatory(&request.body)),
        [says(&[], "Yes."), says(&[], "Yes.")],
    );
    let more = ["--model", "z-ai/glm-5.3", "--thinking", "off", "Why?"];
    for _ in 0..2 {
        let turn = chat(&sandbox, "openrouter", &server, &more);
        let events = turn.run().code(0).events();
        let told = notes(&events);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("cannot stop thinking"), "{told:?}");
    }
    let requests = server.requests();
    let sent: Vec<&Value> = requests.iter().map(|it| &it.body["reasoning"]).collect();
    let low = json!({"effort": "low"});
    assert_eq!(sent, [&json!({"enabled": false}), &low, &low]);
}

/// As Mistral does (code 3230).
fn wants_an_answer_to_results(body: &Value) -> Option<Reply> {
    let messages = list(&body["messages"]);
    let is_refused = messages
        .windows(2)
        .any(|pair| pair[0]["role"] == "tool" && pair[1]["role"] == "user");
    let message = "Unexpected role 'user' after role 'tool'";
    is_refused.then(|| {
        let body = json!({"object": "error", "message": message,
            "type": "invalid_request_message_order", "param": null, "code": "3230"});
        Reply::Refusal(400, body)
    })
}

#[test]
fn mistral_takes_a_prompt_after_a_turn_that_ended_over_its_tools() {
    for (source, model) in [
        ("mistral", "mistral-medium-latest"),
        ("openrouter", "mistralai/mistral-medium-3-5"),
    ] {
        let sandbox = Sandbox::new();
        let path = project(&sandbox);
        let server = Server::judging(
            Box::new(|request| wants_an_answer_to_results(&request.body)),
            [calls(&[], &["call_0"]), says(&[], "Yes.")],
        );
        let first = [
            "--model",
            model,
            "--project",
            &path,
            "--max-turns",
            "1",
            "Fly!",
        ];
        let events = chat(&sandbox, source, &server, &first).run().events();
        let id = session(&events);
        let more = ["--session", &id, "Why not?"];
        let events = chat(&sandbox, source, &server, &more)
            .run()
            .code(0)
            .events();
        assert_eq!(content(of_kind(&events, "message")[0]), "Yes.", "{source}");
    }
}
