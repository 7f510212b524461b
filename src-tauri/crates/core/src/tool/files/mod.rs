//! Weir's own tools for files: read one, list a folder, search for text. All only look.
//!
//! Confined to the project folder by [`Root`]. What the rules hold back is not shown by the
//! others either: a search leaves it out and says so. The work is done off the async threads,
//! and dropping the future ends it at the next file.

mod ignored;
mod list;
mod read;
mod restore;
mod search;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::permission::{Effect, Rules, Subject};
use super::root::{PathError, ResolvedPath, Root};
use super::{Access, LongLines, Reach, Tool, ToolOutcome, visible};
use crate::source::ToolDefinition;

/// An error quotes a path or an input, and these may be long.
const LONGEST_SENTENCE: usize = 400;

/// The tools of a project.
pub fn file_tools(root: Arc<Root>, rules: Arc<Rules>) -> Vec<Arc<dyn Tool>> {
    let folder = Folder {
        root,
        rules,
        judged: None,
    };
    vec![
        Arc::new(FileTool {
            folder: folder.clone(),
            job: Job::Read,
        }),
        Arc::new(FileTool {
            folder: folder.clone(),
            job: Job::List,
        }),
        Arc::new(FileTool {
            folder,
            job: Job::Search,
        }),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Read,
    List,
    Search,
}

impl Job {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read_file",
            Self::List => "list_folder",
            Self::Search => "search_text",
        }
    }
}

/// The project folder and what in it is held back.
#[derive(Clone, Debug)]
struct Folder {
    root: Arc<Root>,
    rules: Arc<Rules>,
    /// The spellings of the place that the rules were asked about.
    judged: Option<Vec<String>>,
}

impl Folder {
    /// Where a path leads. A link that was turned since the rules were asked is refused here.
    fn resolve(&self, job: Job, path: &str) -> Result<ResolvedPath, FileError> {
        let place = self.root.resolve(path)?;
        let judged = self.judged.as_ref();
        if judged.is_some_and(|judged| !judged.contains(&place.name())) {
            return Err(FileError::Turned);
        }
        match self.rules.naming(job.name()).holding_back(&place.name()) {
            Some(rule) if rule.effect == Effect::Deny => Err(FileError::Denied(rule.reason())),
            Some(_) | None => Ok(place),
        }
    }
}

/// Why a call came to nothing, in a sentence for the model.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum FileError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("{0}")]
    Denied(String),
    #[error("It leads elsewhere since this call was checked; nothing was read.")]
    Turned,
    #[error("The input does not fit: {0}.")]
    Input(String),
    #[error("{path} is a binary file ({bytes} bytes). This tool reads text.")]
    Binary { path: String, bytes: u64 },
    #[error("{path} could not be read: {reason}.")]
    Io { path: String, reason: String },
    #[error("It was stopped.")]
    Stopped,
}

impl FileError {
    fn io(place: &ResolvedPath, error: &std::io::Error) -> Self {
        Self::Io {
            path: visible::line(&place.name()),
            reason: visible::reason(error),
        }
    }
}

/// Whether whoever asked is gone.
#[derive(Clone, Debug, Default)]
struct Stop(Arc<AtomicBool>);

impl Stop {
    fn check(&self) -> Result<(), FileError> {
        if self.0.load(Ordering::Relaxed) {
            Err(FileError::Stopped)
        } else {
            Ok(())
        }
    }
}

struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` where it may block; dropping the future tells it to stop.
fn blocking(
    work: impl FnOnce(&Stop) -> Result<String, FileError> + Send + 'static,
    long_lines: LongLines,
) -> BoxFuture<'static, ToolOutcome> {
    let stop = Stop::default();
    let guard = StopOnDrop(stop.clone());
    async move {
        let done = tokio::task::spawn_blocking(move || work(&stop)).await;
        drop(guard);
        match done {
            Ok(Ok(text)) => ToolOutcome::text(text).with_long_lines(long_lines),
            Ok(Err(error)) => {
                let sentence = LongLines::Ends(LONGEST_SENTENCE);
                ToolOutcome::failed(error.to_string()).with_long_lines(sentence)
            }
            Err(_) => ToolOutcome::failed("The tool failed by a mistake in Weir."),
        }
    }
    .boxed()
}

struct FileTool {
    folder: Folder,
    job: Job,
}

impl Tool for FileTool {
    fn definition(&self) -> ToolDefinition {
        let (description, schema) = match self.job {
            Job::Read => (read::DESCRIPTION, read::schema()),
            Job::List => (list::DESCRIPTION, list::schema()),
            Job::Search => (search::DESCRIPTION, search::schema()),
        };
        ToolDefinition {
            name: self.job.name().to_owned(),
            description: description.to_owned(),
            schema,
        }
    }

    fn access(&self) -> Access {
        Access::ReadOnly
    }

    fn reach(&self) -> Reach {
        Reach::Local
    }

    fn restored(&self, input: &Value, original: &dyn Fn(&str) -> Option<String>) -> Value {
        restore::restored(&self.folder.root, input, original)
    }

    /// The path as it was written and where it leads, so that a link does not beat a rule.
    fn subject(&self, input: &Value) -> Subject {
        let written = input.get("path").and_then(Value::as_str).unwrap_or(".");
        let mut paths = vec![tidy(written)];
        if let Ok(place) = self.folder.root.resolve(written) {
            let name = place.name();
            if !paths.contains(&name) {
                paths.push(name);
            }
        }
        Subject::Paths(paths)
    }

    fn run(&self, input: Value) -> BoxFuture<'static, ToolOutcome> {
        let judged = self.subject(&input);
        self.run_judged(input, judged)
    }

    fn run_judged(&self, input: Value, judged: Subject) -> BoxFuture<'static, ToolOutcome> {
        let folder = Folder {
            judged: match judged {
                Subject::Paths(paths) => Some(paths),
                Subject::Input | Subject::Command(_) => None,
            },
            ..self.folder.clone()
        };
        match self.job {
            Job::Read => {
                let run = move |_: &Stop| read::run(&folder, parse(input)?);
                blocking(run, LongLines::Start(read::LONGEST_LINE))
            }
            Job::List => {
                let run = move |_: &Stop| list::run(&folder, parse(input)?);
                blocking(run, LongLines::Whole)
            }
            Job::Search => {
                let run = move |stop: &Stop| search::run(&folder, parse(input)?, stop);
                blocking(run, LongLines::Ends(search::LONGEST_LINE))
            }
        }
    }
}

/// A path without its empty parts: `./a//b/` is `a/b`.
fn tidy(path: &str) -> String {
    let parts = path.split(['/', '\\']);
    let parts: Vec<_> = parts
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.is_empty() {
        ".".into()
    } else {
        parts.join("/")
    }
}

fn parse<Input: DeserializeOwned>(input: Value) -> Result<Input, FileError> {
    // Some models send nothing for no arguments.
    let input = if input.is_null() { json!({}) } else { input };
    serde_json::from_value(input).map_err(|error| FileError::Input(error.to_string()))
}
