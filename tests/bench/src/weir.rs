//! Weir itself, and how fast its bytes can be looked at at all.

use std::hint::black_box;

use weir_core::source::dialect::{Dialect, Reader};
use weir_core::source::{dialect, summary};
use weir_core::wire::{Framer, Framing};
use weir_protocol::StreamEvent;

use crate::contestant::{Local, Outcome, Reads, Role, nothing};
use crate::streams::Told;

/// Bytes to stream events. Everyone is compared with this.
pub const WEIR: Local = Local {
    name: "Weir",
    role: Role::Weir,
    reads: |name| dialect(name).is_some(),
    pass: |reads| {
        let mut reader = Reader::new(known(reads.stream.dialect)?);
        let mut out = Vec::new();
        for read in reads.each() {
            reader.push(black_box(read), &mut out);
            hand_on(&mut out);
        }
        reader.finish(&mut out);
        hand_on(&mut out);
        Ok(())
    },
    tell: |reads| {
        let mut reader = Reader::new(known(reads.stream.dialect)?);
        let mut all = Vec::new();
        for read in reads.each() {
            reader.push(read, &mut all);
        }
        reader.finish(&mut all);
        told(&all).map(Some)
    },
};

/// Frames and nothing else: the first of Weir's two steps.
pub const FRAMES: Local = Local {
    name: "Weir's framer alone",
    role: Role::Floor,
    reads: |_| true,
    pass: frames,
    tell: nothing,
};

/// Every newline found: nothing that reads lines can be faster.
pub const NEWLINES: Local = Local {
    name: "newlines found (memchr)",
    role: Role::Floor,
    reads: |_| true,
    pass: |reads| {
        for read in reads.each() {
            for at in memchr::memchr_iter(b'\n', black_box(read)) {
                black_box(at);
            }
        }
        Ok(())
    },
    tell: nothing,
};

fn frames(reads: Reads<'_>) -> Outcome<()> {
    let mut framer = Framer::new(Framing::Sse);
    for read in reads.each() {
        let framed = framer.push(black_box(read), &mut |frame| {
            black_box(frame);
        });
        framed.map_err(|_| "a frame was too large")?;
    }
    framer.finish(&mut |frame| {
        black_box(frame);
    });
    Ok(())
}

pub fn known(name: &str) -> Outcome<&'static Dialect> {
    dialect(name).ok_or_else(|| format!("Weir has no dialect {name}").into())
}

/// Somebody looks at every event, and it is gone.
pub fn hand_on(out: &mut Vec<StreamEvent>) {
    for event in out.drain(..) {
        black_box(event);
    }
}

pub fn told(events: &[StreamEvent]) -> Outcome<Told> {
    let summary = summary::summarize(events);
    if !summary.complete || !summary.errors.is_empty() {
        return Err(format!("it did not end well: {:?}", summary.errors).into());
    }
    Ok(Told {
        text: summary.text,
        thinking: summary.thinking,
        inputs: summary.tool_calls.into_iter().map(|it| it.input).collect(),
        output_tokens: summary.usage.map_or(0, |usage| usage.output_tokens),
    })
}
