//! Ids of tool calls, as each provider takes them.
//!
//! A session may have been with others before, and their ids are longer or have other characters.
//! An id that fits stays as it is. Any other is written anew from itself alone, so that it is the
//! same in every request of a session; two ids never become one, and a result keeps its call.

use std::collections::{HashMap, HashSet};

use super::{Block, Message};

/// Which ids a provider takes: letters and digits at least, in ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// What stands before an id that is written anew.
    prefix: &'static str,
    least: usize,
    most: usize,
    /// Characters beside letters and digits.
    others: &'static [u8],
}

/// Exactly nine letters and digits.
pub(crate) const MISTRAL: Rule = Rule {
    prefix: "",
    least: WRITTEN,
    most: WRITTEN,
    others: b"",
};

pub(crate) const ANTHROPIC: Rule = Rule {
    prefix: "toolu_",
    ..RESPONSES
};

pub(crate) const OPENAI_CHAT: Rule = Rule {
    most: 40,
    ..RESPONSES
};

pub(crate) const RESPONSES: Rule = Rule {
    prefix: "call_",
    least: 1,
    most: 64,
    others: b"_-",
};

/// How many characters are written anew.
const WRITTEN: usize = 9;

/// Whether a model has this rule, whoever serves it: its own template checks it.
pub(crate) fn is_mistral(model: &str) -> bool {
    const NAMES: [&str; 8] = [
        "mistral",
        "mixtral",
        "ministral",
        "codestral",
        "magistral",
        "devstral",
        "pixtral",
        "voxtral",
    ];
    let model = model.to_ascii_lowercase();
    NAMES.iter().any(|name| model.contains(name))
}

/// Writes the ids in `messages` anew that do not fit.
pub(crate) fn fit(messages: &mut [Message], rule: Rule) {
    let mut ids = Ids {
        rule,
        written: HashMap::new(),
        taken: HashSet::new(),
    };
    // Those that stay are taken, wherever they stand.
    each_id(messages, &mut |id| ids.reserve(id));
    each_id(messages, &mut |id| *id = ids.fit(id));
}

fn each_id(messages: &mut [Message], each: &mut dyn FnMut(&mut String)) {
    for block in messages.iter_mut().flat_map(|message| &mut message.blocks) {
        match block {
            Block::ToolUse { tool_call_id, .. } | Block::ToolResult { tool_call_id, .. } => {
                each(tool_call_id);
            }
            Block::Text { .. }
            | Block::Thinking { .. }
            | Block::ThinkingItem { .. }
            | Block::Redacted(_)
            | Block::Reasoning(_)
            | Block::Image { .. } => {}
        }
    }
}

struct Ids {
    rule: Rule,
    written: HashMap<String, String>,
    taken: HashSet<String>,
}

impl Ids {
    fn reserve(&mut self, id: &str) {
        if self.rule.takes(id) {
            self.taken.insert(id.to_owned());
        }
    }

    fn fit(&mut self, id: &str) -> String {
        if self.rule.takes(id) {
            return id.to_owned();
        }
        if let Some(written) = self.written.get(id) {
            return written.clone();
        }
        let mut attempt = 0;
        let mut written = self.rule.spell(id, attempt);
        while !self.taken.insert(written.clone()) {
            attempt += 1;
            written = self.rule.spell(id, attempt);
        }
        self.written.insert(id.to_owned(), written.clone());
        written
    }
}

impl Rule {
    fn takes(self, id: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || self.others.contains(&byte);
        (self.least..=self.most).contains(&id.len()) && id.bytes().all(plain)
    }

    /// An id that follows from another one: its hash, in base 62.
    fn spell(self, id: &str, attempt: u64) -> String {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut hash = fnv1a(id.as_bytes(), attempt);
        let mut spelled = self.prefix.to_owned();
        for _ in 0..WRITTEN {
            let digit = usize::try_from(hash % 62).unwrap_or_default();
            spelled.push(char::from(DIGITS[digit]));
            hash /= 62;
        }
        spelled
    }
}

/// FNV-1a: the same on every machine and in every version.
fn fnv1a(bytes: &[u8], seed: u64) -> u64 {
    let seeded = seed.to_le_bytes();
    let all = seeded.iter().chain(bytes);
    all.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use weir_protocol::ExecutedBy;

    use super::*;
    use crate::source::Role;

    const RULES: [Rule; 4] = [MISTRAL, ANTHROPIC, OPENAI_CHAT, RESPONSES];

    fn fitted(ids: &[&str], rule: Rule) -> Vec<String> {
        let call = |id: &&str| Block::ToolUse {
            tool_call_id: (*id).into(),
            name: "look".into(),
            input: json!({}),
            executed_by: ExecutedBy::Weir,
            signature: None,
            detail: None,
        };
        let result = |id: &&str| Block::ToolResult {
            tool_call_id: (*id).into(),
            name: "look".into(),
            result: json!(1),
            is_error: false,
            executed_by: ExecutedBy::Weir,
            detail: None,
        };
        let message = |role: Role, blocks: Vec<Block>| Message { role, blocks };
        let mut messages = [
            message(Role::Assistant, ids.iter().map(call).collect()),
            message(Role::User, ids.iter().map(result).collect()),
        ];
        fit(&mut messages, rule);
        let mut written = Vec::new();
        each_id(&mut messages, &mut |id| written.push(id.clone()));
        let (calls, results) = written.split_at(ids.len());
        assert_eq!(calls, results, "a result keeps its call");
        calls.to_vec()
    }

    #[test]
    fn ids_fit_and_stay_apart() {
        let many: Vec<String> = (0..20_000).map(|n| format!("call:{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for rule in RULES {
            let written = fitted(&many, rule);
            assert!(written.iter().all(|id| rule.takes(id)), "{rule:?}");
            let apart: HashSet<&String> = written.iter().collect();
            assert_eq!(apart.len(), many.len(), "{rule:?}");
        }
    }

    #[test]
    fn what_fits_stays_and_is_nobody_elses() {
        for rule in RULES {
            let clash = rule.spell("call.1", 0);
            let long = "x".repeat(65);
            let odd = [
                "call.1",
                "D681PevKs",
                &clash,
                "",
                "D681Pev.K",
                "D681PevKé",
                &long,
            ];
            let written = fitted(&odd, rule);
            assert_eq!(written[1], "D681PevKs");
            assert_eq!(written[2], clash);
            assert!(written.iter().all(|id| rule.takes(id)), "{written:?}");
            assert_eq!(written.iter().collect::<HashSet<_>>().len(), odd.len());
        }
        let forty_one = "y".repeat(41);
        assert_ne!(fitted(&[&forty_one], OPENAI_CHAT)[0], forty_one);
        assert_eq!(fitted(&[&forty_one], RESPONSES)[0], forty_one);
    }

    #[test]
    fn an_id_is_the_same_in_every_request() {
        let given = "toolu_01D7FLrfh4GYq7yT1ULFeyMV";
        let alone = fitted(&[given], MISTRAL);
        let later = fitted(&["call_1", given], MISTRAL);
        assert_eq!(alone[0], later[1]);
        assert_eq!(fitted(&[given], ANTHROPIC), [given]);
    }
}
