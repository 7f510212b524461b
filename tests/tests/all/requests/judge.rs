//! Runs the judges that are written in Python: the providers' own packages.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use weir_tests::python;

use super::Captured;

const SCRIPT: &str = "validate_requests.py";

/// What a judge has against one request.
pub(super) struct Problem {
    pub(super) case: String,
    pub(super) source: &'static str,
    /// Where and what, with every index as `*`.
    pub(super) what: String,
}

/// What the packages have against these requests.
pub(super) fn problems(requests: &[Captured]) -> Vec<Problem> {
    let questions: Vec<Value> = requests.iter().map(question).collect();
    let verdicts = python::ask(SCRIPT, &questions);
    let mut found = Vec::new();
    for (request, verdict) in requests.iter().zip(verdicts) {
        assert_eq!(verdict["name"], request.name);
        let problems = verdict["problems"].as_array().unwrap();
        // The same in every message is one problem.
        let different: BTreeSet<String> = problems
            .iter()
            .map(|problem| without_indices(problem.as_str().unwrap()))
            .collect();
        found.extend(different.into_iter().map(|what| Problem {
            case: request.name.clone(),
            source: request.source.name,
            what,
        }));
    }
    found
}

/// That the judges accept a valid body of each package and refuse every way to break it.
pub(super) fn self_test() {
    let said = &python::ask(SCRIPT, &[json!({"selfTest": true})])[0];
    println!("broken bodies that were refused: {}", said["refused"]);
    let refused = said["refused"].as_object().unwrap();
    assert!(refused.len() >= 9, "every package is tested");
    for (source, count) in refused {
        assert!(count.as_u64() >= Some(12), "{source}: {count}");
    }
    let wrong = said["wrong"].as_array().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn question(one: &Captured) -> Value {
    // Some requests go to another API than their source's own.
    let dialect = match one.request.path.as_str() {
        "/v1/responses" => "openai-responses",
        _ => one.source.dialect.name,
    };
    json!({"name": one.name, "source": one.source.name, "dialect": dialect,
        "path": one.request.path, "body": one.request.body})
}

fn without_indices(problem: &str) -> String {
    let (sandbox, what) = problem.split_once(": ").unwrap_or((problem, ""));
    let steps = sandbox.split('.').map(|step| {
        let is_index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        if is_index { "*" } else { step }
    });
    format!("{}: {what}", steps.collect::<Vec<_>>().join("."))
}
