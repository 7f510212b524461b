//! Vertex AI with a service account: the token is asked for once, signed by the account's key,
//! and never at an address that a hostile key file names.

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use weir_tests::events::{content, of_kind};
use weir_tests::replies::{ANSWER, pieces};
use weir_tests::{Canary, Lock, Part, Reply, Sandbox, Server, files, python};

/// A key of a service account, made anew.
struct Account {
    file: Value,
    pem: String,
    /// The last line of the key's body.
    tail: String,
}

impl Account {
    fn new(token_uri: &str) -> Self {
        let pair = KeyPair::generate(KeySize::Rsa2048).unwrap();
        let der = AsDer::<aws_lc_rs::encoding::Pkcs8V1Der<'_>>::as_der(&pair).unwrap();
        let body = BASE64.encode(der.as_ref());
        let lines: Vec<&str> = body
            .as_bytes()
            .chunks(64)
            .map(|line| std::str::from_utf8(line).unwrap())
            .collect();
        let pem = format!(
            "-----BEGIN {0}-----\n{1}\n-----END {0}-----\n",
            "PRIVATE KEY",
            lines.join("\n")
        );
        let file = json!({
            "type": "service_account",
            "project_id": "some-project",
            "private_key_id": "0123456789abcdef0123456789abcdef01234567",
            "private_key": pem,
            "client_email": "robot@some-project.iam.gserviceaccount.com",
            "client_id": "123456789012345678901",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": token_uri,
            "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs",
            "universe_domain": "googleapis.com",
        });
        let tail = lines[lines.len() - 2].to_owned();
        Self { file, pem, tail }
    }
}

fn minted(token: &str) -> Reply {
    Reply::Refusal(
        200,
        json!({"access_token": token, "expires_in": 3599, "token_type": "Bearer"}),
    )
}

fn said(text: String) -> Reply {
    Reply::Stream(vec![Part::Send(text)])
}

#[test]
fn a_service_account_is_stored_signs_and_asks() {
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    let token = Canary::new();
    let token = format!("ya29.{}", token.key());
    let echo = format!(
        "data: {}\n\n",
        json!({"candidates": [{
        "content": {"role": "model", "parts": [{"text": format!("It is {token}.")}]},
        "finishReason": "STOP"}]})
    );
    let server = Server::start([
        minted(&token),
        said(pieces("gemini").whole()),
        minted(&token),
        said(echo),
        minted(&token),
        said(pieces("anthropic").whole()),
    ]);
    let url = server.url();
    let account = Account::new(&format!("{url}/token"));
    let file = serde_json::to_string_pretty(&account.file).unwrap();
    sandbox
        .weir(&["keys", "set", "vertex"])
        .input(file)
        .run()
        .code(0);

    let chat = |source: &str, model: &str| {
        let arguments = [
            "chat",
            "--source",
            source,
            "--model",
            model,
            "--base-url",
            &url,
        ];
        let arguments = [&arguments[..], &["--json", "Why?"]].concat();
        let turn = sandbox
            .weir(&arguments)
            .env("WEIR_LOG", "trace")
            .run()
            .code(0);
        for secret in [&token, &account.tail] {
            assert!(!turn.stdout.contains(secret.as_str()), "{}", turn.stdout);
            assert!(!turn.stderr.contains(secret.as_str()), "{}", turn.stderr);
        }
        turn.events()
    };
    let events = chat("vertex", "gemini-3.8-flash");
    assert_eq!(content(of_kind(&events, "message")[0]), ANSWER);
    let events = chat("vertex", "gemini-3.8-flash");
    assert_eq!(content(of_kind(&events, "message")[0]), "It is [key].");
    let events = chat("vertex-claude", "claude-sonnet-5-5");
    assert_eq!(content(of_kind(&events, "message")[0]), ANSWER);

    let requests = server.requests();
    let place_of = "/v1/projects/some-project/locations/global/publishers";
    let gemini = format!("{place_of}/google/models/gemini-3.8-flash:streamGenerateContent");
    let claude = format!("{place_of}/anthropic/models/claude-sonnet-5-5:streamRawPredict");
    let paths: Vec<&str> = requests
        .iter()
        .map(|request| request.path.as_str())
        .collect();
    assert_eq!(
        paths,
        ["/token", &gemini, "/token", &gemini, "/token", &claude]
    );
    assert_eq!(
        requests[1].header("authorization"),
        format!("Bearer {token}")
    );
    assert_eq!(requests[1].query, "alt=sse");
    assert_eq!(requests[5].body["anthropic_version"], "vertex-2023-10-16");
    assert_eq!(requests[5].body.get("model"), None);

    // Google's own package reads the statement, and finds the signature to be the account's.
    let asked = String::from_utf8(requests[0].bytes.to_vec()).unwrap();
    let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
    let statement = asked.strip_prefix(grant).unwrap();
    let claims = python::ask(
        "google_token.py",
        &[json!({"statement": statement, "private_key": account.pem})],
    );
    assert_eq!(
        claims[0]["iss"],
        "robot@some-project.iam.gserviceaccount.com"
    );
    assert_eq!(claims[0]["aud"], format!("{url}/token"));
    assert_eq!(
        claims[0]["scope"],
        "https://www.googleapis.com/auth/cloud-platform"
    );
    let lasts = claims[0]["exp"].as_i64().unwrap() - claims[0]["iat"].as_i64().unwrap();
    assert_eq!(lasts, 3600);
    for secret in [token.as_str(), statement, &account.tail] {
        let holding = files::holding(sandbox.root(), secret.as_bytes());
        assert!(holding.is_empty(), "{holding:?}");
    }
    sandbox.weir(&["keys", "delete", "vertex"]).run().code(0);
}

#[test]
fn a_token_is_kept_for_the_steps_of_one_run() {
    use std::sync::Arc;
    use weir_core::app::{App, Prompt};
    use weir_core::secret::MemoryKeychain;

    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let token = Canary::new();
        let refused = Reply::Refusal(401, json!({"error": {"message": "expired"}}));
        let server = Server::start([
            minted(token.key()),
            said(pieces("gemini").whole()),
            said(pieces("gemini").whole()),
            refused,
            minted(token.key()),
            said(pieces("gemini").whole()),
        ]);
        let sandbox = Sandbox::new();
        let keychain = Arc::new(MemoryKeychain::default());
        let (app, _) = App::open(sandbox.root().join("engine"), keychain)
            .await
            .unwrap();
        let account = Account::new(&format!("{}/token", server.url()));
        app.set_key("vertex", account.file.to_string().into())
            .await
            .unwrap();
        for _ in 0..4 {
            let prompt = Prompt {
                text: "Why?".into(),
                source: Some("vertex".into()),
                model: Some("gemini-3.8-flash".into()),
                base_url: Some(server.url()),
                ..Prompt::default()
            };
            let session = app.send(prompt).await.unwrap();
            app.wait(session).await;
        }
        let asked: Vec<bool> = server
            .requests()
            .iter()
            .map(|request| request.path == "/token")
            .collect();
        assert_eq!(asked, [true, false, false, false, true, false]);
    });
}

/// A key file is handed around; what it says of the address must not send the statement there.
#[test]
fn a_hostile_key_file_sends_nothing_anywhere() {
    let thief = Server::start([]);
    let port = thief.url().rsplit(':').next().unwrap().to_owned();
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    for uri in [
        "https://oauth2.googleapis.com.example.com/token".to_owned(),
        "https://example.com/token".to_owned(),
        "http://oauth2.googleapis.com/token".to_owned(),
        format!("https://oauth2.googleapis.com:{port}/token"),
        "https://storage.googleapis.com/bucket/token".to_owned(),
        "file:///etc/passwd".to_owned(),
        "not an address".to_owned(),
    ] {
        let account = Account::new(&uri);
        let set = sandbox
            .weir(&["keys", "set", "vertex"])
            .input(account.file.to_string());
        let set = set.run().code(1);
        assert!(
            set.stderr
                .contains("token_uri is not an address of Google's"),
            "{uri}: {}",
            set.stderr
        );
        assert!(!set.stderr.contains(&account.tail));
    }
    // This machine is for tests alone: not while the models are asked elsewhere.
    let account = Account::new(&format!("{}/token", thief.url()));
    let chat = sandbox.weir(&[
        "chat",
        "--source",
        "vertex",
        "--model",
        "gemini-3.8-flash",
        "Why?",
    ]);
    let chat = chat
        .env("VERTEXAI_CREDENTIALS", &account.file.to_string())
        .run()
        .code(1);
    assert!(
        chat.stderr
            .contains("token_uri is not an address of Google's"),
        "{}",
        chat.stderr
    );
    assert_eq!(thief.requests().len(), 0);
    let broken = json!({"type": "service_account", "client_email": "a@b", "private_key": "no key",
        "token_uri": "https://oauth2.googleapis.com/token"});
    let set = sandbox
        .weir(&["keys", "set", "vertex"])
        .input(broken.to_string())
        .run()
        .code(1);
    assert!(set.stderr.contains("private key"), "{}", set.stderr);
}
