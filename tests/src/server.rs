//! A server on loopback that answers as a test has told it to and remembers what it was
//! asked. It stands where a provider would.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use serde_json::Value;
use tokio::sync::Notify;

use crate::eventstream::CONTENT_TYPE;
use crate::loopback::Loopback;

/// What one request is answered with.
pub enum Reply {
    /// Server-sent events, part after part, under status 200.
    Stream(Vec<Part>),
    /// JSON lines, part after part, under status 200.
    Lines(Vec<Part>),
    /// Amazon's event stream, part after part, under status 200.
    EventStream(Vec<Part>),
    /// A refusal with its body, or, with status 200, plain JSON.
    Refusal(u16, Value),
}

/// A piece of a streamed reply.
pub enum Part {
    Send(String),
    Bytes(Vec<u8>),
    /// Nothing more comes, and the connection stays open until the other side leaves.
    Hang,
    /// The connection breaks once the test says so.
    Cut,
}

/// What the server was asked.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    pub body: Value,
    /// The body as it came.
    pub bytes: Bytes,
}

impl Request {
    /// A header's value, or nothing.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap_or("(no text)"))
    }
}

/// Looks at a request before it is answered; what it says is the answer, in place of the next
/// reply of the script.
pub type Judge = Box<dyn Fn(&Request) -> Option<Reply> + Send>;

struct Script {
    judge: Judge,
    replies: VecDeque<Reply>,
    requests: Vec<Request>,
    cut: Arc<Notify>,
}

pub struct Server {
    server: Loopback,
    script: Arc<Mutex<Script>>,
}

impl Server {
    /// Answers the first request with the first reply, and so on; a request past the last
    /// one is refused.
    pub fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::judging(Box::new(|_| None), replies)
    }

    /// As [`Self::start`], but for the requests that `judge` answers.
    pub fn judging(judge: Judge, replies: impl IntoIterator<Item = Reply>) -> Self {
        let script = Arc::new(Mutex::new(Script {
            judge,
            replies: replies.into_iter().collect(),
            requests: Vec::new(),
            cut: Arc::default(),
        }));
        let app = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&script));
        Self {
            server: Loopback::serve(app),
            script,
        }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Lets the stream that waits at a [`Part::Cut`] break.
    pub fn cut(&self) {
        self.script.lock().expect("nobody panics").cut.notify_one();
    }

    pub fn requests(&self) -> Vec<Request> {
        self.script.lock().expect("nobody panics").requests.clone()
    }
}

async fn answer(
    State(script): State<Arc<Mutex<Script>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (reply, cut) = {
        let mut script = script.lock().expect("nobody panics");
        // The window asks for models when it sees fit; only a test that scripts that counts it.
        let scripted = matches!(script.replies.front(), Some(Reply::Refusal(..)) | None);
        if method == Method::GET && !scripted {
            return plain(200, "application/json", Body::from(r#"{"data":[]}"#));
        }
        let request = Request {
            method,
            path: uri.path().to_owned(),
            query: uri.query().unwrap_or_default().to_owned(),
            headers,
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
            bytes: body,
        };
        let judged = (script.judge)(&request);
        script.requests.push(request);
        let reply = judged.or_else(|| script.replies.pop_front());
        (reply, Arc::clone(&script.cut))
    };
    let (status, kind, body) = match reply {
        Some(Reply::Stream(parts)) => (200, "text/event-stream", streamed(parts, cut)),
        Some(Reply::Lines(parts)) => (200, "application/x-ndjson", streamed(parts, cut)),
        Some(Reply::EventStream(parts)) => (200, CONTENT_TYPE, streamed(parts, cut)),
        Some(Reply::Refusal(status, value)) => {
            (status, "application/json", Body::from(value.to_string()))
        }
        None => (418, "application/json", Body::from("{}")),
    };
    plain(status, kind, body)
}

fn plain(status: u16, kind: &str, body: Body) -> Response {
    Response::builder()
        .status(StatusCode::from_u16(status).expect("a status"))
        .header(header::CONTENT_TYPE, kind)
        .body(body)
        .expect("a response")
}

fn streamed(parts: Vec<Part>, cut: Arc<Notify>) -> Body {
    let state = (parts.into_iter(), cut);
    Body::from_stream(stream::unfold(state, async |(mut parts, cut)| {
        let item = match parts.next()? {
            Part::Send(text) => Ok(Bytes::from(text)),
            Part::Bytes(bytes) => Ok(Bytes::from(bytes)),
            Part::Hang => std::future::pending().await,
            Part::Cut => {
                cut.notified().await;
                Err(std::io::Error::other("cut as told"))
            }
        };
        Some((item, (parts, cut)))
    }))
}
