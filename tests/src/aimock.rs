//! A server that speaks many providers' dialects, written by others: the npm package `aimock`,
//! on loopback, with what it shall say.

use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::Group;
use crate::wait::wait_until;
use crate::window::free_ports;

pub struct Aimock {
    port: u16,
    _process: Group,
    _folder: TempDir,
}

impl Aimock {
    /// Answers every prompt that holds a word of `replies` with what stands beside it.
    pub fn start(replies: &[(&str, Value)], flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let fixtures: Vec<Value> = replies
            .iter()
            .map(|(word, reply)| {
                let mut fixture = json!({"match": {"userMessage": word}});
                let fields = reply.as_object().expect("a reply is an object");
                fixture
                    .as_object_mut()
                    .expect("an object")
                    .extend(fields.clone());
                fixture
            })
            .collect();
        let file = folder.path().join("replies.json");
        std::fs::write(&file, json!({"fixtures": fixtures}).to_string()).expect("a file");
        let [port] = free_ports();
        let process = Group::spawn(
            Command::new(node())
                .arg(peers().join("node_modules/@copilotkit/aimock/dist/cli.js"))
                .args(["--port", &port.to_string(), "--log-level", "silent"])
                .arg("--fixtures")
                .arg(file)
                .args(flags)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        );
        wait_until("aimock", || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
        });
        Self {
            port,
            _process: process,
            _folder: folder,
        }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// The folder of what others wrote and Weir is compared with.
pub fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// The Node that these want; the machine's own may be older.
pub fn node() -> PathBuf {
    peers().join("node_modules/.bin/node")
}
