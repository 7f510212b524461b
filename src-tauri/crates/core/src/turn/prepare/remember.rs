//! What is remembered, before everything that was said: a block of its own at the head of the
//! first message, the same in every step, so that a provider finds what it cached.

use crate::source::{Block, Message, Role};

/// Says whose words these are not, and what they are not.
const REMEMBERED: &str = "[What Weir remembers from the user's earlier sessions. It was not \
    said in this conversation: use it where it helps, and do not answer it.]";

pub(crate) fn remember(messages: &mut [Message], remembered: &[String]) {
    let Some(first) = messages.first_mut() else {
        return;
    };
    if remembered.is_empty() || first.role != Role::User {
        return;
    }
    let lines: Vec<String> = remembered
        .iter()
        .map(|memory| format!("- {}", one_line(memory)))
        .collect();
    let block = Block::text(format!("{REMEMBERED}\n\n{}", lines.join("\n")));
    first.blocks.insert(0, block);
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(role: Role, text: &str) -> Message {
        Message {
            role,
            blocks: vec![Block::text(text)],
        }
    }

    #[test]
    fn stands_before_the_first_prompt_and_nowhere_else() {
        let conversation = [
            said(Role::User, "Hi."),
            said(Role::Assistant, "Hello."),
            said(Role::User, "Bye."),
        ];
        let mut sent = conversation.clone();
        remember(&mut sent, &["I prefer tea.".into(), "Two\nlines".into()]);
        let head = format!("{REMEMBERED}\n\n- I prefer tea.\n- Two lines");
        assert_eq!(
            sent[0].blocks,
            [Block::text(head), Block::text("Hi.")],
            "as context, not among the user's words"
        );
        assert_eq!(sent[1..], conversation[1..]);

        let mut sent = conversation.clone();
        remember(&mut sent, &[]);
        assert_eq!(sent, conversation);
        remember(&mut [], &["I prefer tea.".into()]);
    }
}
