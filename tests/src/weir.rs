//! Running `weir` and reading what it says.

use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::events;
use crate::process::{Group, Signal};
use crate::sandbox::Sandbox;
use crate::wait::wait_until;

/// One call of the program, not yet made.
pub struct Weir {
    command: Command,
    input: Vec<u8>,
    observer: Observer,
}

/// Gets what a program prints as soon as it arrives.
type Observer = Box<dyn FnMut(&[u8]) + Send>;

impl Weir {
    pub(crate) fn new(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut command = sandbox.command(program("weir"));
        command.args(arguments);
        Self {
            command,
            input: Vec::new(),
            observer: Box::new(|_| {}),
        }
    }

    /// One more argument, which need not be text.
    pub fn argument(mut self, bytes: &[u8]) -> Self {
        self.command.arg(std::ffi::OsStr::from_bytes(bytes));
        self
    }

    /// As a user and group with no rights, who finds the program at `reachable`; possible
    /// for root only.
    pub fn as_nobody(mut self, sandbox: &Sandbox, reachable: &Path) -> Self {
        let mut command = sandbox.command("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
            .arg(reachable)
            .args(self.command.get_args());
        self.command = command;
        self
    }

    /// Run by another program, which gets these arguments first.
    pub fn under(mut self, sandbox: &Sandbox, program: &str, arguments: &[&str]) -> Self {
        let mut command = sandbox.command(program);
        command
            .args(arguments)
            .arg(self.command.get_program())
            .args(self.command.get_args());
        self.command = command;
        self
    }

    pub fn input(mut self, input: impl AsRef<[u8]>) -> Self {
        self.input = input.as_ref().to_vec();
        self
    }

    /// Shows its output to `observer` as soon as it arrives.
    pub fn observe(mut self, observer: impl FnMut(&[u8]) + Send + 'static) -> Self {
        self.observer = Box::new(observer);
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn run(self) -> Outcome {
        self.start().finish()
    }

    pub fn start(mut self) -> Running {
        let mut group = Group::spawn(
            self.command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped()),
        );
        let child = group.child();
        let mut input = child.stdin.take().expect("stdin is piped");
        let bytes = self.input;
        // A program that refuses its input closes the pipe early; that is its right.
        std::thread::spawn(move || input.write_all(&bytes));
        let output = Capture::of(child.stdout.take().expect("stdout is piped"), self.observer);
        let errors = Capture::of(
            child.stderr.take().expect("stderr is piped"),
            Box::new(|_| {}),
        );
        Running {
            call: format!("{:?}", self.command.get_args().collect::<Vec<_>>()),
            group,
            output,
            errors,
        }
    }
}

/// A call under way; dropping it kills it.
pub struct Running {
    call: String,
    group: Group,
    output: Capture,
    errors: Capture,
}

impl Running {
    /// Waits until what it has printed so far satisfies `seen`.
    pub fn wait_until(&self, what: &str, seen: impl Fn(&str) -> bool) {
        wait_until(&format!("{what} from weir {}", self.call), || {
            seen(&self.output.text())
        });
    }

    pub fn id(&self) -> u32 {
        self.group.id()
    }

    pub fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    pub fn finish(mut self) -> Outcome {
        let status = self.group.wait(&format!("the end of weir {}", self.call));
        Outcome {
            call: self.call,
            status,
            stdout: self.output.rest(),
            stderr: self.errors.rest(),
        }
    }
}

/// What one call came to.
#[derive(Debug)]
pub struct Outcome {
    call: String,
    status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Panics with everything it said when the exit code is another one.
    pub fn code(self, expected: i32) -> Self {
        assert_eq!(
            (self.status.code(), self.status.signal()),
            (Some(expected), None),
            "exit code and signal of weir {}\nstdout: {}\nstderr: {}",
            self.call,
            clip(&self.stdout),
            clip(&self.stderr),
        );
        self
    }

    /// As it is, whatever it should be; a signal counts as none of them.
    pub fn exit_code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// Its output as JSON lines.
    pub fn events(&self) -> Vec<Value> {
        events::parse(&self.stdout)
    }

    /// Its output as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("weir {}: {error} in {}", self.call, self.stdout))
    }

    /// What it says on stderr, held to be exactly one sentence for a person.
    pub fn sentence(&self) -> &str {
        let sentence = self.stderr.trim_end();
        let wrong = [
            (sentence.is_empty(), "is empty"),
            (sentence.lines().count() > 1, "is more than one line"),
            (!sentence.ends_with('.'), "does not end in a full stop"),
            (sentence.len() > 400, "is too long to read"),
            (sentence.contains("panicked"), "is a panic"),
            (
                ["Error(", "Err(", "Some(", "Os {", "kind:", "{ "]
                    .iter()
                    .any(|mark| sentence.contains(mark)),
                "shows the insides of the program",
            ),
        ];
        for (is_wrong, why) in wrong {
            assert!(!is_wrong, "weir {}: stderr {why}: {sentence}", self.call);
        }
        sentence
    }
}

/// Where the built program is: named by the environment, or beside the tests.
pub fn program(name: &str) -> PathBuf {
    let variable = format!("{}_BIN", name.to_uppercase().replace('-', "_"));
    let path = std::env::var_os(&variable).map_or_else(
        || {
            let test = std::env::current_exe().expect("a test knows its own path");
            let folder = test.parent().and_then(|folder| folder.parent());
            folder.expect("a test is two folders deep").join(name)
        },
        PathBuf::from,
    );
    assert!(
        path.is_file(),
        "{} is not built: run `make test`, or set {variable}",
        path.display()
    );
    path
}

fn clip(text: &str) -> &str {
    text.get(..4000).unwrap_or(text)
}

/// Reads a pipe to its end on a thread of its own.
struct Capture {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Capture {
    fn of(mut pipe: impl Read + Send + 'static, mut observer: Observer) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&bytes);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                observer(&buffer[..count]);
                let mut bytes = shared.lock().expect("no reader panics");
                bytes.extend_from_slice(&buffer[..count]);
            }
        });
        Self { bytes, reader }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().expect("no reader panics")).into_owned()
    }

    fn rest(self) -> String {
        self.reader.join().expect("no reader panics");
        String::from_utf8_lossy(&self.bytes.lock().expect("no reader panics")).into_owned()
    }
}
