//! What a change of the guards would let through that they held back before. Pure.

use weir_protocol::{GuardConfig, OwnPattern, OwnWord, RuleAction, SizeLimits};

use crate::guard::{self, Stage};

/// Each thing that would be held back less, in words; none when nothing would.
pub(super) fn looser(before: &GuardConfig, after: &GuardConfig) -> Vec<String> {
    let mut found = Vec::new();
    for rule in guard::rules() {
        for (stage, way) in [(Stage::Input, "sent"), (Stage::Output, "said")] {
            let was = guard::action(before, &rule.name, stage);
            let is = guard::action(after, &rule.name, stage);
            if is.strength() < was.strength() {
                let (was, is) = (word(was), word(is));
                found.push(format!("{} when {way}: {was} → {is}", rule.name));
            }
        }
    }
    for old in &before.words {
        let kept = |new: &OwnWord| {
            new.word == old.word && !weaker((old.input, old.output), (new.input, new.output))
        };
        if !after.words.iter().any(kept) {
            found.push("a word of your own".to_owned());
        }
    }
    for old in &before.patterns {
        let kept = |new: &OwnPattern| {
            new.pattern == old.pattern && !weaker((old.input, old.output), (new.input, new.output))
        };
        if !after.patterns.iter().any(kept) {
            found.push(format!("your pattern {}", old.name));
        }
    }
    if raised(&before.limits, &after.limits) {
        found.push("the size of a text".to_owned());
    }
    found
}

type Actions = (Option<RuleAction>, Option<RuleAction>);

fn weaker(before: Actions, after: Actions) -> bool {
    let strength = |action: Option<RuleAction>| action.unwrap_or(RuleAction::Redact).strength();
    strength(after.0) < strength(before.0) || strength(after.1) < strength(before.1)
}

fn raised(before: &SizeLimits, after: &SizeLimits) -> bool {
    [Stage::Input, Stage::Output].into_iter().any(|stage| {
        // What is not said has a limit, too, on its way in.
        match (guard::limit(before, stage), guard::limit(after, stage)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(before), Some(after)) => after > before,
        }
    })
}

fn word(action: RuleAction) -> &'static str {
    match action {
        RuleAction::Off => "off",
        RuleAction::Allow => "allow",
        RuleAction::Redact => "redact",
        RuleAction::Warn => "warn",
        RuleAction::Ask => "ask",
        RuleAction::Block => "block",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> GuardConfig {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn only_what_lets_more_through_is_told() {
        let nothing = "{}";
        let stricter = r#"{"rules": {"email": {"input": "block"}}}"#;
        let weaker = r#"{"rules": {"email": {"input": "off"}}}"#;
        let category = r#"{"rules": {"secret": {"output": "warn"}}}"#;
        let word = r#"{"words": [{"word": "x", "input": "block"}]}"#;
        let weaker_word = r#"{"words": [{"word": "x", "input": "warn"}]}"#;
        let pattern = r#"{"patterns": [{"name": "p", "pattern": "a+"}]}"#;
        let limit = r#"{"limits": {"output": 10}}"#;
        let higher = r#"{"limits": {"output": 20}}"#;
        let rows = [
            (nothing, nothing, false),
            (nothing, stricter, false),
            (stricter, nothing, true),
            (nothing, weaker, true),
            (weaker, nothing, false),
            (nothing, category, true),
            (nothing, word, false),
            (word, nothing, true),
            (word, weaker_word, true),
            (weaker_word, word, false),
            (pattern, nothing, true),
            (nothing, limit, false),
            (limit, higher, true),
            (limit, nothing, true),
            (higher, limit, false),
            (nothing, r#"{"limits": {"input": 9000000}}"#, true),
            (nothing, r#"{"limits": {"input": 9000}}"#, false),
        ];
        for (before, after, expected) in rows {
            let found = looser(&config(before), &config(after));
            assert_eq!(!found.is_empty(), expected, "{before} → {after}: {found:?}");
        }
    }
}
