//! How fast bytes become events: Weir and its peers, over the same bytes, in one run.
//!
//!   wire [--quick] [--node PROGRAM] [--python PROGRAM]
//!
//! Everyone's result is compared with what was written before anyone is timed. A turn is as
//! many passes as fit into it, and its figure their mean; all take turns, round by round, so
//! that a busy machine is busy for all; and the best turn counts, in processor time. No figure
//! fails the run: only a result that is wrong does.
#![allow(
    clippy::print_stdout,
    reason = "a program whose purpose is to print a table"
)]

mod child;
mod contestant;
mod loopback;
mod published;
#[allow(
    dead_code,
    reason = "shared with the program that counts allocations, which reads other streams"
)]
mod streams;
mod table;
mod weir;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use contestant::{Contestant, Outcome, Reads, Role};
use loopback::Server;
use streams::Stream;
use table::{Row, Table};

/// A slow phone's reads, a packet's, and a fast connection's.
const SIZES: [usize; 3] = [64, 1400, 16 * 1024];

struct Plan {
    deltas: usize,
    rounds: usize,
    turn: Duration,
    node: Option<PathBuf>,
    python: Option<PathBuf>,
}

fn main() -> Outcome<()> {
    let plan = plan()?;
    let streams = streams::all(plan.deltas);
    let folder = tempfile::tempdir()?;
    for stream in &streams {
        std::fs::write(folder.path().join(stream.dialect), &stream.bytes)?;
    }
    let server = Server::start(loopback::bodies(&streams, &SIZES))?;
    let mut everyone = everyone(&plan, &server, &streams, folder.path())?;

    let mut tables = Vec::new();
    for stream in &streams {
        if weir::known(stream.dialect).is_err() {
            println!("{}: Weir does not read it, left out", stream.dialect);
            continue;
        }
        let table = measure(stream, &mut everyone, &plan)?;
        table.print(&SIZES);
        tables.push(table);
    }
    summarize(&tables);
    println!(
        "{}",
        serde_json::json!({ "sizes": SIZES, "tables": tables })
    );
    Ok(())
}

fn plan() -> Outcome<Plan> {
    let mut plan = Plan {
        deltas: 4000,
        rounds: 7,
        turn: Duration::from_millis(60),
        node: None,
        python: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => {
                plan.deltas = 1000;
                plan.rounds = 2;
                plan.turn = Duration::from_millis(10);
            }
            "--node" => plan.node = arguments.next().map(PathBuf::from),
            "--python" => plan.python = arguments.next().map(PathBuf::from),
            other => return Err(format!("what is {other}?").into()),
        }
    }
    Ok(plan)
}

fn everyone(
    plan: &Plan,
    server: &Server,
    streams: &[Stream],
    folder: &Path,
) -> Outcome<Vec<Box<dyn Contestant>>> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let tests = tests.ok_or("the benchmark stands in no folder")?;
    let mut everyone: Vec<Box<dyn Contestant>> = vec![
        Box::new(weir::NEWLINES),
        Box::new(weir::FRAMES),
        Box::new(published::SSEER_FRAMES),
        Box::new(weir::WEIR),
    ];
    for peer in published::PEERS {
        everyone.push(Box::new(peer));
    }
    let programs = [
        ("Node", &plan.node, tests.join("peers/bench.mjs")),
        ("Python", &plan.python, tests.join("bench/anthropic_sdk.py")),
    ];
    for (language, program, script) in programs {
        let Some(program) = program else {
            println!("the peers in {language} are missing: no program for them was named");
            continue;
        };
        match child::start(Command::new(program).arg(script), streams, folder) {
            Ok(foreign) => {
                for it in foreign {
                    everyone.push(Box::new(it));
                }
            }
            Err(error) => println!("the peers in {language} are missing: {error}"),
        }
    }
    for remote in loopback::everyone(server)? {
        everyone.push(Box::new(remote));
    }
    Ok(everyone)
}

fn measure(stream: &Stream, everyone: &mut [Box<dyn Contestant>], plan: &Plan) -> Outcome<Table> {
    let mut here: Vec<_> = everyone
        .iter_mut()
        .filter(|it| it.reads(stream.dialect))
        .collect();
    for it in &mut here {
        for size in SIZES {
            check(it.as_mut(), Reads { stream, size })?;
        }
    }
    let mut best = vec![vec![f64::INFINITY; SIZES.len()]; here.len()];
    for (at, size) in SIZES.into_iter().enumerate() {
        let reads = Reads { stream, size };
        for _ in 0..plan.rounds {
            for (it, best) in here.iter_mut().zip(&mut best) {
                best[at] = best[at].min(it.time(reads, plan.turn)?);
            }
        }
    }
    let rows = here.iter().zip(best).map(|(it, nanoseconds)| Row {
        name: it.name().to_owned(),
        lane: it.lane(),
        role: it.role(),
        nanoseconds,
    });
    Ok(Table::new(stream, rows.collect()))
}

/// Whoever makes events must have made what was written.
fn check(it: &mut dyn Contestant, reads: Reads<'_>) -> Outcome<()> {
    let (dialect, name) = (reads.stream.dialect, it.name().to_owned());
    let told = it.tell(reads);
    let told = told.map_err(|error| format!("{name} could not read {dialect}: {error}"))?;
    match told {
        Some(told) if told != reads.stream.says => {
            let said = &reads.stream.says;
            let fields = [
                ("text", told.text == said.text),
                ("thinking", told.thinking == said.thinking),
                ("inputs", told.inputs == said.inputs),
                ("output tokens", told.output_tokens == said.output_tokens),
            ];
            let wrong: Vec<_> = fields.iter().filter(|(_, same)| !same).collect();
            Err(format!("{name} made something else of {dialect}: {wrong:?}").into())
        }
        Some(_) | None => Ok(()),
    }
}

fn summarize(tables: &[Table]) {
    println!("\nWhere Weir leads least, in reads of any of these sizes:");
    for table in tables {
        let sdk = table.least_lead(|row| row.name.starts_with("@ai-sdk"));
        let library = table.least_lead(|row| row.role == Role::RustPeer);
        let parts = table.least_lead(|row| row.role == Role::RustParts);
        let [sdk, library, parts] = [sdk, library, parts]
            .map(|lead| lead.map_or("not measured".to_owned(), |lead| format!("{lead:.1}x")));
        let dialect = table.dialect();
        println!(
            "  {dialect:<18} the AI SDK {sdk}, the fastest Rust library {library}, \
             the fastest published parts put together {parts}"
        );
    }
}
