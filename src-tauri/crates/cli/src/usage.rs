//! `weir usage`: what was used, as a table or as one JSON array.

use std::sync::Arc;

use weir_core::app::App;
use weir_protocol::{UsageBy, UsageRow};

use crate::{Exit, Failure, output};

pub(crate) async fn run(app: &Arc<App>, by: UsageBy, json: bool) -> Result<Exit, Failure> {
    let rows = app.usage(by).await?;
    if json {
        output::line(&rows)?;
    } else {
        output::write(&table(by, &rows))?;
    }
    Ok(Exit::Done)
}

const HEADINGS: [&str; 8] = [
    "steps", "input", "output", "cached", "written", "tokens", "cost", "saved",
];

fn table(by: UsageBy, rows: &[UsageRow]) -> String {
    let heading = match by {
        UsageBy::Day => "day",
        UsageBy::Session => "session",
        UsageBy::Project => "project",
        UsageBy::Model => "model",
        UsageBy::Source => "source",
    };
    let mut lines = vec![(heading.to_owned(), HEADINGS.map(str::to_owned))];
    lines.extend(rows.iter().map(|row| (name(by, row), cells(row))));
    if rows.len() > 1 {
        let mut total = UsageRow::default();
        rows.iter().for_each(|row| total.add(row));
        lines.push(("total".to_owned(), cells(&total)));
    }
    let name_width = lines.iter().map(|(name, _)| name.chars().count()).max();
    let name_width = name_width.unwrap_or_default();
    let mut widths = [0; HEADINGS.len()];
    for (_, cells) in &lines {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for (name, cells) in &lines {
        text.push_str(&format!("{name:<name_width$}"));
        for (cell, width) in cells.iter().zip(widths) {
            text.push_str(&format!("  {cell:>width$}"));
        }
        text.push('\n');
    }
    text
}

fn name(by: UsageBy, row: &UsageRow) -> String {
    const LONGEST: usize = 60;
    let name = match (&row.title, row.key.as_str()) {
        (Some(title), key) => format!("{key} {title}"),
        (None, "") if by == UsageBy::Project => "(no project)".to_owned(),
        (None, key) => key.to_owned(),
    };
    let name = output::plain(&name).replace(['\n', '\t'], " ");
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// A cost that leaves steps out whose price nobody knows is marked, and so are sums with steps
/// in them whose last count nobody told.
fn cells(row: &UsageRow) -> [String; HEADINGS.len()] {
    let about = if row.estimated_steps > 0 { "≈" } else { "" };
    let dollars = |sum: f64| {
        let sign = if sum < 0.0 { "-" } else { "" };
        format!("{sign}${:.4}", sum.abs())
    };
    let unknown = || "-".to_owned();
    let cost = match (row.cost.map(dollars), row.unpriced_steps) {
        (Some(cost), 0) => format!("{about}{cost}"),
        (Some(cost), _) => format!("{about}{cost}+"),
        (None, _) => unknown(),
    };
    [
        row.steps.to_string(),
        row.input_tokens.to_string(),
        row.output_tokens.to_string(),
        row.cache_read_tokens.to_string(),
        row.cache_write_tokens.to_string(),
        format!("{about}{}", row.total_tokens),
        cost,
        row.saved.map_or_else(unknown, dollars),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other() {
        let row = |key: &str, steps: u64, cost: Option<f64>, unpriced_steps: u64| UsageRow {
            key: key.into(),
            steps,
            input_tokens: 10 * steps,
            total_tokens: 10 * steps,
            cost,
            saved: cost.map(|_| -0.002),
            unpriced_steps,
            ..UsageRow::default()
        };
        let cut = UsageRow {
            estimated_steps: 1,
            ..row("/cut", 1, Some(0.25), 0)
        };
        let rows = [
            row("/some/a project", 100, Some(1.5), 2),
            row("", 3, None, 3),
            cut,
        ];
        let expected = "\
project          steps  input  output  cached  written  tokens       cost     saved
/some/a project    100   1000       0       0        0    1000   $1.5000+  -$0.0020
(no project)         3     30       0       0        0      30          -         -
/cut                 1     10       0       0        0     ≈10   ≈$0.2500  -$0.0020
total              104   1040       0       0        0   ≈1040  ≈$1.7500+  -$0.0040
";
        assert_eq!(table(UsageBy::Project, &rows), expected);
    }
}
