//! A conversation of the real engine with a scripted provider.

use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;
use uuid::Uuid;
use weir_core::app::{App, Moving, Prompt};
use weir_core::secret::MemoryKeychain;
use weir_core::source::{Source, StepRequest, ToolDefinition};
use weir_protocol::EventBody;
use weir_tests::server::Request;
use weir_tests::steps::{Speaker, Step};
use weir_tests::wait::HANGS;
use weir_tests::{Canary, Provider};

use super::over_http;

/// Who is asked.
#[derive(Clone)]
pub(super) struct Subject {
    /// Names its snapshots.
    pub(super) name: String,
    pub(super) source: &'static Source,
    pub(super) model: String,
}

impl Subject {
    /// A source with its default model.
    pub(super) fn of(source: &'static Source) -> Self {
        let model = source.models.first().copied().unwrap_or("some-model");
        Self {
            name: source.name.to_owned(),
            source,
            model: model.to_owned(),
        }
    }
}

/// An engine with a trusted project and a key for every source.
pub(super) struct Stage {
    pub(super) app: Arc<App>,
    provider: Provider,
    pub(super) key: Canary,
    pub(super) project: PathBuf,
    _folder: TempDir,
}

const FILES: [(&str, &str); 4] = [
    ("CLAUDE.md", "Answer in one sentence.\n"),
    (
        "notes.txt",
        "A weir is a low wall.\nIt measures a stream.\n",
    ),
    (
        "odd.txt",
        "Grüße, \"quoted\" \\ back\\slashed\ttabbed </end> 🦀\n",
    ),
    ("src/main.rs", "fn main() {}\n"),
];

impl Stage {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keychain = Arc::new(MemoryKeychain::default());
        let (app, _) = App::open(folder.path().join("data"), keychain)
            .await
            .unwrap();
        let project = folder.path().join("project");
        for (name, text) in FILES {
            let path = project.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let offer = app.offer_project(&project).await.unwrap();
        app.trust_project(&offer).await.unwrap();
        let key = Canary::new();
        for source in over_http().filter(|source| source.key.account().is_some()) {
            app.set_key(source.name, key.key().into()).await.unwrap();
        }
        Self {
            app,
            provider: Provider::start(),
            key,
            project,
            _folder: folder,
        }
    }

    pub(super) fn talk(&self) -> Talk<'_> {
        Talk {
            stage: self,
            session: None,
            steps: 0,
            has_tools: false,
        }
    }
}

/// Some addresses name more than a host.
const PATHS: [(&str, &str); 2] = [
    ("vertex", "/v1/projects/weir/locations/global"),
    ("vertex-claude", "/v1/projects/weir/locations/global"),
];

fn address(source: &Source, provider: &Provider) -> String {
    let path = PATHS.iter().find(|(name, _)| *name == source.name);
    format!("{}{}", provider.url(), path.map_or("", |(_, path)| path))
}

/// One session, from its beginning.
#[derive(Clone)]
pub(super) struct Talk<'a> {
    stage: &'a Stage,
    session: Option<Uuid>,
    steps: usize,
    /// Those of its folder.
    has_tools: bool,
}

impl Talk<'_> {
    /// A turn that takes these steps, and what was asked for each.
    pub(super) async fn turn(
        &mut self,
        subject: &Subject,
        prompt: Prompt,
        steps: &[Step<'_>],
    ) -> Vec<Request> {
        let Stage { app, provider, .. } = self.stage;
        self.has_tools |= prompt.project.is_some();
        let dialect = self.dialect(subject);
        for step in steps {
            self.steps += 1;
            let speaker = Speaker {
                source: subject.source.name,
                dialect,
                number: self.steps,
            };
            provider.queue(speaker.dialect, speaker.says(*step));
        }
        let prompt = Prompt {
            session: self.session,
            source: Some(subject.source.name.to_owned()),
            model: Some(subject.model.clone()),
            base_url: Some(address(subject.source, provider)),
            moving: Moving::Allowed,
            ..prompt
        };
        let name = &subject.name;
        let sent = app.send(prompt).await;
        let session = sent.unwrap_or_else(|error| panic!("{name}: {error}"));
        let over = tokio::time::timeout(HANGS, app.wait(session)).await;
        over.unwrap_or_else(|_| panic!("{name}: the turn hangs"));
        self.session = Some(session);
        let events = app.store().events_since(session, 0).await.unwrap();
        let last = events.last().map(|event| &event.body);
        assert!(
            matches!(last, Some(EventBody::Complete { .. })),
            "{name}: {last:?}"
        );
        let requests = provider.take_requests();
        assert_eq!(requests.len(), steps.len(), "{name}: a request for a step");
        requests
    }

    /// In which the next request is answered: some models get their tools by another API.
    fn dialect(&self, subject: &Subject) -> &'static str {
        let tool = ToolDefinition {
            name: "any".to_owned(),
            description: String::new(),
            schema: serde_json::json!({}),
        };
        let request = StepRequest {
            model: subject.model.clone(),
            tools: self.has_tools.then_some(tool).into_iter().collect(),
            ..StepRequest::default()
        };
        subject.source.dialect_for(&request).name
    }

    /// A copy of the session as it is now.
    pub(super) async fn fork(&self) -> Self {
        let session = self.session.expect("a session that has begun");
        let fork = self.stage.app.fork(session, None).await.unwrap();
        Self {
            session: Some(fork.id),
            ..self.clone()
        }
    }
}
