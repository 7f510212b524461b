//! What a budget has to say, as sentences.

use weir_protocol::{BudgetLevel, BudgetUnit, EventBody};

/// The sentence of a `budget` event; `None` for any other.
pub fn sentence(body: &EventBody) -> Option<String> {
    let EventBody::Budget {
        level,
        name,
        limit,
        spent,
        unit,
        needed,
        model,
        own_tools,
    } = body
    else {
        return None;
    };
    let (limit, spent) = (amount(*unit, *limit), amount(*unit, *spent));
    Some(match (level, needed) {
        (BudgetLevel::Warning, _) => {
            format!("The budget for {name} is nearly spent: {spent} of {limit}.")
        }
        (BudgetLevel::Spent, Some(needed)) => {
            let needed = amount(*unit, *needed);
            format!(
                "The next step alone would take about {needed}, and the budget for {name} is {limit}."
            )
        }
        (BudgetLevel::Spent, None) => {
            format!("The budget for {name} is spent: {spent} of {limit}.")
        }
        (BudgetLevel::Raised, _) => {
            format!("Gone on past the budget for {name} this once: {spent} of {limit} were spent.")
        }
        (BudgetLevel::Unpriced, _) => {
            let model = model.as_deref().filter(|model| !model.is_empty());
            let model = model.unwrap_or("the model");
            if *own_tools {
                return Some(format!(
                    "The provider of {model} charges for its own tools beyond the tokens, so the budget of {limit} for {name} cannot count all that it costs."
                ));
            }
            format!(
                "The price of {model} is not known, so the budget of {limit} for {name} cannot count what it costs."
            )
        }
        (BudgetLevel::Uncounted, _) => {
            let model = model.as_deref().unwrap_or("this model");
            if *own_tools {
                return Some(format!(
                    "The provider of {model} charges for its own tools beyond the tokens: that does not count towards the budget for {name}."
                ));
            }
            format!(
                "The price of {model} is not known: what it costs does not count towards the budget for {name}."
            )
        }
    })
}

pub(crate) fn amount(unit: BudgetUnit, amount: f64) -> String {
    match unit {
        BudgetUnit::Dollars if amount < 1.0 => dollars(amount),
        BudgetUnit::Dollars => format!("${amount:.2}"),
        BudgetUnit::Tokens => format!("{amount:.0} tokens"),
    }
}

/// With four decimals, and more where four would say nothing.
pub fn dollars(amount: f64) -> String {
    if amount >= 0.001 || amount <= 0.0 {
        return format!("${amount:.4}");
    }
    let long = format!("{amount:.12}");
    let first = long.find(|digit| ('1'..='9').contains(&digit));
    let end = first.map_or(long.len(), |first| (first + 2).max("0.0000".len()));
    let shown = long.get(..end).unwrap_or(&long);
    format!("${shown}")
}
