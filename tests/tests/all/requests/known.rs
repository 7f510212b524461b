//! Requests that a provider's package would refuse and Weir builds all the same, each with its
//! reason. An entry that nothing needs any more fails the test.

use super::judge::Problem;

struct Known {
    source: &'static str,
    what: &'static str,
    reason: &'static str,
}

const KNOWN: &[Known] = &[];

impl Known {
    fn covers(&self, problem: &Problem) -> bool {
        self.source == problem.source && self.what == problem.what
    }
}

/// The problems that are not in the table, one line for each kind with the first case.
pub(super) fn unknown(found: &[Problem]) -> Vec<String> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for problem in found {
        if KNOWN.iter().any(|known| known.covers(problem)) {
            continue;
        }
        let kind = format!("{}: {}", problem.source, problem.what);
        if !lines.iter().any(|(seen, _)| *seen == kind) {
            lines.push((kind, problem.case.clone()));
        }
    }
    let lines = lines.into_iter();
    lines
        .map(|(kind, case)| format!("{kind} (first in {case})"))
        .collect()
}

/// The entries that no request needs.
pub(super) fn unneeded(found: &[Problem]) -> Vec<String> {
    let unneeded = KNOWN
        .iter()
        .filter(|known| !found.iter().any(|problem| known.covers(problem)));
    unneeded
        .map(|known| format!("{}: {} ({})", known.source, known.what, known.reason))
        .collect()
}
