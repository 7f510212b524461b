//! A screen that nobody looks at.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::process::Group;
use crate::sandbox::Sandbox;

pub struct Display {
    name: String,
    _server: Group,
}

impl Display {
    /// Larger than any window of the tests, on the first number that is free.
    pub fn start(sandbox: &Sandbox) -> Self {
        let mut server = Group::spawn(
            sandbox
                .command("Xvfb")
                .args(["-displayfd", "1", "-screen", "0", "1600x1000x24"])
                .args(["-nolisten", "tcp"])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        );
        let output = server.child().stdout.take().expect("stdout is piped");
        let mut number = String::new();
        BufReader::new(output)
            .read_line(&mut number)
            .expect("Xvfb prints the number of its display");
        let number = number.trim();
        assert!(!number.is_empty(), "Xvfb found no free display");
        Self {
            name: format!(":{number}"),
            _server: server,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}
