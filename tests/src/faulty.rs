//! A server on loopback that answers byte by byte as a test has told it to, also with what no
//! honest server would send. One request a connection, so that every request is counted.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// One thing the server does on a connection. After the last one it closes it.
#[derive(Clone, Debug)]
pub enum Act {
    Send(Vec<u8>),
    /// So many bytes at a time with a pause after each, until the end or until the other side
    /// has left.
    Drip {
        bytes: Vec<u8>,
        piece: usize,
        pause: Duration,
    },
    /// The same bytes again and again, until the other side has left.
    Repeat(Vec<u8>, Duration),
    /// The same bytes as fast as the connection takes them, but fewer than a reply may have: then
    /// nothing, until the other side has left.
    Flood(Vec<u8>),
    /// Nothing, until the other side has left.
    Hang,
    /// The connection is torn rather than closed.
    Reset,
}

/// Half of what one frame may have.
const FLOOD: usize = weir_core::wire::MAX_FRAME / 2;

/// What one request is answered with.
pub type Answer = Vec<Act>;

pub struct Faulty {
    address: SocketAddr,
    script: Arc<Script>,
    accepting: JoinHandle<()>,
}

struct Script {
    answers: Mutex<VecDeque<Answer>>,
    /// The requests as they came, whole.
    requests: Mutex<Vec<String>>,
    /// How many requests have come.
    asked: watch::Sender<usize>,
    /// How many connections the other side has left.
    left: watch::Sender<usize>,
}

impl Faulty {
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("loopback has a port");
        let address = listener.local_addr().expect("a listener has an address");
        let script = Arc::new(Script {
            answers: Mutex::new(answers.into_iter().collect()),
            requests: Mutex::default(),
            asked: watch::Sender::new(0),
            left: watch::Sender::new(0),
        });
        let shared = Arc::clone(&script);
        let accepting = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(answer(connection, Arc::clone(&shared)));
            }
        });
        Self {
            address,
            script,
            accepting,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn requests(&self) -> Vec<String> {
        self.script.requests.lock().expect("nobody panics").clone()
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, times: usize) {
        let mut asked = self.script.asked.subscribe();
        let waited = asked.wait_for(|asked| *asked >= times).await;
        waited.expect("the server lives");
    }

    /// Waits until the other side has left so many connections.
    pub async fn left(&self, times: usize) {
        let mut left = self.script.left.subscribe();
        let waited = left.wait_for(|left| *left >= times).await;
        waited.expect("the server lives");
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// A port that nobody listens on.
pub async fn nobody() -> String {
    Faulty::start([]).await.url()
}

/// An answer's head, with a body that lasts until the connection ends.
pub fn head(status: u16, content_type: &str, more: &str) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: {content_type}\r\nconnection: close\r\n{more}\r\n"
    );
    head.into_bytes()
}

async fn answer(mut connection: TcpStream, script: Arc<Script>) {
    let Some(request) = request(&mut connection).await else {
        return;
    };
    // The window asks for models when it sees fit; no test scripts that here.
    if request.starts_with("GET ") {
        let mut models = head(200, "application/json", "");
        models.extend_from_slice(br#"{"data":[]}"#);
        let _ = connection.write_all(&models).await;
        return;
    }
    script.requests.lock().expect("nobody panics").push(request);
    let acts = script.answers.lock().expect("nobody panics").pop_front();
    script.asked.send_modify(|asked| *asked += 1);
    let unscripted = || vec![Act::Send(head(418, "application/json", ""))];
    for act in acts.unwrap_or_else(unscripted) {
        let (mut reading, mut writing) = connection.split();
        let sent = match act {
            Act::Send(bytes) => writing.write_all(&bytes).await,
            Act::Drip {
                bytes,
                piece,
                pause,
            } => {
                let pieces = async {
                    for piece in bytes.chunks(piece) {
                        writing.write_all(piece).await?;
                        tokio::time::sleep(pause).await;
                    }
                    Ok(())
                };
                tokio::select! {
                    sent = pieces => sent,
                    () = end(&mut reading) => Err(std::io::ErrorKind::BrokenPipe.into()),
                }
            }
            Act::Repeat(bytes, pause) => {
                let pieces = async {
                    while writing.write_all(&bytes).await.is_ok() {
                        tokio::time::sleep(pause).await;
                    }
                };
                tokio::select! {
                    () = pieces => {}
                    () = end(&mut reading) => {}
                }
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            Act::Flood(bytes) => {
                let pieces = async {
                    for _ in 0..FLOOD / bytes.len() {
                        if writing.write_all(&bytes).await.is_err() {
                            return;
                        }
                    }
                    std::future::pending().await
                };
                tokio::select! {
                    () = pieces => {}
                    () = end(&mut reading) => {}
                }
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            Act::Hang => {
                end(&mut reading).await;
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            Act::Reset => connection.set_zero_linger(),
        };
        if sent.is_err() {
            script.left.send_modify(|left| *left += 1);
            return;
        }
    }
}

/// Waits until the other side closes, which sends nothing more by then.
async fn end(reading: &mut (impl AsyncReadExt + Unpin)) {
    let mut buffer = [0; 1024];
    while let Ok(1..) = reading.read(&mut buffer).await {}
}

/// A request with its body; nothing when the other side left before it was whole.
async fn request(connection: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        let count = connection.read(&mut buffer).await.ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let named = name.eq_ignore_ascii_case("content-length");
                named.then(|| value.trim().parse::<usize>().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(text.into_owned());
            }
        }
    }
}
