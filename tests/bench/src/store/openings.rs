//! Opening a short session and a very long one.

use std::time::Instant;

use tokio::runtime::Runtime;
use uuid::Uuid;
use weir_core::store::{SCREEN, Store};

use crate::{Best, Figure, Goal, Outcome, Plan, bare, database};

/// A turn is a prompt, an answer, its usage and its end.
const EVENTS_A_MESSAGE: usize = 2;
const FEW: usize = 10;
const CALLS: usize = 50;

pub(crate) fn measure(runtime: &Runtime, plan: Plan) -> Outcome<Vec<Figure>> {
    let (short, long) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let all = (FEW * EVENTS_A_MESSAGE) as u32;
    runtime.block_on(async {
        let mut stores = Vec::new();
        for (folder, messages) in [(&short, FEW), (&long, plan.messages)] {
            let (store, _) = Store::open_alone(folder.path()).await?;
            store.close().await;
            let events = messages * EVENTS_A_MESSAGE;
            bare::fill(&database(folder.path()), events, events)?;
            stores.push(Store::open_alone(folder.path()).await?.0);
        }
        let (short, long) = (&stores[0], &stores[1]);
        let [mut few, mut many] = [Best::NONE; 2];
        for _ in 0..20 * plan.rounds {
            few.take(open(short, all).await?);
            many.take(open(long, SCREEN).await?);
        }
        println!("\nmicroseconds to open a session, as the window does:");
        for (messages, best) in [(FEW, few), (plan.messages, many)] {
            println!("  {messages:>6} messages{:>10.0}", best.each(CALLS));
        }
        for store in &stores {
            store.close().await;
        }
        Ok(vec![Figure {
            name: "opening a session of 10,000 messages against one of 10",
            ratio: many.each(1) / few.each(1),
            goal: Goal::AtMost(1.5),
        }])
    })
}

async fn open(store: &Store, expected: u32) -> Outcome<std::time::Duration> {
    let session: Uuid = bare::session(0);
    let started = Instant::now();
    for _ in 0..CALLS {
        let latest = store.latest(session, SCREEN).await?;
        let read = latest.events.len();
        if read != expected as usize {
            return Err(format!("{read} events were read").into());
        }
    }
    Ok(started.elapsed())
}
