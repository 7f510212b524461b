//! A server on loopback that stands for every provider: it answers each request for a reply with
//! the next stream that a test has queued, whatever the dialect, and keeps the request. Anything
//! else it is asked (models, what a model can do) does not exist.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::Response;
use bytes::Bytes;
use serde_json::Value;

use crate::loopback::Loopback;
use crate::replies::content_type;
use crate::server::Request;

#[derive(Default)]
struct Queue {
    replies: VecDeque<(String, Bytes)>,
    requests: Vec<Request>,
}

pub struct Provider {
    server: Loopback,
    queue: Arc<Mutex<Queue>>,
}

impl Provider {
    pub fn start() -> Self {
        let queue = Arc::<Mutex<Queue>>::default();
        let app = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&queue));
        Self {
            server: Loopback::serve(app),
            queue,
        }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Answers the next request for a reply with these bytes in this dialect.
    pub fn queue(&self, dialect: &str, bytes: Bytes) {
        let reply = (content_type(dialect).to_owned(), bytes);
        self.lock().replies.push_back(reply);
    }

    /// The requests for replies since this was last asked. Panics when one of the queued
    /// replies was not asked for.
    pub fn take_requests(&self) -> Vec<Request> {
        let mut queue = self.lock();
        assert_eq!(queue.replies.len(), 0, "every queued reply is asked for");
        std::mem::take(&mut queue.requests)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nobody panics")
    }
}

/// The conversation stands under one of these names in each dialect.
pub const CONVERSATION: [&str; 3] = ["messages", "input", "contents"];

async fn answer(
    State(queue): State<Arc<Mutex<Queue>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let bytes = body;
    let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    let is_conversation = CONVERSATION.iter().any(|name| body[name].is_array());
    if method != Method::POST || !is_conversation {
        return response(404, "application/json", r#"{"error":"not found"}"#.into());
    }
    let mut queue = queue.lock().expect("nobody panics");
    queue.requests.push(Request {
        method,
        path: uri.path().to_owned(),
        query: uri.query().unwrap_or_default().to_owned(),
        headers,
        body,
        bytes,
    });
    match queue.replies.pop_front() {
        Some((kind, bytes)) => response(200, &kind, bytes),
        None => response(
            418,
            "application/json",
            r#"{"error":"no reply is queued"}"#.into(),
        ),
    }
}

fn response(status: u16, kind: &str, body: Bytes) -> Response {
    Response::builder()
        .status(StatusCode::from_u16(status).expect("a status"))
        .header(header::CONTENT_TYPE, kind)
        .body(Body::from(body))
        .expect("a response")
}
