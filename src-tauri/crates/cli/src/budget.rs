//! `weir budget`: the limits on what may be spent.

use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use weir_core::app::{App, dollars};
use weir_protocol::{Budget, BudgetPeriod, BudgetScope, BudgetState, BudgetUnit, code};

use crate::{Exit, Failure, output};

#[derive(Subcommand)]
pub(crate) enum Action {
    /// Every limit, and how far it is spent
    List {
        #[arg(long)]
        json: bool,
    },
    /// A limit, in the place of the one that limits the same
    Set {
        /// US dollars, or tokens with --tokens
        #[arg(value_name = "LIMIT")]
        limit: String,
        #[command(flatten)]
        which: Which,
    },
    /// Takes a limit away
    Remove {
        #[command(flatten)]
        which: Which,
    },
}

#[derive(Args)]
pub(crate) struct Which {
    /// What is limited
    #[arg(long, value_enum, value_name = "WHAT")]
    per: Per,
    /// The one project folder or source that is meant; without it, each by itself
    #[arg(long, value_name = "NAME")]
    of: Option<String>,
    /// A session, project or source may spend so much a day or a month
    #[arg(long, value_enum, value_name = "PERIOD")]
    within: Option<Within>,
    /// Tokens in place of dollars
    #[arg(long)]
    tokens: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Per {
    Day,
    Month,
    Session,
    Project,
    Source,
}

#[derive(Clone, Copy, ValueEnum)]
enum Within {
    Day,
    Month,
}

pub(crate) async fn run(app: &Arc<App>, action: Action) -> Result<Exit, Failure> {
    match action {
        Action::List { json } => {
            let budgets = app.budgets().await?;
            if json {
                output::line(&budgets)?;
            } else {
                let lines: String = budgets.iter().map(line).collect();
                output::write(&lines)?;
            }
        }
        Action::Set { limit, which } => {
            let amount = limit.trim_start_matches('$').parse().map_err(|_| {
                Failure::usage(format!(
                    "{limit} is no limit: say a number, like 5 or 0.01."
                ))
            })?;
            app.set_budget(which.budget(amount)?).await?;
        }
        Action::Remove { which } => {
            if !app.remove_budget(&which.budget(0.0)?).await? {
                return Err(Failure::failed(
                    code::BAD_INPUT,
                    "There is no such budget. See weir budget list.",
                ));
            }
        }
    }
    Ok(Exit::Done)
}

impl Which {
    fn budget(self, limit: f64) -> Result<Budget, Failure> {
        let scope = match (self.per, self.of) {
            (Per::Day | Per::Month, None) => BudgetScope::Everything,
            (Per::Session, None) => BudgetScope::Session,
            (Per::Project, of) => BudgetScope::Project {
                project: of.map(|folder| resolved(&folder)),
            },
            (Per::Source, source) => BudgetScope::Source { source },
            (Per::Day | Per::Month | Per::Session, Some(_)) => {
                return Err(Failure::usage("--of names a project or a source."));
            }
        };
        let period = match (self.per, self.within) {
            (Per::Day, None) => BudgetPeriod::Day,
            (Per::Month, None) => BudgetPeriod::Month,
            (Per::Session | Per::Project | Per::Source, Some(Within::Day)) => BudgetPeriod::Day,
            (Per::Session | Per::Project | Per::Source, Some(Within::Month)) => BudgetPeriod::Month,
            (Per::Session | Per::Project | Per::Source, None) => BudgetPeriod::Ever,
            (Per::Day | Per::Month, Some(_)) => {
                return Err(Failure::usage(
                    "--within goes with --per session, project or source.",
                ));
            }
        };
        let unit = if self.tokens {
            BudgetUnit::Tokens
        } else {
            BudgetUnit::Dollars
        };
        Ok(Budget {
            scope,
            period,
            unit,
            limit,
        })
    }
}

/// A folder as projects are named; one that is gone keeps the name it was given.
fn resolved(folder: &str) -> String {
    let path = std::fs::canonicalize(folder);
    path.map_or_else(
        |_| folder.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

fn line(state: &BudgetState) -> String {
    let BudgetState { budget, spent } = state;
    let amount = |amount: f64| match budget.unit {
        BudgetUnit::Dollars => dollars(amount),
        BudgetUnit::Tokens => format!("{amount:.0} tokens"),
    };
    let of = |kind: &str, name: &Option<String>| match name {
        Some(name) => format!("{kind} {name}"),
        None => format!("each {kind}"),
    };
    let whose = match &budget.scope {
        BudgetScope::Everything => "everything".to_owned(),
        BudgetScope::Session => "each session".to_owned(),
        BudgetScope::Project { project } => of("project", project),
        BudgetScope::Source { source } => of("source", source),
    };
    let period = match budget.period {
        BudgetPeriod::Day => " a day",
        BudgetPeriod::Month => " a month",
        BudgetPeriod::Ever => "",
    };
    let spent = spent.map_or_else(String::new, |spent| format!(", {} spent", amount(spent)));
    let limit = amount(budget.limit);
    format!("{limit}{period} for {}{spent}\n", output::plain(&whose))
}
