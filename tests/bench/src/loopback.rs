//! Peers that ask a server themselves, and Weir in the same place.
//!
//! genai reads from nothing but its own HTTP client, so here everybody does: the same reqwest,
//! the same server on loopback, the same reads, each an HTTP chunk of its own. What reading
//! costs before anybody parses is measured too, so that it can be taken off.

mod server;

use std::hint::black_box;
use std::time::Duration;

use futures_util::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatRequest, ChatStreamEvent};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget};
use tokio::runtime::Runtime;
use weir_core::source::dialect::Reader;

use crate::contestant::{Contestant, Lane, Outcome, Reads, Role, repeat};
use crate::streams::{Stream, Told};
use crate::weir;

pub use server::Server;

/// One that reads through reqwest.
pub struct Remote {
    kind: Kind,
    runtime: Runtime,
    http: reqwest::Client,
    origin: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reads,
    Weir,
    Genai,
}

/// Everyone in this lane. The server must live as long as they do.
pub fn everyone(server: &Server) -> Outcome<Vec<Remote>> {
    let kinds = [Kind::Reads, Kind::Weir, Kind::Genai];
    let made = kinds.map(|kind| {
        Ok(Remote {
            kind,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
            http: reqwest::Client::builder().no_proxy().build()?,
            origin: server.origin(),
        })
    });
    made.into_iter().collect()
}

impl Contestant for Remote {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Reads => "reqwest, reads alone",
            Kind::Weir => "Weir over reqwest",
            Kind::Genai => "genai",
        }
    }

    fn lane(&self) -> Lane {
        Lane::Loopback
    }

    fn role(&self) -> Role {
        match self.kind {
            Kind::Reads => Role::Floor,
            Kind::Weir => Role::Weir,
            Kind::Genai => Role::RustPeer,
        }
    }

    fn reads(&self, dialect: &str) -> bool {
        match self.kind {
            Kind::Reads => true,
            Kind::Weir => weir::known(dialect).is_ok(),
            Kind::Genai => adapter(dialect).is_some(),
        }
    }

    fn tell(&mut self, reads: Reads<'_>) -> Outcome<Option<Told>> {
        match self.kind {
            Kind::Reads => Ok(None),
            Kind::Weir => self.runtime.block_on(self.tell_weir(reads)).map(Some),
            Kind::Genai => self.runtime.block_on(self.tell_genai(reads)).map(Some),
        }
    }

    fn time(&mut self, reads: Reads<'_>, turn: Duration) -> Outcome<f64> {
        let genai = self.genai(reads)?;
        repeat(turn, || {
            self.runtime.block_on(async {
                match self.kind {
                    Kind::Reads => self.read(reads, |bytes| _ = black_box(bytes)).await,
                    Kind::Weir => self.pass_weir(reads).await,
                    Kind::Genai => pass_genai(&genai).await,
                }
            })
        })
    }
}

impl Remote {
    fn url(&self, reads: Reads<'_>) -> String {
        format!("{}/{}/{}/", self.origin, reads.stream.dialect, reads.size)
    }

    async fn read(&self, reads: Reads<'_>, mut each: impl FnMut(&[u8])) -> Outcome<()> {
        let response = self.http.post(self.url(reads)).body("{}").send().await?;
        let mut body = response.error_for_status()?.bytes_stream();
        while let Some(bytes) = body.next().await {
            each(&bytes?);
        }
        Ok(())
    }

    async fn pass_weir(&self, reads: Reads<'_>) -> Outcome<()> {
        let mut reader = Reader::new(weir::known(reads.stream.dialect)?);
        let mut out = Vec::new();
        let each = |bytes: &[u8]| {
            reader.push(bytes, &mut out);
            weir::hand_on(&mut out);
        };
        self.read(reads, each).await?;
        reader.finish(&mut out);
        weir::hand_on(&mut out);
        Ok(())
    }

    async fn tell_weir(&self, reads: Reads<'_>) -> Outcome<Told> {
        let mut reader = Reader::new(weir::known(reads.stream.dialect)?);
        let mut all = Vec::new();
        self.read(reads, |bytes| reader.push(bytes, &mut all))
            .await?;
        reader.finish(&mut all);
        weir::told(&all)
    }

    fn genai(&self, reads: Reads<'_>) -> Outcome<Client> {
        let url = self.url(reads);
        let kind = adapter(reads.stream.dialect);
        let resolver = ServiceTargetResolver::from_resolver_fn(move |target: ServiceTarget| {
            let kind = kind.unwrap_or(target.model.adapter_kind);
            Ok(ServiceTarget {
                endpoint: Endpoint::from_owned(url.clone()),
                auth: AuthData::from_single("none"),
                model: ModelIden::new(kind, target.model.model_name),
            })
        });
        let builder = Client::builder().with_reqwest(self.http.clone());
        Ok(builder.with_service_target_resolver(resolver).build()?)
    }

    async fn tell_genai(&self, reads: Reads<'_>) -> Outcome<Told> {
        let options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_tool_calls(true);
        let request = ChatRequest::from_user("Hello.");
        let client = self.genai(reads)?;
        let response = client.exec_chat_stream("bench", request, Some(&options));
        let mut stream = response.await?.stream;
        let mut told = Told::default();
        while let Some(event) = stream.next().await {
            match event? {
                ChatStreamEvent::Chunk(chunk) => told.text.push_str(&chunk.content),
                ChatStreamEvent::ReasoningChunk(chunk) => told.thinking.push_str(&chunk.content),
                ChatStreamEvent::End(end) => {
                    let calls = end.captured_tool_calls().unwrap_or_default();
                    told.inputs = calls
                        .into_iter()
                        .map(|it| it.fn_arguments.clone())
                        .collect();
                    let tokens = end.captured_usage.and_then(|usage| usage.completion_tokens);
                    told.output_tokens = tokens.unwrap_or_default().try_into()?;
                }
                ChatStreamEvent::Start
                | ChatStreamEvent::ThoughtSignatureChunk(_)
                | ChatStreamEvent::ToolCallChunk(_)
                | ChatStreamEvent::Heartbeat => {}
            }
        }
        Ok(told)
    }
}

/// With nothing captured but the usage, which is the least it can be asked for.
async fn pass_genai(client: &Client) -> Outcome<()> {
    let options = ChatOptions::default().with_capture_usage(true);
    let request = ChatRequest::from_user("Hello.");
    let response = client.exec_chat_stream("bench", request, Some(&options));
    let mut stream = response.await?.stream;
    while let Some(event) = stream.next().await {
        black_box(event?);
    }
    Ok(())
}

fn adapter(dialect: &str) -> Option<AdapterKind> {
    match dialect {
        "anthropic" => Some(AdapterKind::Anthropic),
        "openai-chat" => Some(AdapterKind::OpenAI),
        "openai-responses" => Some(AdapterKind::OpenAIResp),
        "gemini" => Some(AdapterKind::Gemini),
        _ => None,
    }
}

/// The bodies the server is to answer with: every stream in every size.
pub fn bodies(streams: &[Stream], sizes: &[usize]) -> Vec<(String, Vec<u8>)> {
    let mut bodies = Vec::new();
    for stream in streams {
        for size in sizes {
            let path = format!("/{}/{size}/", stream.dialect);
            bodies.push((path, server::response(stream.bytes.chunks(*size))));
        }
    }
    bodies
}
