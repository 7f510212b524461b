//! Contestants in other languages: a program that is told, line by line, what to read.
//!
//! Its first line says who is in it. Started once, so that what warms up stays warm.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::contestant::{Contestant, Lane, Outcome, Reads, Role};
use crate::streams::{Stream, Told};

/// One of those in a program.
pub struct Foreign {
    name: String,
    role: Role,
    dialects: Vec<String>,
    program: Rc<RefCell<Program>>,
}

struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Introduction {
    name: String,
    role: Role,
    dialects: Vec<String>,
}

/// Starts a program and hands it the streams, which lie as files in `folder`.
pub fn start(command: &mut Command, streams: &[Stream], folder: &Path) -> Outcome<Vec<Foreign>> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let input = child.stdin.take().ok_or("no way in")?;
    let output = child.stdout.take().ok_or("no way out")?;
    let mut program = Program {
        child,
        input,
        output: BufReader::new(output),
    };
    let who: Vec<Introduction> = serde_json::from_value(program.hear()?)?;
    for stream in streams {
        let file = folder.join(stream.dialect);
        program.ask(&json!(["stream", stream.dialect, file]))?;
    }
    let program = Rc::new(RefCell::new(program));
    let foreign = who.into_iter().map(|it| Foreign {
        name: it.name,
        role: it.role,
        dialects: it.dialects,
        program: Rc::clone(&program),
    });
    Ok(foreign.collect())
}

impl Program {
    fn ask(&mut self, question: &Value) -> Outcome<Value> {
        writeln!(self.input, "{question}")?;
        self.input.flush()?;
        let answer = self.hear()?;
        match answer["error"].as_str() {
            Some(error) => Err(error.into()),
            None => Ok(answer),
        }
    }

    fn hear(&mut self) -> Outcome<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("it ended without a word".into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Contestant for Foreign {
    fn name(&self) -> &str {
        &self.name
    }

    fn lane(&self) -> Lane {
        Lane::Memory
    }

    fn role(&self) -> Role {
        self.role
    }

    fn reads(&self, dialect: &str) -> bool {
        self.dialects.iter().any(|name| name == dialect)
    }

    fn tell(&mut self, reads: Reads<'_>) -> Outcome<Option<Told>> {
        if self.role == Role::Floor {
            return Ok(None);
        }
        let question = json!(["tell", self.name, reads.stream.dialect, reads.size]);
        let answer = self.program.borrow_mut().ask(&question)?;
        Ok(Some(serde_json::from_value(answer)?))
    }

    fn time(&mut self, reads: Reads<'_>, turn: Duration) -> Outcome<f64> {
        let turn = turn.as_millis() as u64;
        let question = json!(["time", self.name, reads.stream.dialect, reads.size, turn]);
        let answer = self.program.borrow_mut().ask(&question)?;
        let nanoseconds = answer["nanoseconds"].as_f64();
        nanoseconds.ok_or_else(|| format!("no time in {answer}").into())
    }
}
