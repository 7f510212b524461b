//! Plays a script as a source would send it: bytes, one after another, at a human pace.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};

use super::script::{MODEL, script};
use crate::source::{Api, Block, Connection, Listing, Opening, Role, StepRequest};

pub(super) struct Demo;

impl Api for Demo {
    fn open(&'static self, _: Connection, request: StepRequest) -> Opening {
        // What a hook adds stands beside the prompt, in the same message.
        let asked = request.messages.iter();
        let asked = asked.filter(|message| message.role == Role::User);
        let asked: Vec<String> = asked.map(|message| words(&message.blocks)).collect();
        let asked: Vec<&String> = asked.iter().filter(|words| !words.is_empty()).collect();
        let prompt = asked.last().map_or("", |words| words.as_str());
        let script = script(prompt, asked.len().saturating_sub(1));
        let played = stream::iter(script).then(|(delay_ms, bytes)| async move {
            if delay_ms > 0 {
                tokio::time::sleep(Duration::from_millis(delay_ms.into())).await;
            }
            Ok(Bytes::from(bytes))
        });
        async move { Ok(played.boxed()) }.boxed()
    }

    fn models(&'static self, _: Connection) -> Listing {
        async { Ok(vec![MODEL.to_owned()]) }.boxed()
    }
}

fn words(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        Block::Thinking { .. }
        | Block::ThinkingItem { .. }
        | Block::Redacted(_)
        | Block::Reasoning(_)
        | Block::Image { .. }
        | Block::ToolUse { .. }
        | Block::ToolResult { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
