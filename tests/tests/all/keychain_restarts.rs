//! One process, and a keychain that ends, starts again or hangs meanwhile.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use weir_core::secret::{Kept, Secrets, SystemKeychain};
use weir_core::source;
use weir_tests::process::{Group, Signal};
use weir_tests::{Canary, Sandbox};

const ANSWER: &str = "answer: ";

/// The other process: this very test program, on the bus of a place.
struct Asker {
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    _process: Group,
}

impl Asker {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(std::env::current_exe().unwrap());
        command
            .args(["--exact", "keychain_restarts::asks_the_keychain"])
            .args(["--ignored", "--nocapture"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = Group::spawn(&mut command);
        let input = process.child().stdin.take().unwrap();
        let output = BufReader::new(process.child().stdout.take().unwrap()).lines();
        Self {
            input,
            output,
            _process: process,
        }
    }

    fn ask(&mut self, question: &str) -> String {
        writeln!(self.input, "{question}").unwrap();
        let mut lines = self.output.by_ref().map(Result::unwrap);
        let answer = lines.find_map(|line| line.strip_prefix(ANSWER).map(str::to_owned));
        answer.expect("the other process answers")
    }

    /// Asks until the keychain has come round; what hangs is ended by whoever runs the tests.
    fn ask_until(&mut self, question: &str, wanted: &str) {
        weir_tests::wait::wait_until(question, || self.ask(question) == wanted);
    }
}

/// Not a test: answers the questions of the tests below.
#[test]
#[ignore = "started by other tests, on a bus of its own"]
fn asks_the_keychain() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let secrets = Secrets::new(Arc::new(SystemKeychain));
    let anthropic = source::source("anthropic").unwrap();
    for question in std::io::stdin().lines().map_while(Result::ok) {
        let answer = runtime.block_on(async {
            match question.split_once(' ').unwrap_or((&question, "")) {
                ("set", key) => match secrets.store(anthropic, key.into()).await {
                    Ok(()) => "kept".to_owned(),
                    Err(error) => error.to_string(),
                },
                ("get", _) => match secrets.key(anthropic).await {
                    Ok(Some(_)) => "found".to_owned(),
                    Ok(None) => "none".to_owned(),
                    Err(error) => error.to_string(),
                },
                ("seal", _) => match secrets.redaction_key().await.kept {
                    Kept::InKeychain => "in the keychain".to_owned(),
                    Kept::ThisRun { reason, .. } => reason,
                },
                (other, _) => panic!("{other} is no question"),
            }
        });
        println!("{ANSWER}{answer}");
    }
}

#[test]
fn a_keychain_that_was_started_again_is_asked_again() {
    let mut sandbox = Sandbox::with_lonely_keychain();
    let [first, second] = [Canary::new(), Canary::new()];
    let mut asker = Asker::start(&sandbox);
    assert_eq!(asker.ask(&format!("set {}", first.key())), "kept");
    assert_eq!(asker.ask("get"), "found");
    for _ in 0..2 {
        sandbox.keychain().kill();
        let refusal = asker.ask("get");
        assert!(refusal.contains("keychain"), "{refusal}");
        sandbox.restart_keychain();
        asker.ask_until("get", "found");
        assert_eq!(asker.ask(&format!("set {}", second.key())), "kept");
    }
    // Once more without a question in between.
    sandbox.keychain().kill();
    sandbox.restart_keychain();
    asker.ask_until(&format!("set {}", first.key()), "kept");
    assert_eq!(asker.ask("seal"), "in the keychain");
}

#[test]
fn a_keychain_that_came_late_is_found() {
    let mut sandbox = Sandbox::with_lonely_keychain();
    sandbox.keychain().kill();
    let mut asker = Asker::start(&sandbox);
    let refusal = asker.ask("get");
    assert!(refusal.contains("no keychain here"), "{refusal}");
    sandbox.restart_keychain();
    let canary = Canary::new();
    asker.ask_until(&format!("set {}", canary.key()), "kept");
    assert_eq!(asker.ask("get"), "found");
}

#[test]
fn a_keychain_that_hangs_holds_nobody_and_is_found_again() {
    let mut sandbox = Sandbox::with_lonely_keychain();
    let canary = Canary::new();
    let mut asker = Asker::start(&sandbox);
    assert_eq!(asker.ask(&format!("set {}", canary.key())), "kept");
    for how in ["goes on", "is killed"] {
        sandbox.keychain().signal(Signal::STOP);
        // Answered while the keychain is not.
        for _ in 0..5 {
            let refusal = asker.ask("get");
            assert!(refusal.contains("did not answer"), "{how}: {refusal}");
        }
        if how == "goes on" {
            sandbox.keychain().signal(Signal::CONT);
        } else {
            sandbox.keychain().kill();
            sandbox.restart_keychain();
        }
        asker.ask_until("get", "found");
        assert_eq!(asker.ask(&format!("set {}", canary.key())), "kept", "{how}");
    }
}
