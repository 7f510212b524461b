//! Gemini, Ollama, and what holds for every source: pictures, levels and options.

use serde_json::{Value, json};
use weir_core::app::{App, Prompt};
use weir_core::secret::MemoryKeychain;
use weir_protocol::Image;
use weir_tests::events::{content, of_kind, session};
use weir_tests::replies::pieces;
use weir_tests::{Canary, Part, Reply, Sandbox, Server};

use super::{chat, list, notes, refused, says, stream};

fn gemini(parts: &Value) -> Value {
    json!({"modelVersion": "scripted", "candidates": [
        {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
}

/// An answer goes by the id of its call, a call keeps its signature, and no id is made up.
fn wants_ids(body: &Value) -> Option<Reply> {
    let parts = list(&body["contents"])
        .iter()
        .flat_map(|content| list(&content["parts"]));
    let mut open = Vec::new();
    for part in parts {
        if part["functionCall"].is_object() {
            let call = &part["functionCall"];
            let given = ["given_1", "given_2"].iter().any(|id| call["id"] == **id);
            if !(given || call["id"].is_null()) || part["thoughtSignature"].is_null() {
                return Some(refused("Function call is missing a thought_signature.", ""));
            }
            open.push(call["id"].clone());
        } else if part["functionResponse"].is_object() {
            let id = &part["functionResponse"]["id"];
            let Some(at) = open.iter().position(|it| it == id) else {
                return Some(refused("No function call has the id of the response.", ""));
            };
            open.remove(at);
        }
    }
    (!open.is_empty()).then(|| refused("A function call was not answered.", ""))
}

#[test]
fn gemini_gets_the_ids_and_signatures_of_its_calls_back() {
    let sandbox = Sandbox::new();
    let call = |id: Option<&str>, seal: &str| {
        let mut call = json!({"name": "fly", "args": {}});
        if let Some(id) = id {
            call["id"] = id.into();
        }
        json!({"functionCall": call, "thoughtSignature": seal})
    };
    let both = [call(Some("given_1"), "czE="), call(Some("given_2"), "czI=")];
    let server = Server::judging(
        Box::new(|request| wants_ids(&request.body)),
        [
            stream(&[gemini(&json!(both))]),
            stream(&[gemini(&json!([call(None, "czM=")]))]),
            // The same id as before.
            stream(&[gemini(&json!([call(Some("given_1"), "czQ=")]))]),
            stream(&[gemini(&json!([{"text": "No."}]))]),
        ],
    );
    let model = ["--model", "gemini-3.8-flash", "Fly!"];
    let events = chat(&sandbox, "gemini", &server, &model)
        .run()
        .code(0)
        .events();
    assert_eq!(content(of_kind(&events, "message")[0]), "No.");
    let last = &server.requests()[3].body;
    let ids = list(&last["contents"])
        .iter()
        .flat_map(|content| list(&content["parts"]))
        .filter(|part| part["functionCall"].is_object())
        .map(|part| part["functionCall"]["id"].clone());
    let ids: Vec<Value> = ids.collect();
    assert_eq!(json!(ids), json!(["given_1", "given_2", null, "given_1"]));
}

fn ollama(message: &Value) -> Value {
    json!({"model": "scripted", "done": true, "done_reason": "stop", "message": message,
        "prompt_eval_count": 11, "eval_count": 23})
}

fn lines(lines: &[Value]) -> Reply {
    let text = lines.iter().map(|line| format!("{line}\n")).collect();
    Reply::Lines(vec![Part::Send(text)])
}

/// What does not fit is cut off by the real server without a word; this one says so.
fn fits(body: &Value) -> Option<Reply> {
    let letters = body["messages"].to_string().len() as u64;
    let length = body["options"]["num_ctx"].as_u64().unwrap_or(4_096);
    let nameless = list(&body["messages"])
        .iter()
        .any(|message| message["role"] == "tool" && message["tool_name"].is_null());
    (letters / 4 > length || nameless).then(|| refused("The beginning was cut off.", ""))
}

fn show(length: u64) -> Reply {
    let info = json!({"general.architecture": "llama", "llama.context_length": length});
    Reply::Refusal(
        200,
        json!({"model_info": info, "capabilities": ["completion"]}),
    )
}

#[test]
fn ollama_has_room_for_what_is_sent_and_gets_its_thinking_back_with_its_calls() {
    let sandbox = Sandbox::new();
    let call = json!({"role": "assistant", "content": "", "thinking": "I could fly.",
        "tool_calls": [{"function": {"name": "fly", "arguments": {}}}]});
    let said = json!({"role": "assistant", "content": "No.", "thinking": "I cannot."});
    let server = Server::judging(
        Box::new(|request| match request.path.as_str() {
            "/api/show" => Some(show(131_072)),
            _ => fits(&request.body),
        }),
        [
            lines(&[ollama(&call)]),
            lines(&[ollama(&said)]),
            lines(&[ollama(&said)]),
            lines(&[ollama(&said)]),
        ],
    );
    let first = ["--model", "qwen3", "Fly!"];
    let events = chat(&sandbox, "ollama", &server, &first)
        .run()
        .code(0)
        .events();
    let id = session(&events);
    let long = "word ".repeat(8_000);
    let longer = "word ".repeat(25_000);
    for prompt in [&long, &longer] {
        let more = ["--model", "qwen3", "--session", &id, "-"];
        let turn = chat(&sandbox, "ollama", &server, &more).input(prompt);
        turn.run().code(0);
    }
    let requests = server.requests();
    let asked = requests.iter().filter(|it| it.path == "/api/chat");
    let lengths: Vec<&Value> = asked.map(|it| &it.body["options"]["num_ctx"]).collect();
    assert_eq!(lengths, [8_192, 8_192, 32_768, 65_536]);
    let loop_step = &requests[1].body["messages"];
    assert_eq!(loop_step[1]["thinking"], "I could fly.");
    assert_eq!(loop_step[2]["tool_name"], "fly");
}

async fn send_picture(source: &str, model: &str, server: &Server) -> Vec<Value> {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("engine");
    let (app, _) = App::open(folder, std::sync::Arc::new(MemoryKeychain::default()))
        .await
        .unwrap();
    let known = weir_core::source::source(source).unwrap();
    if known.key.account().is_some() {
        app.set_key(source, Canary::new().key().into())
            .await
            .unwrap();
    }
    let pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let prompt = Prompt {
        text: "What is it?".into(),
        source: Some(source.into()),
        model: Some(model.into()),
        base_url: Some(server.url()),
        images: vec![Image {
            media_type: "image/png".into(),
            data: pixel.into(),
        }],
        ..Prompt::default()
    };
    let session = app.send(prompt).await.unwrap();
    app.wait(session).await;
    let events = app.store().events_since(session, 0).await.unwrap();
    events.iter().map(|event| json!(event)).collect()
}

#[tokio::test]
async fn pictures_go_to_models_that_take_them_and_others_are_told() {
    let ollama_reply = || Reply::Lines(vec![Part::Send(pieces("ollama").whole())]);
    let cases = [
        ("deepseek", "deepseek-v4-pro", says(&[], "Yes."), false),
        ("mistral", "codestral-latest", says(&[], "Yes."), false),
        ("openai-compatible", "anything", says(&[], "Yes."), true),
        ("ollama", "llama", ollama_reply(), false),
        ("ollama", "unheard-of", ollama_reply(), true),
    ];
    for (source, model, reply, is_sent) in cases {
        let server = Server::judging(
            Box::new(|request| match request.path.as_str() {
                "/api/show" if request.body["model"] == "llama" => Some(show(8_192)),
                "/api/show" => Some(Reply::Refusal(404, json!({"error": "model not found"}))),
                _ => None,
            }),
            [reply],
        );
        let events = send_picture(source, model, &server).await;
        let sent = server.requests().pop().unwrap().body.to_string();
        assert_eq!(sent.contains("iVBOR"), is_sent, "{source} {model}");
        assert_eq!(sent.contains("picture was left out"), !is_sent, "{source}");
        let told = notes(&events);
        let is_told = told.iter().any(|note| note.contains("takes no pictures"));
        assert_eq!(is_told, !is_sent, "{source} {model}: {told:?}");
    }
}

/// A chosen level that has no effect, or another one, is said; one that is there is not.
#[test]
fn a_level_without_effect_is_said() {
    let cases = [
        ("openai", "gpt-5", "minimal", None),
        ("openai", "gpt-5", "xhigh", Some("\"high\" is used")),
        ("openai", "gpt-4.1", "low", Some("has no effect")),
        ("anthropic", "claude-opus-4-7", "xhigh", None),
        (
            "anthropic",
            "claude-sonnet-4-6",
            "minimal",
            Some("\"low\" is used"),
        ),
        (
            "anthropic",
            "claude-3-5-haiku-latest",
            "max",
            Some("has no effect"),
        ),
        (
            "gemini",
            "gemini-4-hydrogen",
            "max",
            Some("\"high\" is used"),
        ),
        ("gemini", "gemini-2.0-flash", "high", Some("has no effect")),
        ("openrouter", "any", "max", None),
        ("moonshot", "kimi-k3", "medium", Some("\"high\" is used")),
        ("zai", "glm-5.3", "off", Some("cannot stop thinking")),
        ("zai", "glm-5.3", "xhigh", Some("\"high\" is used")),
        ("together", "moonshotai/Kimi-K3", "max", None),
        (
            "fireworks",
            "accounts/fireworks/models/kimi-k3",
            "low",
            None,
        ),
        ("deepseek", "deepseek-v4-pro", "max", None),
        ("groq", "llama-3.3-70b", "high", Some("has no effect")),
        ("xai", "grok-4.3", "off", None),
        ("xai", "grok-4.5", "off", Some("cannot stop thinking")),
        ("ollama", "llama", "high", Some("has no effect")),
        ("vllm", "llama", "low", Some("has no effect")),
        ("openai-compatible", "any", "medium", Some("has no effect")),
    ];
    for (source, model, thinking, expected) in cases {
        let sandbox = Sandbox::new();
        let dialect = weir_core::source::source(source).unwrap().dialect.name;
        let text = pieces(dialect).whole();
        let reply = match dialect {
            "ollama" => Reply::Lines(vec![Part::Send(text)]),
            _ => Reply::Stream(vec![Part::Send(text)]),
        };
        let server = Server::start([reply]);
        let more = ["--model", model, "--thinking", thinking, "Why?"];
        let events = chat(&sandbox, source, &server, &more)
            .run()
            .code(0)
            .events();
        let told = notes(&events);
        match expected {
            Some(words) => {
                assert_eq!(told.len(), 1, "{source} {model} {thinking}: {told:?}");
                assert!(
                    told[0].contains(words) && told[0].contains(model),
                    "{told:?}"
                );
            }
            None => assert_eq!(told, Vec::<&str>::new(), "{source} {model} {thinking}"),
        }
    }
}

/// Ids that one provider takes and another refuses: Anthropic takes no other characters, OpenAI no
/// more than forty in chat completions and sixty-four in Responses.
#[test]
fn ids_of_calls_fit_whoever_they_move_to() {
    let long = "x".repeat(70);
    let ids = ["functions.fly:0", "call_ü", &long, "call_1"];
    let is_plain = |id: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        !id.is_empty() && id.chars().all(plain)
    };
    for (source, model, field, most) in [
        ("anthropic", "claude-sonnet-5-5", "tool_use_id", 64),
        ("openai-chat", "gpt-4.1", "tool_call_id", 40),
        ("openai", "gpt-4.1", "call_id", 64),
    ] {
        let sandbox = Sandbox::new();
        let other = Server::start([super::calls(&[], &ids), says(&[], "No.")]);
        let start = ["--model", "some-model", "Fly!"];
        let events = chat(&sandbox, "openai-compatible", &other, &start)
            .run()
            .code(0)
            .events();
        let id = session(&events);
        let dialect = weir_core::source::source(source).unwrap().dialect.name;
        let server = Server::start([Reply::Stream(vec![Part::Send(pieces(dialect).whole())])]);
        let more = ["--model", model, "--session", &id, "--move", "Again!"];
        chat(&sandbox, source, &server, &more).run().code(0);
        let body = server.requests()[0].body.to_string();
        let marked = format!("\"{field}\":\"");
        let answered = body.split(&marked).skip(1);
        let answered: Vec<&str> = answered.filter_map(|rest| rest.split('"').next()).collect();
        assert!(answered.len() >= ids.len(), "{source}: {body}");
        for id in &answered {
            assert!(is_plain(id) && id.len() <= most, "{source}: {id}");
            assert!(
                body.matches(&format!("\"{id}\"")).count() >= 2,
                "{source}: {id}"
            );
        }
        assert!(answered.contains(&"call_1"), "what fits stays");
    }
}
