//! Judges that are written in Python: a script of `tests/peers` that answers a line for a line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::aimock::peers;
use crate::process::Group;

/// What the script answers to each of these, in order.
pub fn ask(script: &str, questions: &[Value]) -> Vec<Value> {
    let found = Command::new(peers().join("python"))
        .output()
        .expect("the shell runs");
    let errors = String::from_utf8_lossy(&found.stderr);
    assert!(
        found.status.success(),
        "the official packages are not there: run `make setup`\n{errors}"
    );
    let mut command = Command::new(String::from_utf8_lossy(&found.stdout).trim());
    // Without files of its own beside the sources.
    command.arg("-B").arg(peers().join(script));
    let mut judge = Group::spawn(
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit()),
    );
    let mut input = judge.child().stdin.take().expect("it is piped");
    let output = BufReader::new(judge.child().stdout.take().expect("it is piped"));
    let lines: String = questions.iter().map(|it| format!("{it}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let answers: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(&line.expect("it writes text")).expect("it writes JSON"))
        .collect();
    writer
        .join()
        .expect("the writer ends")
        .expect("everything is read");
    assert_eq!(answers.len(), questions.len(), "every question is answered");
    assert!(judge.wait("the end of the judge").success());
    answers
}
