//! What a change of the guards would let through that they held back before, in words. Pure.
//!
//! Invariant: nothing that is held back less goes unsaid. So of a project's file what counts is
//! what it asks for, and not what comes of it beside the usual actions: a user who chose milder
//! ones loses what the file asked for when it asks no more.

use weir_protocol::{GuardConfig, OutputAction, OwnPattern, OwnWord, RuleAction, SizeLimits};

use super::rule::{self, Rule};
use super::{Stage, config};

/// Each thing that would be held back less; none when nothing would.
pub fn looser(before: &GuardConfig, after: &GuardConfig) -> Vec<String> {
    let comparison = Comparison {
        action: |config, rule, stage| Some(config::action_of(config, rule, stage)),
        // What is not said has a limit, too, on its way in.
        limit: config::limit,
        word: "a word of your own",
        words: "words of your own",
        pattern: "your pattern",
    };
    comparison.looser(before, after)
}

/// The same of a project's file, which only adds to what the user chose.
pub fn looser_file(before: &GuardConfig, after: &GuardConfig) -> Vec<String> {
    let comparison = Comparison {
        action: config::explicit,
        limit: config::own_limit,
        word: "a word of its own",
        words: "words of its own",
        pattern: "its pattern",
    };
    comparison.looser(before, after)
}

/// How a config is read, and what its parts are called.
struct Comparison {
    /// Nothing where the config leaves it to another.
    action: fn(&GuardConfig, &Rule, Stage) -> Option<RuleAction>,
    limit: fn(&SizeLimits, Stage) -> Option<u64>,
    word: &'static str,
    words: &'static str,
    pattern: &'static str,
}

impl Comparison {
    fn looser(&self, before: &GuardConfig, after: &GuardConfig) -> Vec<String> {
        let mut found = Vec::new();
        for rule in rule::all() {
            for (stage, way) in [(Stage::Input, "sent"), (Stage::Output, "said")] {
                let was = (self.action)(before, rule, stage);
                let is = (self.action)(after, rule, stage);
                let [before, after] = [was, is].map(|it| it.unwrap_or(RuleAction::Off));
                if after.is_looser_than(before) {
                    let (was, is) = (word(was), word(is));
                    found.push(format!("{} when {way}: {was} → {is}", rule.name));
                }
            }
        }
        let words = before.words.iter().filter(|old| {
            let kept = |new: &OwnWord| {
                let (old_word, new_word) = (old.word.trim(), new.word.trim());
                new_word.eq_ignore_ascii_case(old_word)
                    && !weaker((old.input, old.output), (new.input, new.output))
            };
            holds((old.input, old.output)) && !after.words.iter().any(kept)
        });
        // They are not named: what may not be sent need not stand in a message either.
        match words.count() {
            0 => {}
            1 => found.push(self.word.to_owned()),
            count => found.push(format!("{count} {}", self.words)),
        }
        for old in &before.patterns {
            let kept = |new: &OwnPattern| {
                new.pattern == old.pattern
                    && !weaker((old.input, old.output), (new.input, new.output))
            };
            if holds((old.input, old.output)) && !after.patterns.iter().any(kept) {
                found.push(format!("{} {}", self.pattern, old.name));
            }
        }
        if self.raised(&before.limits, &after.limits) {
            found.push("the size of a text".to_owned());
        }
        found
    }

    fn raised(&self, before: &SizeLimits, after: &SizeLimits) -> bool {
        [Stage::Input, Stage::Output].into_iter().any(|stage| {
            match ((self.limit)(before, stage), (self.limit)(after, stage)) {
                (None, _) => false,
                (Some(_), None) => true,
                (Some(before), Some(after)) => after > before,
            }
        })
    }
}

type Actions = (Option<RuleAction>, Option<OutputAction>);

/// Whether one that is gone is missed.
fn holds(before: Actions) -> bool {
    weaker(before, (Some(RuleAction::Off), Some(OutputAction::Off)))
}

fn weaker(before: Actions, after: Actions) -> bool {
    let both = |(input, output): Actions| {
        let output = output.map(RuleAction::from);
        [input, output].map(|action| action.unwrap_or(RuleAction::Redact))
    };
    let pairs = both(after).into_iter().zip(both(before));
    pairs
        .into_iter()
        .any(|(after, before)| after.is_looser_than(before))
}

fn word(action: Option<RuleAction>) -> &'static str {
    match action {
        None => "as you chose",
        Some(RuleAction::Off) => "off",
        Some(RuleAction::Allow) => "allow",
        Some(RuleAction::Redact) => "redact",
        Some(RuleAction::Warn) => "warn",
        Some(RuleAction::Ask) => "ask",
        Some(RuleAction::Block) => "block",
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
            (
                r#"{"words": [{"word": "X ", "input": "block"}]}"#,
                word,
                false,
            ),
            (
                r#"{"words": [{"word": "x", "input": "off", "output": "off"}]}"#,
                nothing,
                false,
            ),
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

    /// By what each lets pass. What is found passes with the first three, after a question with
    /// `ask`, and not with the others; around it the text passes with all but `block`, and with
    /// `ask` only after a question.
    #[test]
    fn each_change_of_an_action_is_judged_by_what_it_prevents() {
        // From the row to the column: . stays as strict, x lets something pass.
        let actions = ["off", "allow", "warn", "ask", "redact", "block"];
        let rows = ["......", "x.....", "xx....", "xxx.x.", "xxxx..", "xxxxx."];
        let sent = ["email", "anthropic-key", "instruction-phrase", "size"].map(|rule| {
            move |action: &str| format!(r#"{{"rules":{{"{rule}":{{"input":"{action}"}}}}}}"#)
        });
        let word = |action: &str| format!(r#"{{"words":[{{"word":"x","input":"{action}"}}]}}"#);
        let pattern = |action: &str| {
            format!(r#"{{"patterns":[{{"name":"p","pattern":"x","input":"{action}"}}]}}"#)
        };
        let said = |action: &str| format!(r#"{{"rules":{{"email":{{"output":"{action}"}}}}}}"#);
        for (before, row) in actions.iter().zip(rows) {
            for (after, mark) in actions.iter().zip(row.chars()) {
                let what = format!("{before} → {after}");
                let judged = |of: &dyn Fn(&str) -> String| {
                    let (before, after) = (config(&of(before)), config(&of(after)));
                    let found = [looser(&before, &after), looser_file(&before, &after)];
                    found.map(|found| !found.is_empty())
                };
                for of in &sent {
                    assert_eq!(judged(of), [mark == 'x'; 2], "{what}");
                }
                assert_eq!(judged(&word), [mark == 'x'; 2], "a word: {what}");
                assert_eq!(judged(&pattern), [mark == 'x'; 2], "a pattern: {what}");
                // Of what is said nobody is asked: the word is read as redact.
                let is_redact = |action: &&str| matches!(*action, "ask" | "redact");
                let expected = match (is_redact(before), is_redact(after)) {
                    (true, true) => false,
                    (true, false) | (false, true) | (false, false) => {
                        let place = |action: &&str| actions.iter().position(|it| it == action);
                        place(after) < place(before)
                    }
                };
                assert_eq!(judged(&said), [expected; 2], "when said: {what}");
            }
        }
    }

    #[test]
    fn of_a_projects_file_what_it_asks_for_counts() {
        let rows = [
            // It can take nothing away, so a mild row is as good as none.
            (r#"{}"#, r#"{"rules": {"email": {"input": "off"}}}"#, vec![]),
            (r#"{"rules": {"email": {"input": "off"}}}"#, "{}", vec![]),
            ("{}", r#"{"limits": {"input": 9000000}}"#, vec![]),
            // Who chose something milder than the usual has lost what the file asked for.
            (
                r#"{"rules": {"email": {"input": "redact"}}}"#,
                "{}",
                vec!["email when sent: redact → as you chose"],
            ),
            (
                r#"{"words": [{"word": "x"}, {"word": "y"}], "patterns": [{"name": "p", "pattern": "a"}], "limits": {"input": 9000000}}"#,
                "{}",
                vec!["2 words of its own", "its pattern p", "the size of a text"],
            ),
        ];
        for (before, after, expected) in rows {
            let found = looser_file(&config(before), &config(after));
            assert_eq!(found, expected, "{before} → {after}");
        }
    }
}
