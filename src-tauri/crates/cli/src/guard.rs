//! `weir guard`: a text to the text as the guards let it pass. Touches no database, but for a
//! project's choices, which are there.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::path::PathBuf;

use serde::Serialize;
use weir_core::guard::{self, Found, Guard, GuardError, GuardVerdict, Stage};
use weir_protocol::{Detection, code};

use crate::arguments::{GuardArguments, GuardStage};
use crate::{Exit, Failure, output};

impl From<GuardError> for Failure {
    fn from(error: GuardError) -> Self {
        Self::failed(code::BAD_INPUT, error.to_string())
    }
}

/// What `--json` says of a text.
#[derive(Serialize)]
struct Checked {
    #[serde(skip)]
    is_held_back: bool,
    verdict: GuardVerdict,
    text: String,
    detections: Vec<Detection>,
}

pub(crate) async fn run(data_folder: PathBuf, asked: &GuardArguments) -> Result<Exit, Failure> {
    let guard = match &asked.project {
        Some(project) => {
            let app = crate::open(data_folder).await?;
            let guard = async { Ok(app.guard_of(project).await?) };
            crate::closing(&app, guard).await?
        }
        None => {
            let config = guard::read_config(&data_folder)?;
            for notice in guard::config_notices(&data_folder) {
                output::complain(&notice);
            }
            Guard::new(&config)?
        }
    };
    pass(&guard, asked)
}

fn pass(guard: &Guard, asked: &GuardArguments) -> Result<Exit, Failure> {
    let stage = match asked.stage {
        GuardStage::Input => Stage::Input,
        GuardStage::Output => Stage::Output,
    };
    let mut stdin = std::io::stdin().lock();
    if !asked.lines {
        let mut text = String::new();
        stdin.read_to_string(&mut text)?;
        let checked = check(guard, stage, &text);
        if asked.json {
            output::line(&checked)?;
        } else if checked.is_held_back {
            return Err(Failure {
                exit: Exit::HeldBack,
                error: weir_protocol::ErrorBody::new(code::BLOCKED, "A guard holds this back."),
            });
        } else {
            output::write(&checked.text)?;
        }
        return Ok(exit(&checked));
    }
    // Whatever a line is, it gets its answer: the tenth answer is about the tenth line.
    let mut strictest = Exit::Done;
    let mut wrong = None;
    for (number, line) in stdin.split(b'\n').enumerate() {
        if let Ok(text) = serde_json::from_slice::<String>(&line?) {
            let checked = check(guard, stage, &text);
            if checked.is_held_back {
                strictest = Exit::HeldBack;
            }
            output::line(&checked)?;
        } else {
            let failure = Failure::usage(format!("Line {} is not a JSON string.", number + 1));
            output::line(&serde_json::json!({ "error": &failure.error }))?;
            wrong.get_or_insert(failure);
        }
    }
    match wrong {
        // Its line has its answer; on stdout there is nothing to add.
        Some(failure) => {
            output::complain(&failure.error.message);
            Ok(failure.exit)
        }
        None => Ok(strictest),
    }
}

fn exit(checked: &Checked) -> Exit {
    if checked.is_held_back {
        Exit::HeldBack
    } else {
        Exit::Done
    }
}

/// The text with a placeholder for all that is redacted; the same value has the same number.
/// Nobody can be asked here, so `ask` redacts, and holds back a text that is too long.
fn check(guard: &Guard, stage: Stage, text: &str) -> Checked {
    let found = guard.check(stage, text);
    let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut passed = String::new();
    let mut from = 0;
    let is_redacted = |one: &&Found| match one.action {
        GuardVerdict::Redact | GuardVerdict::Ask => !one.span.is_empty(),
        GuardVerdict::Block | GuardVerdict::Warn | GuardVerdict::Allow => false,
    };
    let holds_back = |one: &Found| match one.action {
        GuardVerdict::Block => true,
        GuardVerdict::Redact | GuardVerdict::Ask => one.span.is_empty(),
        GuardVerdict::Warn | GuardVerdict::Allow => false,
    };
    for one in found.iter().filter(is_redacted) {
        let value = &text[one.span.clone()];
        let number = *numbers.entry((&one.label, value)).or_insert_with(|| {
            let count = counts.entry(&one.label).or_default();
            *count += 1;
            *count
        });
        passed.push_str(&text[from..one.span.start]);
        passed.push_str(&format!("[{}_{number}]", one.label));
        from = one.span.end;
    }
    passed.push_str(&text[from..]);
    Checked {
        is_held_back: found.iter().any(holds_back),
        verdict: guard::verdict(&found),
        text: passed,
        detections: found.iter().map(detection).collect(),
    }
}

fn detection(found: &Found) -> Detection {
    Detection {
        rule: found.rule.to_string(),
        category: found.category,
        start: found.span.start as u64,
        end: found.span.end as u64,
        placeholder: None,
    }
}
