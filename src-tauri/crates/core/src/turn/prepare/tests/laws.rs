//! What holds for whatever is stored.

use std::collections::HashSet;

use proptest::prelude::*;
use weir_protocol::ExecutedBy;

use super::stored;
use crate::source::{Block, Message, Role};
use crate::turn::prepare::messages;

fn weirs(block: &Block) -> Option<(bool, &str)> {
    match block {
        Block::ToolUse {
            tool_call_id,
            executed_by: ExecutedBy::Weir,
            ..
        } => Some((true, tool_call_id)),
        Block::ToolResult {
            tool_call_id,
            executed_by: ExecutedBy::Weir,
            ..
        } => Some((false, tool_call_id)),
        Block::Text { .. }
        | Block::Thinking { .. }
        | Block::ThinkingItem { .. }
        | Block::Redacted(_)
        | Block::Reasoning(_)
        | Block::Image { .. }
        | Block::ToolUse { .. }
        | Block::ToolResult { .. } => None,
    }
}

fn ids(message: &Message, wants_calls: bool) -> Vec<&str> {
    let all = message.blocks.iter().filter_map(weirs);
    all.filter(|(is_call, _)| *is_call == wants_calls)
        .map(|(_, id)| id)
        .collect()
}

fn check(sent: &[Message]) {
    let mut seen = HashSet::new();
    for (at, message) in sent.iter().enumerate() {
        let expected = if at % 2 == 0 {
            Role::User
        } else {
            Role::Assistant
        };
        assert_eq!(message.role, expected, "they take turns");
        assert!(!message.blocks.is_empty());
        let calls = ids(message, true);
        let results = sent.get(at + 1).map(|next| ids(next, false));
        match message.role {
            Role::Assistant => {
                assert_eq!(ids(message, false), [] as [&str; 0]);
                assert_eq!(results.unwrap_or_default(), calls, "answered right after");
                check_thinking(message);
            }
            Role::User => assert_eq!(calls, [] as [&str; 0]),
        }
        for call in calls {
            assert!(seen.insert(call), "{call} is asked once");
        }
        if message.role == Role::User {
            let first_other = message
                .blocks
                .iter()
                .position(|block| weirs(block).is_none());
            let last_result = message
                .blocks
                .iter()
                .rposition(|block| weirs(block).is_some());
            if let (Some(other), Some(result)) = (first_other, last_result) {
                assert!(result < other, "results come first");
            }
        }
    }
    let answers: usize = sent.iter().map(|message| ids(message, false).len()).sum();
    assert_eq!(answers, seen.len(), "each is answered once");
}

fn check_thinking(message: &Message) {
    let is_signed = |block: &Block| matches!(block, Block::Thinking { .. } | Block::Redacted(_));
    let is_call = |block: &Block| matches!(weirs(block), Some((true, _)));
    if let Some(call) = message.blocks.iter().position(is_call) {
        assert!(!message.blocks[call..].iter().any(is_signed));
    }
    assert!(!message.blocks.last().is_some_and(is_signed));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn whatever_is_stored_is_sent_in_order(script in "[upotxnmc wWvVsSU?+.!ekK-]{0,40}") {
        let events = stored(&script);
        let before = events.clone();
        let sent = messages(&events);
        check(&sent);
        prop_assert_eq!(events, before);
        prop_assert_eq!(messages(&stored(&script)), sent);
    }
}
