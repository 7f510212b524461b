//! Amazon Bedrock, with botocore's own code as the judge: of the framing in both directions, of
//! signatures, and of requests. Then whole turns against a scripted server, with nothing of the
//! keys in what comes of them.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use weir_core::app::App;
use weir_core::secret::MemoryKeychain;
use weir_core::wire::{Framer, Framing};
use weir_protocol::SettingsChange;
use weir_tests::events::{content, of_kind, session};
use weir_tests::replies::{ANSWER, FIRST};
use weir_tests::server::Request;
use weir_tests::{Canary, Part, Reply, Sandbox, Server, eventstream, files, python, seeds};

fn botocore(questions: &[Value]) -> Vec<Value> {
    python::ask("aws.py", questions)
}

fn stream(bytes: Vec<u8>) -> Reply {
    Reply::EventStream(vec![Part::Bytes(bytes)])
}

/// The name and the payload of each frame.
fn frames<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<(String, String)> {
    let mut framer = Framer::new(Framing::AwsEventStream);
    let mut found = Vec::new();
    for piece in pieces {
        let mut keep = |frame: weir_core::wire::Frame<'_>| {
            found.push((frame.event.to_owned(), frame.data.to_owned()));
        };
        framer.push(piece, &mut keep).unwrap();
    }
    found
}

#[test]
fn botocore_reads_what_the_scripted_server_writes() {
    let error = [
        (":message-type", "error"),
        (":error-code", "x"),
        (":error-message", "ö 猫"),
    ];
    let streams = [
        eventstream::whole(),
        eventstream::exception("throttlingException", "Slowly, 猫."),
        eventstream::message(&error, b""),
        eventstream::message(&[], &[0, 255, 10, 13]),
    ];
    let mut questions = Vec::new();
    for bytes in &streams {
        for size in [0, 1, 7] {
            let bytes = BASE64.encode(bytes);
            questions.push(json!({"do": "decode", "bytes": bytes, "size": size}));
        }
    }
    let answers = botocore(&questions);
    for (bytes, read) in streams.iter().zip(answers.chunks(3)) {
        assert_eq!(read[0], read[1]);
        assert_eq!(read[0], read[2]);
        let payloads: Vec<Vec<u8>> = read[0]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| BASE64.decode(event["payload"].as_str().unwrap()).unwrap())
            .collect();
        let ours = frames([bytes.as_slice()]);
        assert_eq!(payloads.len(), ours.len());
        for ((_, data), payload) in ours.iter().zip(&payloads) {
            let said = String::from_utf8_lossy(payload);
            assert!(
                *data == said || (payload.is_empty() && data == "ö 猫"),
                "{data}"
            );
        }
    }
    println!(
        "botocore decoded {} streams, each in three sizes of reads",
        streams.len()
    );
}

/// Frames that an encoder in Python wrote and botocore read, cut everywhere.
#[test]
fn what_others_encode_is_read_the_same_at_every_split() {
    let uuid = "00112233445566778899aabbccddeeff";
    let headers = json!([
        ["a", "true", null],
        ["b", "false", null],
        ["c", "byte", -1],
        ["d", "short", 300],
        ["e", "int", -70_000],
        ["f", "long", 5_000_000_000_i64],
        ["g", "bytes", "raw"],
        ["h", "string", "Grüße"],
        ["i", "time", 1_700_000_000_000_i64],
        ["j", "uuid", uuid],
        [":event-type", "string", "contentBlockDelta"],
        [":message-type", "string", "event"],
    ]);
    let plain = |name: &str| {
        json!([
            [":event-type", "string", name],
            [":message-type", "string", "event"]
        ])
    };
    let failure = json!([
        [":message-type", "string", "exception"],
        [":exception-type", "string", "modelStreamErrorException"],
    ]);
    let words = r#"{"contentBlockIndex":0,"delta":{"text":"Grüße, 猫🦀"}}"#;
    let messages = json!([
        {"headers": plain("messageStart"), "payload": r#"{"role":"assistant"}"#},
        {"headers": headers, "payload": words},
        {"headers": [], "payload": ""},
        {"headers": plain("long"), "payload": "x".repeat(900)},
        {"headers": failure, "payload": r#"{"message":"It broke."}"#},
    ]);
    let answers = botocore(&[json!({"do": "encode", "messages": messages})]);
    let bytes = BASE64.decode(answers[0].as_str().unwrap()).unwrap();
    let expected = [
        ("messageStart", r#"{"role":"assistant"}"#),
        ("contentBlockDelta", words),
        ("", ""),
        ("long", &"x".repeat(900)),
        (
            "exception:modelStreamErrorException",
            r#"{"message":"It broke."}"#,
        ),
    ]
    .map(|(event, data)| (event.to_owned(), data.to_owned()));
    for at in 0..=bytes.len() {
        let (first, second) = bytes.split_at(at);
        assert_eq!(frames([first, second]), expected, "split at {at}");
    }
    for size in 1..=bytes.len() {
        assert_eq!(frames(bytes.chunks(size)), expected, "reads of {size}");
    }
    println!(
        "{} bytes of five messages: the same at every split and size",
        bytes.len()
    );
}

#[test]
fn botocore_reads_the_seed() {
    for seed in seeds::of("bedrock") {
        let question = json!({"do": "decode", "bytes": BASE64.encode(seed), "size": 3});
        let read = botocore(&[question]);
        assert_eq!(read[0].as_array().unwrap().len(), frames([seed]).len());
    }
}

/// Made anew each time, so that nothing in the tree looks like a key.
struct Keys {
    id: String,
    secret: String,
    token: String,
}

impl Keys {
    fn new() -> Self {
        let [id, secret, token] = [(); 3].map(|()| Canary::new().key().to_owned());
        let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "");
        let id = format!("AKIA{}", plain(&id).to_ascii_uppercase());
        Self {
            id: id[..20].to_owned(),
            secret: format!("{}/+{}", plain(&secret), "x1"),
            token: format!("{}//=={}", plain(&token), plain(&secret)),
        }
    }
}

/// What botocore is asked about a request that came to the server.
fn signing(request: &Request, server: &Server, keys: &Keys, token: Option<&str>) -> Value {
    let query = match request.query.as_str() {
        "" => String::new(),
        query => format!("?{query}"),
    };
    let mut headers = json!({});
    if !request.header("content-type").is_empty() {
        headers["content-type"] = request.header("content-type").into();
    }
    json!({
        "do": "sign", "id": keys.id, "secret": keys.secret, "token": token,
        "date": request.header("x-amz-date"), "method": request.method.as_str(),
        "url": format!("{}{}{query}", server.url(), request.path), "headers": headers,
        "body": BASE64.encode(&request.bytes), "region": "us-east-1",
    })
}

#[tokio::test]
async fn botocore_signs_the_same_requests_to_the_same_signature() {
    let models = [
        "amazon.nova-2-lite-v1:0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3",
        "plain_model",
    ];
    let prompts = [
        "Why?",
        "Grüße, 猫 🦀 \u{202e}\"quoted\" \\ and\nlines",
        " a  b ",
    ];
    let keys = Keys::new();
    let mut questions = Vec::new();
    let mut ours = Vec::new();
    let mut paths = Vec::new();
    for (number, (model, token)) in models
        .iter()
        .flat_map(|model| [(model, None), (model, Some(keys.token.as_str()))])
        .enumerate()
    {
        let sandbox = Sandbox::new();
        let server = Server::start([stream(eventstream::whole())]);
        let prompt = prompts[number % prompts.len()];
        let url = server.url();
        let arguments = ["chat", "--source", "bedrock", "--base-url", &url, "--json"];
        let arguments = [&arguments[..], &["--model", model, prompt]].concat();
        let weir = sandbox
            .weir(&arguments)
            .env("AWS_ACCESS_KEY_ID", &keys.id)
            .env("AWS_SECRET_ACCESS_KEY", &keys.secret);
        let weir = match token {
            Some(token) => weir.env("AWS_SESSION_TOKEN", token),
            None => weir,
        };
        let events = weir.run().code(0).events();
        assert_eq!(content(of_kind(&events, "message")[0]), ANSWER);
        let request = &server.requests()[0];
        assert_eq!(
            request.header("x-amz-security-token"),
            token.unwrap_or_default()
        );
        let sent = format!("{:?}{}", request.headers, request.body);
        assert!(!sent.contains(&keys.secret), "the secret key is never sent");
        questions.push(signing(request, &server, &keys, token));
        ours.push(request.header("authorization").to_owned());
        paths.push(json!({"do": "validate", "path": request.path, "body": request.body}));
    }

    // A list of models: a GET without a body, one of them with a query.
    let sandbox = Sandbox::new();
    let lists = [
        Reply::Refusal(200, json!({"modelSummaries": [{"modelId": "one"}]})),
        Reply::Refusal(
            200,
            json!({"inferenceProfileSummaries": [{"inferenceProfileId": "two"}]}),
        ),
    ];
    let server = Server::start(lists);
    let keychain = Arc::new(MemoryKeychain::default());
    let (app, _) = App::open(sandbox.root().join("engine"), keychain)
        .await
        .unwrap();
    let key = format!("{}:{}:{}", keys.id, keys.secret, keys.token);
    app.set_key("bedrock", key.into()).await.unwrap();
    let change = SettingsChange::BaseUrl {
        source: "bedrock".into(),
        base_url: server.url(),
    };
    app.change(change).await.unwrap();
    assert_eq!(app.models("bedrock").await.unwrap(), ["two", "one"]);
    for request in server.requests() {
        questions.push(signing(&request, &server, &keys, Some(&keys.token)));
        ours.push(request.header("authorization").to_owned());
    }

    let signed = botocore(&questions);
    for ((ours, theirs), question) in ours.iter().zip(&signed).zip(&questions) {
        assert_eq!(ours, theirs.as_str().unwrap(), "{}", question["url"]);
    }
    for (valid, question) in botocore(&paths).iter().zip(&paths) {
        assert_eq!(*valid, json!([]), "{question}");
    }
    println!("{} requests signed as botocore signs them", ours.len());
}

/// A request with a history, a system prompt and an image, at every effort.
#[test]
fn botocore_finds_nothing_wrong_with_requests() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let mut questions = Vec::new();
    let mut judged = 0;
    for model in [
        "global.anthropic.claude-sonnet-5-5",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "global.amazon.nova-2-lite-v1:0",
        "openai.gpt-oss-120b-1:0",
        "meta.llama4-maverick-17b-instruct-v1:0",
    ] {
        for thinking in ["off", "low", "medium", "high"] {
            let server =
                Server::start([stream(eventstream::whole()), stream(eventstream::whole())]);
            let url = server.url();
            let ask = |more: &[&str]| {
                let arguments = [
                    "chat",
                    "--source",
                    "bedrock",
                    "--base-url",
                    &url,
                    "--model",
                    model,
                    "--thinking",
                    thinking,
                    "--json",
                ];
                let arguments = [&arguments[..], more].concat();
                let weir = sandbox.weir(&arguments);
                weir.env("AWS_BEARER_TOKEN_BEDROCK", canary.key())
                    .run()
                    .code(0)
                    .events()
            };
            let events = ask(&["--system", "Be brief.", "Why?"]);
            ask(&["--session", &session(&events), "And then?"]);
            for request in server.requests() {
                let bearer = format!("Bearer {}", canary.key());
                assert_eq!(request.header("authorization"), bearer);
                assert_eq!(request.header("x-amz-date"), "", "a bearer signs nothing");
                let question =
                    json!({"do": "validate", "path": request.path, "body": request.body});
                questions.push(question);
                judged += 1;
            }
        }
    }
    // The judge does refuse what is wrong.
    questions.push(json!({"do": "validate", "path": "/model/x/converse-stream",
        "body": {"messages": [{"role": "user", "content": "text"}]}}));
    let mut answers = botocore(&questions);
    assert_ne!(answers.pop(), Some(json!([])));
    for (problems, question) in answers.iter().zip(&questions) {
        assert_eq!(*problems, json!([]), "{question}");
    }
    println!("{judged} requests without a problem");
}

/// Every part of the key, echoed by a careless server: in words, in an error, in a refusal.
#[test]
fn no_part_of_the_keys_comes_back() {
    let keys = Keys::new();
    let parts = [&keys.id, &keys.secret, &keys.token];
    let said = parts.map(String::as_str).join(" and ");
    let (first, second) = said.split_at(said.len() / 2);
    let start = eventstream::event("messageStart", &json!({"role": "assistant"}));
    let echo = [
        start.clone(),
        eventstream::words(first),
        eventstream::words(second),
        eventstream::event("messageStop", &json!({"stopReason": "end_turn"})),
        eventstream::event(
            "metadata",
            &json!({"usage": {"inputTokens": 1, "outputTokens": 1}}),
        ),
    ]
    .concat();
    let replies = [
        (stream(echo), 0),
        (
            stream([start, eventstream::exception("validationException", &said)].concat()),
            1,
        ),
        (Reply::Refusal(403, json!({"message": said})), 1),
    ];
    for (reply, code) in replies {
        let sandbox = Sandbox::new();
        let server = Server::start([reply]);
        let url = server.url();
        let arguments = [
            "chat",
            "--source",
            "bedrock",
            "--base-url",
            &url,
            "--json",
            "Why?",
        ];
        let turn = sandbox
            .weir(&arguments)
            .env("AWS_ACCESS_KEY_ID", &keys.id)
            .env("AWS_SECRET_ACCESS_KEY", &keys.secret)
            .env("AWS_SESSION_TOKEN", &keys.token)
            .env("WEIR_LOG", "trace")
            .run()
            .code(code);
        assert!(turn.stdout.contains("[key]"), "{}", turn.stdout);
        for part in parts {
            for said in [&turn.stdout, &turn.stderr] {
                assert!(!said.contains(part.as_str()), "{said}");
            }
        }
        for part in parts {
            let holding = files::holding(sandbox.root(), part.as_bytes());
            assert!(holding.is_empty(), "{holding:?}");
        }
    }
}

#[test]
fn exceptions_and_damage_end_a_reply_that_keeps_what_came() {
    let canary = Canary::new();
    let mut damaged = eventstream::words("more");
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let cases = [
        (
            eventstream::exception("validationException", "Not like this."),
            "Not like this.",
        ),
        (damaged, "arrived damaged"),
        (
            b"data: {}\n\nthis is no event stream".to_vec(),
            "arrived damaged",
        ),
        (
            eventstream::words("half")[..20].to_vec(),
            "ended before the source said",
        ),
    ];
    for (more, words) in cases {
        let sandbox = Sandbox::new();
        let server = Server::start([stream([eventstream::half(), more].concat())]);
        let url = server.url();
        let arguments = [
            "chat",
            "--source",
            "bedrock",
            "--base-url",
            &url,
            "--json",
            "Why?",
        ];
        let weir = sandbox.weir(&arguments);
        let turn = weir
            .env("AWS_BEARER_TOKEN_BEDROCK", canary.key())
            .run()
            .code(1);
        let events = turn.events();
        assert_eq!(content(of_kind(&events, "message")[0]), FIRST);
        let error = &of_kind(&events, "error")[0]["error"];
        assert!(
            error["message"].as_str().unwrap().contains(words),
            "{error}"
        );
        assert_eq!(
            server.requests().len(),
            1,
            "what was shown is not asked again"
        );
    }
    // What passes is asked again, before anything is shown.
    let slowly = || stream(eventstream::exception("throttlingException", "Slowly."));
    let sandbox = Sandbox::new();
    let server = Server::start([slowly(), stream(eventstream::whole())]);
    let url = server.url();
    let arguments = [
        "chat",
        "--source",
        "bedrock",
        "--base-url",
        &url,
        "--json",
        "Why?",
    ];
    let weir = sandbox.weir(&arguments);
    let turn = weir
        .env("AWS_BEARER_TOKEN_BEDROCK", canary.key())
        .run()
        .code(0);
    assert_eq!(content(of_kind(&turn.events(), "message")[0]), ANSWER);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_key_of_a_wrong_form_is_refused_in_a_sentence_without_it() {
    let sandbox = Sandbox::with_keychain(weir_tests::Lock::Unlocked);
    let keys = Keys::new();
    let wrong = format!("{}:{}:{}:more", keys.id, keys.secret, keys.token);
    let set = sandbox
        .weir(&["keys", "set", "bedrock"])
        .input(wrong)
        .run()
        .code(1);
    assert!(
        set.stderr.contains("ACCESS_KEY_ID:SECRET_ACCESS_KEY"),
        "{}",
        set.stderr
    );
    assert!(!set.stderr.contains(&keys.secret) && !set.stderr.contains(&keys.id));
    let lines = format!(
        "export AWS_ACCESS_KEY_ID={}\nexport AWS_SECRET_ACCESS_KEY={}\nexport AWS_SESSION_TOKEN={}\n",
        keys.id, keys.secret, keys.token
    );
    sandbox
        .weir(&["keys", "set", "bedrock"])
        .input(lines)
        .run()
        .code(0);
    let server = Server::start([stream(eventstream::whole())]);
    let url = server.url();
    let arguments = ["chat", "--source", "bedrock", "--base-url", &url, "Why?"];
    sandbox.weir(&arguments).run().code(0);
    assert!(
        server.requests()[0]
            .header("authorization")
            .contains(&keys.id)
    );
    sandbox.weir(&["keys", "delete", "bedrock"]).run().code(0);
}
