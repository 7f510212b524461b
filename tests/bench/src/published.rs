//! Rust peers that read in this process: published framers in front of published types.
//!
//! `eventsource-stream` in front of their own types is the way in which async-openai and
//! misanthropic read; `sseer`, the fastest framer we found, in front of the same types is
//! nobody's way, but the best that published parts allow. (misanthropic tries each frame as
//! an event and as an error, which is left out here in its favour.) None of them normalizes
//! anything: they hand out the provider's own events, which is less than Weir does.

use std::convert::Infallible;
use std::hint::black_box;

use async_openai::types::chat::CreateChatCompletionStreamResponse as Chunk;
use async_openai::types::responses::ResponseStreamEvent;
use bytes::Bytes;
use eventsource_stream::Eventsource;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use misanthropic::stream::{Delta, Event};
use serde::de::DeserializeOwned;

use crate::contestant::{Local, Outcome, Reads, Role, nothing};
use crate::streams::Told;

pub const SSEER_FRAMES: Local = Local {
    name: "sseer's framer alone",
    role: Role::Floor,
    reads: |_| true,
    pass: |reads| {
        now(async {
            let mut events = sseer::EventStream::new(bytes(reads));
            while let Some(event) = events.next().await {
                black_box(event?);
            }
            Ok(())
        })
    },
    tell: nothing,
};

pub const PEERS: [Local; 6] = [
    Local {
        name: "sseer + misanthropic's types",
        role: Role::RustParts,
        reads: |dialect| dialect == "anthropic",
        pass: |reads| sseer(reads, &mut look::<Event>),
        tell: |reads| told::<Event>(reads, sseer),
    },
    Local {
        name: "misanthropic (eventsource-stream)",
        role: Role::RustPeer,
        reads: |dialect| dialect == "anthropic",
        pass: |reads| eventsource(reads, &mut look::<Event>),
        tell: |reads| told::<Event>(reads, eventsource),
    },
    Local {
        name: "sseer + async-openai's types",
        role: Role::RustParts,
        reads: |dialect| dialect == "openai-chat",
        pass: |reads| sseer(reads, &mut look::<Chunk>),
        tell: |reads| told::<Chunk>(reads, sseer),
    },
    Local {
        name: "async-openai (eventsource-stream)",
        role: Role::RustPeer,
        reads: |dialect| dialect == "openai-chat",
        pass: |reads| eventsource(reads, &mut look::<Chunk>),
        tell: |reads| told::<Chunk>(reads, eventsource),
    },
    Local {
        name: "sseer + async-openai's types",
        role: Role::RustParts,
        reads: |dialect| dialect == "openai-responses",
        pass: |reads| sseer(reads, &mut look::<ResponseStreamEvent>),
        tell: |reads| told::<ResponseStreamEvent>(reads, sseer),
    },
    Local {
        name: "async-openai (eventsource-stream)",
        role: Role::RustPeer,
        reads: |dialect| dialect == "openai-responses",
        pass: |reads| eventsource(reads, &mut look::<ResponseStreamEvent>),
        tell: |reads| told::<ResponseStreamEvent>(reads, eventsource),
    },
];

fn bytes(reads: Reads<'_>) -> impl Stream<Item = Result<Bytes, Infallible>> + Unpin {
    stream::iter(reads.shared().map(|read| Ok(black_box(read))))
}

/// Runs what never waits.
fn now<T>(future: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    future.now_or_never().unwrap_or(Err("it waited".into()))
}

fn sseer(reads: Reads<'_>, each: Each<'_>) -> Outcome<()> {
    now(async {
        let mut events = sseer::EventStream::new(bytes(reads));
        while let Some(event) = events.next().await {
            each(&event?.data)?;
        }
        Ok(())
    })
}

fn eventsource(reads: Reads<'_>, each: Each<'_>) -> Outcome<()> {
    now(async {
        let mut events = bytes(reads).eventsource();
        while let Some(event) = events.next().await {
            each(&event?.data)?;
        }
        Ok(())
    })
}

fn look<T: DeserializeOwned>(data: &str) -> Outcome<()> {
    if data != "[DONE]" {
        black_box(serde_json::from_str::<T>(data)?);
    }
    Ok(())
}

type Each<'a> = &'a mut dyn FnMut(&str) -> Outcome<()>;

fn told<T: DeserializeOwned + Tell>(
    reads: Reads<'_>,
    read: fn(Reads<'_>, Each<'_>) -> Outcome<()>,
) -> Outcome<Option<Told>> {
    let mut so_far = SoFar::default();
    read(reads, &mut |data| {
        if data != "[DONE]" {
            serde_json::from_str::<T>(data)?.tell(&mut so_far);
        }
        Ok(())
    })?;
    so_far.told().map(Some)
}

trait Tell {
    fn tell(self, so_far: &mut SoFar);
}

/// What was told, with inputs still in the making.
#[derive(Default)]
struct SoFar {
    told: Told,
    inputs: Vec<String>,
}

impl SoFar {
    fn add_input(&mut self, piece: &str) {
        if let Some(input) = self.inputs.last_mut() {
            input.push_str(piece);
        }
    }

    fn told(mut self) -> Outcome<Told> {
        for input in self.inputs {
            self.told.inputs.push(serde_json::from_str(&input)?);
        }
        Ok(self.told)
    }
}

impl Tell for Event {
    fn tell(self, so_far: &mut SoFar) {
        use misanthropic::prompt::message::Block;
        match self {
            Event::ContentBlockStart {
                content_block: Block::ToolUse { .. },
                ..
            } => so_far.inputs.push(String::new()),
            Event::ContentBlockDelta { delta, .. } => match delta {
                Delta::Text { text } => so_far.told.text.push_str(&text),
                Delta::Thought { thinking, .. } => so_far.told.thinking.push_str(&thinking),
                Delta::Json { partial_json } => so_far.add_input(&partial_json),
                _ => {}
            },
            Event::MessageDelta {
                usage: Some(usage), ..
            } => so_far.told.output_tokens = usage.counts.output_tokens,
            _ => {}
        }
    }
}

impl Tell for Chunk {
    fn tell(self, so_far: &mut SoFar) {
        if let Some(usage) = self.usage {
            so_far.told.output_tokens = usage.completion_tokens.into();
        }
        for choice in self.choices {
            if let Some(content) = choice.delta.content {
                so_far.told.text.push_str(&content);
            }
            for call in choice.delta.tool_calls.into_iter().flatten() {
                if call.id.is_some() {
                    so_far.inputs.push(String::new());
                }
                if let Some(piece) = call.function.and_then(|function| function.arguments) {
                    so_far.add_input(&piece);
                }
            }
        }
    }
}

impl Tell for ResponseStreamEvent {
    fn tell(self, so_far: &mut SoFar) {
        use async_openai::types::responses::OutputItem;
        match self {
            Self::ResponseOutputItemAdded(added) => {
                if let OutputItem::FunctionCall(_) = added.item {
                    so_far.inputs.push(String::new());
                }
            }
            Self::ResponseOutputTextDelta(delta) => so_far.told.text.push_str(&delta.delta),
            Self::ResponseReasoningSummaryTextDelta(delta) => {
                so_far.told.thinking.push_str(&delta.delta);
            }
            Self::ResponseFunctionCallArgumentsDelta(delta) => so_far.add_input(&delta.delta),
            Self::ResponseCompleted(completed) => {
                let usage = completed.response.usage;
                so_far.told.output_tokens = usage.map_or(0, |usage| usage.output_tokens.into());
            }
            _ => {}
        }
    }
}
