//! Trust and answers in the real database.
#![cfg(unix)]

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::{DecidedBy, Decision, DecisionScope, Event, EventBody, PersistenceState, code};

use super::session_answers;
use crate::app::{App, AppError, Prompt};
use crate::clock;
use crate::project::Project;
use crate::publish::Published;
use crate::secret::MemoryKeychain;
use crate::tool::Mode;
use crate::tool::permission::{Binding, Verdict, answer};

struct Fixture {
    app: Arc<App>,
    data: tempfile::TempDir,
    project: tempfile::TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let project = tempfile::tempdir().unwrap();
        std::fs::write(project.path().join(".env"), "x").unwrap();
        let app = open(&data).await;
        Self { app, data, project }
    }

    async fn trust(&self) {
        let offer = self.app.offer_project(self.project.path()).await.unwrap();
        self.app.trust_project(&offer).await.unwrap();
    }

    async fn project(&self) -> Project {
        self.app.open_project(self.project.path()).await.unwrap()
    }
}

async fn open(data: &tempfile::TempDir) -> Arc<App> {
    let keychain = Arc::new(MemoryKeychain::default());
    App::open(data.path().to_owned(), keychain).await.unwrap().0
}

fn verdict(project: &Project, input: &Value) -> &'static str {
    let tool = project.tools.find("read_file", Mode::Act).unwrap();
    match project.permissions.verdict(tool.as_ref(), input) {
        Verdict::Allow => "allow",
        Verdict::Ask { .. } => "ask",
        Verdict::Deny { .. } => "deny",
    }
}

#[tokio::test]
async fn trust_outlives_the_program_and_can_be_taken_back() {
    let mut fixture = Fixture::new().await;
    let refused = fixture.app.open_project(fixture.project.path()).await;
    assert_eq!(refused.err().unwrap().body().code, code::UNTRUSTED);
    fixture.trust().await;
    fixture.app.store().close().await;
    fixture.app = open(&fixture.data).await;
    let project = fixture.project().await;
    let listed = fixture.app.projects().await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].path, project.path.to_str().unwrap());
    assert_eq!(
        listed[0].name,
        project.path.file_name().unwrap().to_str().unwrap()
    );
    fixture
        .app
        .forget_project(fixture.project.path())
        .await
        .unwrap();
    assert!(
        fixture
            .app
            .open_project(fixture.project.path())
            .await
            .is_err()
    );
    assert_eq!(fixture.app.projects().await.unwrap(), []);
}

#[tokio::test]
async fn a_folder_that_is_gone_can_be_forgotten() {
    let fixture = Fixture::new().await;
    let inner = fixture.project.path().join("real/inner");
    std::fs::create_dir_all(&inner).unwrap();
    let link = fixture.project.path().join("link");
    std::os::unix::fs::symlink("real", &link).unwrap();
    let app = &fixture.app;
    for spelling in [
        "real/inner",
        "link/inner",
        "link/../real/inner/",
        "./real//inner",
    ] {
        std::fs::create_dir_all(&inner).unwrap();
        let offer = app.offer_project(&inner).await.unwrap();
        app.trust_project(&offer).await.unwrap();
        std::fs::remove_dir(&inner).unwrap();
        let path = fixture.project.path().join(spelling);
        app.forget_project(&path).await.unwrap();
        assert_eq!(app.projects().await.unwrap(), [], "{spelling}");
        let again = app.forget_project(&path).await.unwrap_err().body();
        assert!(again.message.contains("is not trusted"), "{again:?}");
    }
}

#[tokio::test]
async fn a_session_does_not_follow_its_folder_elsewhere() {
    let fixture = Fixture::new().await;
    let (one, two) = (
        fixture.project.path().join("one"),
        fixture.project.path().join("two"),
    );
    for folder in [&one, &two] {
        std::fs::create_dir(folder).unwrap();
        let offer = fixture.app.offer_project(folder).await.unwrap();
        fixture.app.trust_project(&offer).await.unwrap();
    }
    let prompt = |session: Option<Uuid>, project: Option<&Path>| Prompt {
        text: "hello fast".into(),
        source: Some("demo".into()),
        session,
        project: project.map(Path::to_owned),
        ..Prompt::default()
    };
    let session = fixture.app.send(prompt(None, Some(&one))).await.unwrap();
    fixture.app.wait(session).await;
    std::fs::remove_dir(&one).unwrap();
    std::os::unix::fs::symlink(&two, &one).unwrap();
    let turned = fixture.app.send(prompt(Some(session), None)).await;
    let turned = turned.unwrap_err().body().message;
    assert!(turned.contains("now leads to"), "{turned}");
    // Without a folder it goes on, and says so.
    std::fs::remove_file(&one).unwrap();
    let mut published = fixture.app.subscribe();
    fixture.app.send(prompt(Some(session), None)).await.unwrap();
    fixture.app.wait(session).await;
    let mut told = String::new();
    while let Ok(published) = published.try_recv() {
        if let Published::Notice(notice) = published {
            told.push_str(&notice.message);
        }
    }
    assert!(told.contains("goes on without its tools"), "{told}");
}

#[tokio::test]
async fn a_trust_that_was_tampered_with_is_none() {
    let fixture = Fixture::new().await;
    let path = fixture.project.path().canonicalize().unwrap();
    for value in ["true", "{}", "yes", "{\"path\": \"/\"}"] {
        let name = format!("project.{}", path.display());
        fixture
            .app
            .store()
            .set_setting(name, value.into())
            .await
            .unwrap();
        assert!(fixture.app.open_project(&path).await.is_err(), "{value}");
    }
}

#[tokio::test]
async fn a_session_keeps_its_project() {
    let fixture = Fixture::new().await;
    fixture.trust().await;
    let project = fixture.project().await;
    let prompt = |session: Option<Uuid>, project: Option<&Path>| Prompt {
        text: "hello fast".into(),
        source: Some("demo".into()),
        session,
        project: project.map(Path::to_owned),
        ..Prompt::default()
    };
    let send = async |prompt: Prompt| {
        let session = fixture.app.send(prompt).await?;
        fixture.app.wait(session).await;
        Ok::<_, AppError>(session)
    };
    let with = send(prompt(None, Some(fixture.project.path())))
        .await
        .unwrap();
    let without = send(prompt(None, None)).await.unwrap();
    let kept = fixture.app.session_project(with).await.unwrap().unwrap();
    assert_eq!(kept.path, project.path.to_str().unwrap());
    assert!(kept.trusted_at.is_some());
    assert_eq!(fixture.app.session_project(without).await.unwrap(), None);
    let moved = send(prompt(Some(without), Some(&project.path))).await;
    assert_eq!(moved.unwrap_err().body().code, code::BAD_INPUT);
    send(prompt(Some(with), None)).await.unwrap();

    fixture.app.forget_project(&project.path).await.unwrap();
    let forgotten = send(prompt(Some(with), None)).await;
    assert_eq!(forgotten.unwrap_err().body().code, code::UNTRUSTED);
    let kept = fixture.app.session_project(with).await.unwrap().unwrap();
    assert_eq!(kept.trusted_at, None);
    // What was said about a folder that is gone can still be gone on with.
    std::fs::remove_dir_all(&project.path).unwrap();
    send(prompt(Some(with), None)).await.unwrap();
}

#[tokio::test]
async fn an_answer_for_the_project_holds_for_its_call_alone() {
    let mut fixture = Fixture::new().await;
    fixture.trust().await;
    let project = fixture.project().await;
    let tool = project.tools.find("read_file", Mode::Act).unwrap();
    let (call, other) = (json!({"path": ".env"}), json!({"path": ".env", "limit": 1}));
    assert_eq!(verdict(&project, &call), "ask");
    let binding = Binding::of(tool.as_ref(), &call);
    let (name, value) = answer::stored(&project.path, &binding, "read_file", Decision::Allow);
    let store = fixture.app.store();
    store.set_setting(name, value).await.unwrap();
    fixture.app.store().close().await;
    fixture.app = open(&fixture.data).await;
    let project = fixture.project().await;
    assert_eq!(verdict(&project, &call), "allow");
    assert_eq!(verdict(&project, &other), "ask");
    // Another folder with the same file was never asked about.
    let twin = Fixture::new().await;
    let offer = fixture
        .app
        .offer_project(twin.project.path())
        .await
        .unwrap();
    fixture.app.trust_project(&offer).await.unwrap();
    let twin = fixture.app.open_project(twin.project.path()).await.unwrap();
    assert_eq!(verdict(&twin, &call), "ask");
    // Trust that is taken back takes the answers with it.
    fixture.app.forget_project(&project.path).await.unwrap();
    fixture.trust().await;
    assert_eq!(verdict(&fixture.project().await, &call), "ask");
}

#[tokio::test]
async fn answers_for_the_session_come_back_from_its_log() {
    let fixture = Fixture::new().await;
    fixture.trust().await;
    let project = fixture.project().await;
    let tool = project.tools.find("read_file", Mode::Act).unwrap();
    let call = json!({"path": ".env"});
    let binding = Binding::of(tool.as_ref(), &call).to_string();
    let rows = [
        (DecisionScope::Session, Some(binding.clone()), "allow"),
        (DecisionScope::Session, None, "ask"),
        (
            DecisionScope::Session,
            Some(binding.replace(['a', '1'], "2")),
            "ask",
        ),
        (DecisionScope::Once, Some(binding.clone()), "ask"),
        (DecisionScope::Project, Some(binding), "ask"),
    ];
    for (scope, binding, expected) in rows {
        let log = [event(EventBody::PermissionDecision {
            tool_call_id: "1".into(),
            tool_name: "read_file".into(),
            decision: Decision::Allow,
            scope,
            decided_by: DecidedBy::User,
            others_wait: false,
            binding,
        })];
        let permissions = project
            .permissions
            .clone()
            .with_answers(session_answers(&log));
        let project = Project {
            permissions,
            ..project.clone()
        };
        assert_eq!(verdict(&project, &call), expected, "{log:?}");
    }
}

fn event(body: EventBody) -> Event {
    Event {
        id: Uuid::now_v7(),
        session_id: Uuid::now_v7(),
        turn_id: None,
        body,
        event_index: 0,
        sequence_number: None,
        block_index: None,
        message_id: None,
        persistence_state: PersistenceState::Pending,
        timestamp: clock::now(),
    }
}

const SETTINGS: &str = ".claude/settings.json";

fn write_hook(fixture: &Fixture, event: &str, command: &str) {
    let file = fixture.project.path().join(SETTINGS);
    let text = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}});
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text.to_string()).unwrap();
}

/// A folder that is gone takes its guarding hook along: that holds back until the user forgets it.
#[tokio::test]
async fn a_folder_that_is_gone_does_not_set_its_prompts_free() {
    let fixture = Fixture::new().await;
    write_hook(&fixture, "UserPromptSubmit", "true");
    fixture.trust().await;
    let path = fixture.project.path().canonicalize().unwrap();
    let prompt = |session| Prompt {
        text: "hello fast".into(),
        source: Some("demo".into()),
        session,
        project: Some(path.clone()).filter(|_| session.is_none()),
        ..Prompt::default()
    };
    let session = fixture.app.send(prompt(None)).await.unwrap();
    fixture.app.wait(session).await;
    std::fs::remove_dir_all(&path).unwrap();
    let held = fixture.app.send(prompt(Some(session))).await;
    let held = held.unwrap_err().body();
    assert_eq!(held.code, code::BLOCKED);
    assert!(held.message.contains("weir trust --forget"), "{held:?}");
    fixture.app.forget_project(&path).await.unwrap();
    fixture.app.send(prompt(Some(session))).await.unwrap();
    fixture.app.wait(session).await;
}

/// Nor does it take along what its file asked of the guards.
#[tokio::test]
async fn the_guards_of_a_folder_that_is_gone_still_count() {
    let fixture = Fixture::new().await;
    let path = fixture.project.path().canonicalize().unwrap();
    std::fs::create_dir(path.join(".weir")).unwrap();
    let guards = r#"{"words": [{"word": "heron", "input": "block"}]}"#;
    std::fs::write(path.join(".weir/guards.json"), guards).unwrap();
    fixture.trust().await;
    let prompt = |session, text: &str| Prompt {
        text: text.into(),
        source: Some("demo".into()),
        session,
        project: Some(path.clone()).filter(|_| session.is_none()),
        ..Prompt::default()
    };
    let session = fixture.app.send(prompt(None, "hello fast")).await.unwrap();
    fixture.app.wait(session).await;
    std::fs::remove_dir_all(&path).unwrap();
    let held = fixture.app.send(prompt(Some(session), "a fast heron"));
    assert_eq!(held.await.unwrap_err().body().code, code::BLOCKED);
    for (text, forget) in [("a fast tern", false), ("a fast heron", true)] {
        if forget {
            fixture.app.forget_project(&path).await.unwrap();
        }
        let sent = fixture.app.send(prompt(Some(session), text)).await;
        fixture.app.wait(sent.unwrap()).await;
    }
}

/// What the user says of a folder while a turn of it begins counts for more than what the turn saw.
#[tokio::test]
async fn what_was_opened_before_does_not_undo_the_users_word() {
    let fixture = Fixture::new().await;
    write_hook(&fixture, "Stop", "true");
    fixture.trust().await;
    write_hook(&fixture, "Stop", "false");
    let opened = fixture.project().await;
    assert!(!opened.notices.is_empty() && opened.waiting_hooks.len() == 1);
    fixture.trust().await;
    fixture.app.acknowledge_project(&opened).await.unwrap();
    assert_eq!(fixture.project().await.waiting_hooks, []);

    write_hook(&fixture, "Stop", "true");
    let opened = fixture.project().await;
    let path = fixture.project.path();
    fixture.app.forget_project(path).await.unwrap();
    fixture.app.acknowledge_project(&opened).await.unwrap();
    assert!(fixture.app.open_project(path).await.is_err());
}
