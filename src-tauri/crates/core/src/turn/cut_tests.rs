//! Whatever is too long is cut after it was checked: around every bound, at every offset, neither
//! the beginning nor the end of an original is left over at a cut.

use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::{ErrorBody, GuardConfig};

use super::guarding::{LONGEST_ANSWER, LONGEST_RESULT, checked};
use crate::guard::Guard;
use crate::hook::{Cover, HookReply};
use crate::redact::{Checks, Vault};
use crate::source::fault::{self, Reported};
use crate::store::TakenFrom;
use crate::tool::permission::Rules;
use crate::tool::root::Root;
use crate::tool::{Mode, ToolOutcome, Tools, file_tools};

const VALUE: &str = "correcthorse99-Battery";
/// Fewer characters of a value say nothing.
const SHOWN: usize = 5;

fn checks() -> Checks {
    let vault = Vault::new(Uuid::nil());
    vault.take_out("PASSWORD", VALUE, TakenFrom::Input);
    Checks::new(Guard::new(&GuardConfig::default()).unwrap(), vault)
}

/// A text with the value behind so many other characters.
fn text(offset: usize, after: usize) -> String {
    format!("{}{VALUE}{}", ".".repeat(offset), ".".repeat(after))
}

fn check_cut(sink: &str, offset: usize, longest: usize, shown: &str) {
    let (start, end) = (&VALUE[..SHOWN], &VALUE[VALUE.len() - SHOWN..]);
    let is_shown = shown.contains(start) || shown.contains(end);
    let near = shown.find(start).or(shown.find(end)).unwrap_or_default();
    let near = shown.get(near.saturating_sub(20)..).unwrap_or(shown);
    let near: String = near.chars().take(80).collect();
    assert!(!is_shown, "{sink} at {offset}: {near}");
    assert!(shown.len() <= longest, "{sink} at {offset} is cut");
}

/// Every offset at which the bound cuts the value, and some around it.
fn around(bound: usize) -> impl Iterator<Item = usize> {
    bound.saturating_sub(VALUE.len() + 8)..bound + 3
}

#[test]
fn a_hook_is_cut_after_it_was_covered() {
    let checks = checks();
    let cover: Cover = {
        let checks = checks.clone();
        Arc::new(move |text| checks.covered_to_send(text))
    };
    for offset in around(10_000) {
        let text = text(offset, 200);
        let mut reply = HookReply::passed();
        reply.message = Some(text.clone());
        reply.context = Some(text.clone());
        reply.updated_output = Some(json!({"a": [text]}));
        reply.cover(&cover);
        reply.cut();
        let output = reply.updated_output.unwrap()["a"][0].clone();
        let texts = [
            reply.message,
            reply.context,
            output.as_str().map(Into::into),
        ];
        for shown in texts.into_iter().flatten() {
            check_cut("a hook", offset, 10_000, &shown);
        }
    }
}

#[test]
fn an_error_of_a_source_is_cut_after_it_was_covered() {
    let checks = checks();
    let covered = |mut error: ErrorBody| {
        fault::check(&mut error, &|text| checks.covered(text));
        fault::clip(&mut error);
        error
    };
    for bound in [fault::LONGEST_CODE, fault::LONGEST_MESSAGE] {
        for offset in around(bound) {
            let text = text(offset, 200);
            let said = json!({"error": {"type": text, "param": text}});
            let error = Reported::new(text).with_fields(&said).body();
            let mut error = covered(error);
            for shown in error.texts_mut() {
                check_cut("an error", offset, fault::LONGEST_MESSAGE + 3, shown);
            }
        }
    }
}

#[test]
fn an_answer_is_cut_after_it_was_checked() {
    let checks = checks();
    let ends = [LONGEST_RESULT, LONGEST_ANSWER - 16 * 1024, LONGEST_ANSWER];
    let offsets = ends.map(|end| [3, 9, 17].map(|before| end - before));
    for offset in offsets.into_iter().flatten() {
        let outcome = ToolOutcome::text(text(offset, 60_000));
        let shown = checked(outcome, &checks).shown();
        check_cut("an answer", offset, LONGEST_RESULT + 200, &shown);
        assert!(shown.contains("bytes were left out"), "it is not blocked");
    }
}

#[tokio::test]
async fn what_a_file_tool_answers_is_cut_after_it_was_checked() {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path()).unwrap();
    let rules = Rules::new(root.path(), Vec::new());
    let tools = Tools::new(file_tools(Arc::new(root), Arc::new(rules)));
    let checks = checks();
    let call = async |name: &str, input: Value| {
        let tool = tools.find(name, Mode::Plan).unwrap();
        checked(tool.run(input).await, &checks).shown()
    };
    // An error names the path: with the value at each place of a long one.
    for offset in (80..460).step_by(2) {
        let path = format!(
            "{}{VALUE}/{}",
            "d/".repeat(offset / 2),
            "e/".repeat(250 - offset / 2)
        );
        for (name, field) in [("read_file", "path"), ("list_folder", "path")] {
            let shown = call(name, json!({field: path})).await;
            check_cut(name, offset, 420, &shown);
        }
        let shown = call("search_text", json!({"pattern": ".", "path": path})).await;
        check_cut("search_text", offset, 420, &shown);
    }
    let file = folder.path().join("long.txt");
    // What is shown of a line, and what is read of one.
    for offset in around(150).chain(around(2_000)).chain(around(64 * 1024)) {
        std::fs::write(&file, format!("needle{}\n", text(offset - 6, 300))).unwrap();
        let shown = call("read_file", json!({"path": "long.txt"})).await;
        check_cut("a line that is read", offset, 2_200, &shown);
        let shown = call("search_text", json!({"pattern": "needle"})).await;
        check_cut("a line that is found", offset, 600, &shown);
    }
}
