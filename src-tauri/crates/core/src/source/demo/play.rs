//! Plays a script as a source would send it: bytes, one after another, at a human pace.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};

use super::script::{MODEL, script};
use crate::source::{Api, Block, Connection, Listing, Opening, Role, StepRequest};

pub(super) struct Demo;

impl Api for Demo {
    fn open(&'static self, _: Connection, request: StepRequest) -> Opening {
        let asked: Vec<&str> = request
            .messages
            .iter()
            .filter(|message| message.role == Role::User)
            .flat_map(|message| &message.blocks)
            .filter_map(|block| match block {
                Block::Text { text, .. } => Some(text.as_str()),
                Block::Thinking { .. }
                | Block::Redacted(_)
                | Block::Reasoning(_)
                | Block::Image { .. }
                | Block::ToolUse { .. }
                | Block::ToolResult { .. } => None,
            })
            .collect();
        let prompt = asked.last().copied().unwrap_or_default();
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
