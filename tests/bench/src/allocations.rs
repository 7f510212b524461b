//! How often Weir allocates for a delta: once, for its text.
//!
//! Counts over a stream and over one with twice as many deltas: what both have, such as a
//! reader's buffers and the first and last frames, falls out, and what is left belongs to
//! the deltas. Ends with 1 when a delta costs more than its text.
#![allow(
    clippy::print_stdout,
    reason = "a program whose purpose is to print a table"
)]

use std::alloc::System;
use std::process::ExitCode;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use weir_core::source::dialect;
use weir_core::source::dialect::{Dialect, Reader};
use weir_protocol::StreamEvent;

use streams::{Spelling, Stream};

#[allow(
    dead_code,
    reason = "shared with the program that takes the time, which reads other streams"
)]
mod streams;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const DELTAS: usize = 4000;
const SIZES: [usize; 3] = [64, 1400, 16 * 1024];
/// For buffers that grow with the longest line, and the list of events while it is short.
const SPARE: usize = 16;

#[derive(Clone, Copy)]
struct Count {
    deltas: usize,
    allocations: usize,
}

fn main() -> ExitCode {
    let mut exit = ExitCode::SUCCESS;
    println!("allocations a text delta, beyond what any stream costs:");
    for spelling in [Spelling::AsTheyAre, Spelling::WithEscapes] {
        let some = streams::text_only(DELTAS, spelling);
        let twice = streams::text_only(2 * DELTAS, spelling);
        for (some, twice) in some.iter().zip(&twice) {
            let Some(dialect) = dialect(some.dialect) else {
                continue;
            };
            let name = format!("{}, {}", some.dialect, described(spelling));
            let mut line = format!("  {name:<44}");
            for size in SIZES {
                let [some, twice] = [some, twice].map(|stream| count(dialect, stream, size));
                let deltas = twice.deltas - some.deltas;
                let allocations = twice.allocations.saturating_sub(some.allocations);
                line += &format!("{:>8.3}", allocations as f64 / deltas as f64);
                if allocations > deltas + SPARE {
                    exit = ExitCode::FAILURE;
                }
            }
            println!("{line}");
        }
    }
    if exit != ExitCode::SUCCESS {
        println!("a delta allocates more than its text");
    }
    exit
}

fn described(spelling: Spelling) -> &'static str {
    match spelling {
        Spelling::AsTheyAre => "words as they are",
        Spelling::WithEscapes => "words with escapes",
    }
}

fn count(dialect: &'static Dialect, stream: &Stream, size: usize) -> Count {
    let mut deltas = 0;
    let region = Region::new(ALLOCATOR);
    let mut reader = Reader::new(dialect);
    let mut out = Vec::new();
    for read in stream.bytes.chunks(size) {
        reader.push(read, &mut out);
        let is_delta = |event: &StreamEvent| matches!(event, StreamEvent::TextDelta { .. });
        deltas += out.drain(..).filter(is_delta).count();
    }
    reader.finish(&mut out);
    drop(reader);
    let change = region.change();
    Count {
        deltas,
        allocations: change.allocations + change.reallocations,
    }
}
