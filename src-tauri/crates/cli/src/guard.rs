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
        None => Guard::new(&guard::read_config(&data_folder)?)?,
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
        } else if checked.verdict == GuardVerdict::Block {
            return Err(Failure {
                exit: Exit::HeldBack,
                error: weir_protocol::ErrorBody::new(code::BLOCKED, "A guard holds this back."),
            });
        } else {
            output::write(&checked.text)?;
        }
        return Ok(exit(checked.verdict));
    }
    // Whatever a line is, it gets its answer: the tenth answer is about the tenth line.
    let mut strictest = GuardVerdict::Allow;
    let mut wrong = None;
    for (number, line) in stdin.lines().enumerate() {
        if let Ok(text) = serde_json::from_str::<String>(&line?) {
            let checked = check(guard, stage, &text);
            strictest = strictest.max(checked.verdict);
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
        None => Ok(exit(strictest)),
    }
}

fn exit(verdict: GuardVerdict) -> Exit {
    match verdict {
        GuardVerdict::Block => Exit::HeldBack,
        GuardVerdict::Allow | GuardVerdict::Redact | GuardVerdict::Warn | GuardVerdict::Ask => {
            Exit::Done
        }
    }
}

/// The text with a placeholder for all that is taken out; the same value has the same number.
fn check(guard: &Guard, stage: Stage, text: &str) -> Checked {
    let found = guard.check(stage, text);
    let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut passed = String::new();
    let mut from = 0;
    for one in found
        .iter()
        .filter(|one| one.action == GuardVerdict::Redact)
    {
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
