//! What was measured, for a person and for a program.

use serde::Serialize;

use crate::contestant::{Lane, Role};

/// Everything about one dialect.
#[derive(Serialize)]
pub struct Table {
    dialect: &'static str,
    bytes: usize,
    deltas: usize,
    rows: Vec<Row>,
}

#[derive(Clone, Serialize)]
pub struct Row {
    pub name: String,
    pub lane: Lane,
    pub role: Role,
    /// The best turn's nanoseconds a pass, one for each size of reads.
    pub nanoseconds: Vec<f64>,
}

impl Table {
    pub fn new(stream: &crate::streams::Stream, mut rows: Vec<Row>) -> Self {
        rows.extend(less_the_reads(&rows));
        Self {
            dialect: stream.dialect,
            bytes: stream.bytes.len(),
            deltas: stream.deltas,
            rows,
        }
    }

    pub fn dialect(&self) -> &str {
        self.dialect
    }

    pub fn print(&self, sizes: &[usize]) {
        let (dialect, bytes, deltas) = (self.dialect, self.bytes, self.deltas);
        println!("\n{dialect}: {deltas} deltas, {bytes} bytes; MB/s and Weir's lead, in reads of");
        let heads = sizes.iter().map(|size| format!("{size} B        "));
        print_line("", heads);
        for (lane, heading) in [
            (Lane::Memory, "bytes in memory"),
            (Lane::Loopback, "through reqwest, from loopback"),
            (Lane::Parsing, "the same, less the reads alone"),
        ] {
            println!("  {heading}");
            for row in self.rows.iter().filter(|row| row.lane == lane) {
                let cells = row.nanoseconds.iter().enumerate();
                let cells = cells.map(|(at, time)| self.cell(row, at, *time));
                print_line(&row.name, cells);
            }
        }
    }

    fn cell(&self, row: &Row, at: usize, time: f64) -> String {
        if time <= 0.0 {
            return "lost in noise".to_owned();
        }
        let speed = self.bytes as f64 * 1e3 / time;
        let lead = self.lead_over(row, at);
        let lead = lead.map_or(String::new(), |lead| format!("{lead:.1}x"));
        format!("{speed:.1} {lead:>7}")
    }

    /// How many times as fast as a peer Weir is.
    fn lead_over(&self, row: &Row, at: usize) -> Option<f64> {
        if matches!(row.role, Role::Weir | Role::Floor) {
            return None;
        }
        let is_weir = |it: &&Row| it.lane == row.lane && it.role == Role::Weir;
        let weir = self.rows.iter().find(is_weir)?.nanoseconds.get(at)?;
        Some(row.nanoseconds.get(at)? / weir).filter(|lead| *lead > 0.0)
    }

    /// Weir's lead over those who are meant, where it is least. Reading is taken off.
    pub fn least_lead(&self, is_meant: impl Fn(&Row) -> bool) -> Option<f64> {
        let peers = self.rows.iter().filter(|row| row.lane != Lane::Loopback);
        let leads = peers.filter(|row| is_meant(row)).flat_map(|row| {
            let sizes = 0..row.nanoseconds.len();
            sizes.filter_map(|at| self.lead_over(row, at))
        });
        leads.min_by(f64::total_cmp)
    }
}

/// What is left of the loopback lane when the reads themselves are taken off.
fn less_the_reads(rows: &[Row]) -> Vec<Row> {
    let lane = rows.iter().filter(|row| row.lane == Lane::Loopback);
    let Some(reads) = lane.clone().find(|row| row.role == Role::Floor) else {
        return Vec::new();
    };
    let parsing = |row: &Row| {
        let times = row.nanoseconds.iter().zip(&reads.nanoseconds);
        Row {
            lane: Lane::Parsing,
            nanoseconds: times.map(|(all, reading)| all - reading).collect(),
            ..row.clone()
        }
    };
    lane.filter(|row| row.role != Role::Floor)
        .map(parsing)
        .collect()
}

fn print_line(name: &str, cells: impl Iterator<Item = String>) {
    let cells: String = cells.map(|cell| format!("{cell:>18}")).collect();
    println!("    {name:<44}{cells}");
}
