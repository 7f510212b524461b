//! A server on loopback that sends one streamed reply word by word, each only when a test lets
//! it, and notes when.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::json;

use crate::sse;

/// In which dialect words are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    Anthropic,
    OpenAiChat,
}

impl Pace {
    pub fn source(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAiChat => "openai-chat",
        }
    }

    fn opening(self) -> String {
        match self {
            Self::Anthropic => sse::message_start() + &sse::text_start(0),
            Self::OpenAiChat => chunk(&json!({"role": "assistant", "content": ""}), None),
        }
    }

    fn word(self, word: &str) -> String {
        match self {
            Self::Anthropic => sse::text_delta(0, word),
            Self::OpenAiChat => chunk(&json!({"content": word}), None),
        }
    }

    fn ending(self) -> String {
        match self {
            Self::Anthropic => {
                let stop = json!({"type": "content_block_stop", "index": 0});
                sse::event(&stop) + &sse::message_stop()
            }
            Self::OpenAiChat => chunk(&json!({}), Some("stop")) + "data: [DONE]\n\n",
        }
    }
}

fn chunk(delta: &serde_json::Value, finish: Option<&str>) -> String {
    let chunk = json!({"id": "c1", "object": "chat.completion.chunk", "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    format!("data: {chunk}\n\n")
}

/// When each word was sent.
pub struct PacedServer {
    address: SocketAddr,
    sender: JoinHandle<Vec<Instant>>,
}

impl PacedServer {
    /// Calls `sent` with the number of words that are on their way, after each of them: what
    /// comes next waits until that returns.
    pub fn start(
        pace: Pace,
        words: Vec<String>,
        mut sent: impl FnMut(usize) + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
        let address = listener.local_addr().expect("a listener has an address");
        let sender = std::thread::spawn(move || {
            let (stream, _) = listener.accept().expect("a client comes");
            let mut stream = answered(stream);
            let mut send = |text: &str| {
                // A client that has left early shows in what the test reads of it.
                let _ = stream.write_all(text.as_bytes());
                let _ = stream.flush();
                Instant::now()
            };
            send(&pace.opening());
            let mut times = Vec::with_capacity(words.len());
            for (index, word) in words.iter().enumerate() {
                times.push(send(&pace.word(word)));
                sent(index + 1);
            }
            send(&pace.ending());
            times
        });
        Self { address, sender }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// When each word was sent, once all are.
    pub fn finish(self) -> Vec<Instant> {
        self.sender.join().expect("the server does not panic")
    }
}

/// The connection, with its request read and the head of the reply written.
fn answered(stream: TcpStream) -> TcpStream {
    stream.set_nodelay(true).expect("a socket has options");
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        let count = reader.read_line(&mut line).expect("a request has a head");
        if count == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().expect("a length is a number");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a request has a body");
    let mut stream = reader.into_inner();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream
        .write_all(head.as_bytes())
        .expect("a client takes a reply");
    stream
}
