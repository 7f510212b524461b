//! Opening a short session and a very long one.

use std::time::Instant;

use tokio::runtime::Runtime;
use uuid::Uuid;
use weir_core::store::Store;

use crate::{Best, Figure, Goal, Outcome, Plan, bare, database};

/// A turn is a prompt, an answer, its usage and its end.
const EVENTS_A_MESSAGE: usize = 2;
const FEW: usize = 10;
/// What the page of a window asks for.
const PAGE: u32 = 200;
const CALLS: usize = 50;

pub(crate) fn measure(runtime: &Runtime, plan: Plan) -> Outcome<Vec<Figure>> {
    let (short, long) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let window = (FEW * EVENTS_A_MESSAGE) as u32;
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
        let [mut few, mut many, mut page_few, mut page_many] = [Best::NONE; 4];
        for _ in 0..20 * plan.rounds {
            few.take(open(short, window, window).await?);
            many.take(open(long, window, window).await?);
            page_few.take(open(short, PAGE, window).await?);
            page_many.take(open(long, PAGE, PAGE).await?);
        }
        println!("\nmicroseconds to open a session, its last {FEW} messages and all of a page of {PAGE} events:");
        for (name, window, page) in [
            (format!("{FEW} messages"), few, page_few),
            (format!("{} messages", plan.messages), many, page_many),
        ] {
            println!("  {name:<18}{:>10.0}{:>10.0}", window.each(CALLS), page.each(CALLS));
        }
        for store in &stores {
            store.close().await;
        }
        Ok(vec![
            Figure {
                name: "opening the last 10 messages, of 10,000 against of 10",
                ratio: many.each(1) / few.each(1),
                goal: Goal::AtMost(1.5),
            },
            Figure {
                name: "the same with a whole page of the window's, of 200 events",
                ratio: page_many.each(1) / page_few.each(1),
                goal: Goal::None,
            },
        ])
    })
}

async fn open(store: &Store, limit: u32, expected: u32) -> Outcome<std::time::Duration> {
    let session: Uuid = bare::session(0);
    let started = Instant::now();
    for _ in 0..CALLS {
        let latest = store.latest(session, limit).await?;
        let read = latest.events.len();
        if read != expected as usize {
            return Err(format!("{read} events were read").into());
        }
    }
    Ok(started.elapsed())
}
