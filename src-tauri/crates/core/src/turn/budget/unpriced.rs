//! Models of unknown price under a budget of money.
//!
//! Invariant: no step is sent to a model whose cost a budget of money could not count before the
//! user agreed to that, once for a session and a model. The agreement is the `uncounted` event in
//! the session; what asks for it in the middle of a turn is an `unpriced` event, which ends it.

use weir_protocol::{BudgetLevel, BudgetUnit, Event, EventBody};

use super::limit::{Limit, Payer};
use crate::source::price::Prices;

/// Under which key the user's word for it is kept until the next prompt.
pub(crate) const KEY: &str = "unpriced";

/// The first budget of money that could not count the model, with what is spent of it; `None`
/// where nothing has to be asked. An empty name is that of a model which the source chooses.
pub(crate) fn uncounted<'a>(
    limits: &'a [(Limit, f64)],
    payer: &Payer,
    model: &str,
    prices: &Prices,
    history: &[Event],
) -> Option<&'a (Limit, f64)> {
    let known = prices.is_known(payer.source, model) && !is_asked(history, model);
    if known || is_agreed(history, model) {
        return None;
    }
    in_dollars(limits)
}

pub(super) fn in_dollars(limits: &[(Limit, f64)]) -> Option<&(Limit, f64)> {
    limits
        .iter()
        .find(|(limit, _)| limit.unit == BudgetUnit::Dollars)
}

/// Whether the user let this session use the model without counting it.
pub(super) fn is_agreed(history: &[Event], model: &str) -> bool {
    last(history, model) == Some(BudgetLevel::Uncounted)
}

/// Whether a step of this session cost something that nobody could tell.
fn is_asked(history: &[Event], model: &str) -> bool {
    last(history, model) == Some(BudgetLevel::Unpriced)
}

/// What was said last of the model's price.
fn last(history: &[Event], model: &str) -> Option<BudgetLevel> {
    history.iter().rev().find_map(|event| {
        if let EventBody::Budget {
            level: level @ (BudgetLevel::Unpriced | BudgetLevel::Uncounted),
            model: Some(named),
            ..
        } = &event.body
        {
            (named == model).then_some(*level)
        } else {
            None
        }
    })
}

pub(crate) fn event((limit, spent): &(Limit, f64), level: BudgetLevel, model: &str) -> EventBody {
    let mut body = limit.event(level, *spent);
    if let EventBody::Budget { model: named, .. } = &mut body {
        *named = Some(model.to_owned());
    }
    body
}
