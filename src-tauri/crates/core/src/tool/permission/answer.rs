//! What an answer of the user's is bound to.
//!
//! Invariant: an answer holds for the very call it was given for. The binding is a hash over
//! the tool's whole definition (name, description, schema, what it can do), the whole input,
//! and where the input's paths really lead. Change one byte of any and it asks again; a name
//! alone approves nothing.
//!
//! The binding is stored, so it is no hash of anything redacted: a PIN is found by trying all of
//! them. A call that is given originals is hashed with their placeholders, and holds for the one
//! session in which these mean the same.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;
use weir_protocol::Decision;

use super::Subject;
use crate::tool::{Access, Tool};
use crate::value_search::{Extent, KnownValues};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binding(String);

/// How a call is spelled that is given originals.
#[derive(Clone)]
pub struct Covered {
    /// Whose placeholders these are.
    pub session: Uuid,
    /// The input with placeholders.
    pub input: Value,
    pub known: Arc<KnownValues>,
}

impl Covered {
    fn cover(&self, text: &str) -> String {
        self.known.redact(text.to_owned(), Extent::Whole)
    }

    fn subject(&self, subject: &Subject) -> Subject {
        match subject {
            Subject::Input => Subject::Input,
            Subject::Paths(paths) => {
                Subject::Paths(paths.iter().map(|path| self.cover(path)).collect())
            }
            Subject::Command(command) => Subject::Command(self.cover(command)),
        }
    }
}

impl Binding {
    pub fn of(tool: &dyn Tool, input: &Value) -> Self {
        Self::about(tool, input, &tool.subject(input))
    }

    /// The same for a call that may be given originals.
    pub(crate) fn spelled(tool: &dyn Tool, input: &Value, covered: Option<&Covered>) -> Self {
        Self::spelled_about(tool, input, &tool.subject(input), covered)
    }

    /// For a subject that was looked up before.
    pub(super) fn spelled_about(
        tool: &dyn Tool,
        input: &Value,
        subject: &Subject,
        covered: Option<&Covered>,
    ) -> Self {
        let Some(covered) = covered else {
            return Self::about(tool, input, subject);
        };
        let Self(call) = Self::about(tool, &covered.input, &covered.subject(subject));
        let mut hash = Hash::default();
        hash.part("with placeholders");
        hash.part(&covered.session.to_string());
        hash.part(&call);
        Self(hash.end())
    }

    fn about(tool: &dyn Tool, input: &Value, subject: &Subject) -> Self {
        let definition = tool.definition();
        let mut hash = Hash::default();
        hash.part(&definition.name);
        hash.part(&definition.description);
        hash.part(&canonical(&definition.schema));
        hash.part(match tool.access() {
            Access::ReadOnly => "reads",
            Access::Changes => "changes",
        });
        hash.part(&canonical(input));
        match subject {
            Subject::Input => hash.part("input"),
            Subject::Paths(paths) => {
                hash.part("paths");
                for path in paths {
                    hash.part(path);
                }
            }
            Subject::Command(command) => {
                hash.part("command");
                hash.part(command);
            }
        }
        Self(hash.end())
    }

    /// The same call with what guards redacted in its input.
    pub(super) fn with_originals(self) -> Self {
        let mut hash = Hash::default();
        hash.part("with originals");
        hash.part(&self.0);
        Self(hash.end())
    }

    /// One that was kept; anything else than what [`fmt::Display`] wrote matches no call.
    pub fn kept(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// An answer for a whole project, as a named value of the database. Each is a value of its own,
/// so that two Weirs that answer at once lose none.
pub fn stored(
    project: &Path,
    binding: &Binding,
    tool_name: &str,
    decision: Decision,
) -> (String, String) {
    let word = match decision {
        Decision::Allow => ALLOW,
        Decision::Deny => DENY,
    };
    let name = format!("{}{binding}", stored_names(project));
    (name, format!("{word} {tool_name}"))
}

/// What the names of a project's answers start with.
pub fn stored_names(project: &Path) -> String {
    format!("answer.{}.", sha256(project.as_os_str().as_encoded_bytes()))
}

/// The inverse of [`stored`]; nothing else is an answer.
pub fn read_stored(project: &Path, name: &str, value: &str) -> Option<(Binding, Decision)> {
    let binding = name.strip_prefix(&stored_names(project))?;
    let (word, _) = value.split_once(' ')?;
    let decision = match word {
        ALLOW => Decision::Allow,
        DENY => Decision::Deny,
        _ => return None,
    };
    Some((Binding::kept(binding), decision))
}

const ALLOW: &str = "allow";
const DENY: &str = "deny";

/// Each part with its length before it, so that no two lists of parts read the same.
#[derive(Default)]
struct Hash(Sha256);

impl Hash {
    fn part(&mut self, part: &str) {
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part.as_bytes());
    }

    fn end(self) -> String {
        hex(&self.0.finalize())
    }
}

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// JSON with its keys in order, whatever order they came in.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let fields = fields.into_iter().map(|(name, value)| {
                format!("{}:{}", Value::from(name.as_str()), canonical(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(canonical).collect();
            format!("[{}]", values.join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}
