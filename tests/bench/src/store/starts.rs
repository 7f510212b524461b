//! Starting on an empty database and on a full one.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use weir_core::store::Store;

use crate::{Best, Figure, Goal, Outcome, Plan, bare, database};

const EVENTS_A_SESSION: usize = 1000;

pub(crate) fn measure(runtime: &Runtime, plan: Plan) -> Outcome<Vec<Figure>> {
    let (empty, full) = (tempfile::tempdir()?, tempfile::tempdir()?);
    runtime.block_on(async {
        for folder in [&empty, &full] {
            open(folder.path()).await?;
        }
        bare::fill(&database(full.path()), plan.events, EVENTS_A_SESSION)?;
        let [mut on_empty, mut on_full] = [Best::NONE; 2];
        for _ in 0..10 * plan.rounds {
            on_empty.take(open(empty.path()).await?);
            on_full.take(open(full.path()).await?);
        }
        let bytes = std::fs::metadata(database(full.path()))?.len();
        println!("\nmicroseconds to start:");
        println!("  empty                {:>10.0}", on_empty.each(1));
        let name = format!("{} events", plan.events);
        println!(
            "  {name:<21}{:>10.0}   ({} MiB)",
            on_full.each(1),
            bytes >> 20
        );
        Ok(vec![Figure {
            name: "starting on a million events against on an empty database",
            ratio: on_full.each(1) / on_empty.each(1),
            goal: Goal::AtMost(1.1),
        }])
    })
}

async fn open(folder: &Path) -> Outcome<Duration> {
    let started = Instant::now();
    let (store, notices) = Store::open_alone(folder).await?;
    let taken = started.elapsed();
    store.close().await;
    match notices.is_empty() {
        true => Ok(taken),
        false => Err(format!("{notices:?}").into()),
    }
}
