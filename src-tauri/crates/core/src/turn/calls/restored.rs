//! What a call runs with: the model's input, with originals where placeholders stand, as far as
//! the tool is to have them.
//!
//! Invariant: a tool that is not local is given an original only after the user has agreed to
//! exactly that call, with the originals in it ([`crate::tool::permission::Originals`]). What is
//! stored and shown is the input with placeholders.

use serde_json::Value;
use tokio::task::spawn_blocking;

use super::{Call, Calls, stopped};
use crate::redact::Vault;
use crate::tool::permission::Subject;
use crate::tool::{Mode, Tools};

impl Calls<'_> {
    /// Puts originals into the inputs. A tool may look at files to know where they belong, so
    /// this is not done on the runtime's own threads, and a stop is not held up by it.
    pub(super) async fn restore(&mut self, calls: &mut Vec<Call>) {
        let has_placeholder = |call: &Call| {
            let vault = &self.checks.vault;
            !vault.placeholders_in(&call.input).is_empty()
        };
        if !calls.iter().any(has_placeholder) {
            return;
        }
        let (tools, mode) = (self.tools.clone(), self.mode);
        let (vault, unrestored) = (self.checks.vault.clone(), calls.clone());
        let restoring = spawn_blocking(move || {
            let restored = unrestored.into_iter();
            let restored = restored.map(|call| restored_call(call, &tools, mode, &vault));
            restored.collect()
        });
        tokio::select! {
            biased;
            () = stopped(self.stop) => {}
            // Where it fails the tools are given placeholders.
            restored = restoring => if let Ok(restored) = restored {
                *calls = restored;
            },
        }
    }
}

fn restored_call(mut call: Call, tools: &Tools, mode: Mode, vault: &Vault) -> Call {
    let placeholders = vault.placeholders_in(&call.input);
    let Some(tool) = tools.find(&call.name, mode) else {
        return call;
    };
    if placeholders.is_empty() || !call.input.is_object() {
        return call;
    }
    let restored = tool.restored(&call.input, &|placeholder| vault.exposed(placeholder));
    note_composed(&call.input, &restored, vault);
    note_spellings(&call.input, &tool.subject(&restored), vault);
    let left = vault.placeholders_in(&restored);
    call.originals = placeholders.difference(&left).cloned().collect();
    call.input = restored;
    call
}

/// A tool names a file by where its path leads, without its empty parts: an original in there is
/// not always spelled as it was typed.
fn note_spellings(written: &Value, restored: &Subject, vault: &Vault) {
    let Some(written) = written.get("path").and_then(Value::as_str) else {
        return;
    };
    match restored {
        Subject::Paths(paths) => {
            for path in paths {
                vault.note_spelling(path, written);
            }
        }
        Subject::Input | Subject::Command(_) => {}
    }
}

/// Strings that an original is a part of are known from now on, too.
fn note_composed(written: &Value, restored: &Value, vault: &Vault) {
    match (written, restored) {
        (Value::String(written), Value::String(restored)) if written != restored => {
            vault.note_composed(restored, written);
        }
        (Value::Array(written), Value::Array(restored)) => {
            for (written, restored) in written.iter().zip(restored) {
                note_composed(written, restored, vault);
            }
        }
        (Value::Object(written), Value::Object(restored)) => {
            // The names of fields may have changed, but not their order.
            for ((written_name, written), (name, restored)) in written.iter().zip(restored) {
                if written_name != name {
                    vault.note_composed(name, written_name);
                }
                note_composed(written, restored, vault);
            }
        }
        _ => {}
    }
}
