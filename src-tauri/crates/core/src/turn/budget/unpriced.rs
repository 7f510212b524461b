//! Models that a budget of money cannot count: those of unknown price, and those whose provider
//! charges for tools of its own beyond the tokens.
//!
//! Invariant: no step is sent to a model whose cost a budget of money could not count before the
//! user agreed to that, once for a session, a model and the reason. The agreement is the
//! `uncounted` event in the session; what asks for it in the middle of a turn is an `unpriced`
//! event, which ends it.

use weir_protocol::{BudgetLevel, BudgetUnit, Event, EventBody};

use super::limit::{Limit, Payer};
use crate::source::Charges;
use crate::source::price::Prices;

/// Under which key the user's word for it is kept until the next prompt.
pub(crate) const KEY: &str = "unpriced";

/// What a step is asked of, as far as it decides what the step costs.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// Empty where the source chooses the model.
    pub(crate) model: &'a str,
    pub(crate) charges: Charges,
}

/// The first budget of money that could not count the model, with what is spent of it; `None`
/// where nothing has to be asked.
pub(crate) fn uncounted<'a>(
    limits: &'a [(Limit, f64)],
    payer: &Payer,
    asked: Asked<'_>,
    prices: &Prices,
    history: &[Event],
) -> Option<&'a (Limit, f64)> {
    let is_counted = match asked.charges {
        Charges::Tokens => {
            prices.is_known(payer.source, asked.model) && !is_unpriced(history, asked)
        }
        Charges::OwnTools => false,
    };
    if is_counted || is_agreed(history, asked) {
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
pub(super) fn is_agreed(history: &[Event], asked: Asked<'_>) -> bool {
    last(history, asked) == Some(BudgetLevel::Uncounted)
}

/// Whether a step of this session cost something that nobody could tell.
fn is_unpriced(history: &[Event], asked: Asked<'_>) -> bool {
    last(history, asked) == Some(BudgetLevel::Unpriced)
}

/// What was said last of the model's price, or of its provider's own tools.
fn last(history: &[Event], asked: Asked<'_>) -> Option<BudgetLevel> {
    history.iter().rev().find_map(|event| {
        if let EventBody::Budget {
            level: level @ (BudgetLevel::Unpriced | BudgetLevel::Uncounted),
            model: Some(named),
            own_tools,
            ..
        } = &event.body
        {
            let is_same = named == asked.model && *own_tools == asked.has_own_tools();
            is_same.then_some(*level)
        } else {
            None
        }
    })
}

impl Asked<'_> {
    fn has_own_tools(self) -> bool {
        match self.charges {
            Charges::Tokens => false,
            Charges::OwnTools => true,
        }
    }
}

pub(crate) fn event(
    (limit, spent): &(Limit, f64),
    level: BudgetLevel,
    asked: Asked<'_>,
) -> EventBody {
    let mut body = limit.event(level, *spent);
    if let EventBody::Budget {
        model, own_tools, ..
    } = &mut body
    {
        *model = Some(asked.model.to_owned());
        *own_tools = asked.has_own_tools();
    }
    body
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use weir_protocol::BudgetPeriod;

    use super::super::limit::Costs;
    use super::*;
    use crate::store::Spender;
    use crate::turn::TurnId;

    fn limits() -> [(Limit, f64); 1] {
        let limit = Limit {
            spender: Spender::Everybody,
            period: BudgetPeriod::Ever,
            since: None,
            unit: BudgetUnit::Dollars,
            most: 5.0,
            name: "everything".to_owned(),
        };
        [(limit, 0.0)]
    }

    fn asks(asked: Asked<'_>, history: &[Event]) -> bool {
        let payer = Payer {
            session: Uuid::nil(),
            project: None,
            source: "anthropic",
            label: "Anthropic",
            costs: Costs::Money,
        };
        let limits = limits();
        uncounted(&limits, &payer, asked, &Prices::default(), history).is_some()
    }

    #[test]
    fn an_agreement_holds_for_its_model_and_its_reason() {
        let asked = |model, charges| Asked { model, charges };
        let listed = "claude-sonnet-5-5";
        let plain = asked(listed, Charges::Tokens);
        let with_tools = asked(listed, Charges::OwnTools);
        let unlisted = asked("claude-of-tomorrow", Charges::Tokens);
        let unlisted_with_tools = asked("claude-of-tomorrow", Charges::OwnTools);
        let all = [plain, with_tools, unlisted, unlisted_with_tools];
        let asking = |history: &[Event]| all.map(|asked| asks(asked, history));
        assert_eq!(asking(&[]), [false, true, true, true]);
        let id = TurnId {
            session: Uuid::nil(),
            turn: Uuid::nil(),
            started: crate::clock::now(),
        };
        let agreed = |asked| {
            let body = event(&limits()[0], BudgetLevel::Uncounted, asked);
            [id.event(body, id.started)]
        };
        let rows = [
            (with_tools, [false, false, true, true]),
            (unlisted, [false, true, false, true]),
            (unlisted_with_tools, [false, true, true, false]),
        ];
        for (to, expected) in rows {
            assert_eq!(asking(&agreed(to)), expected, "{}", to.model);
        }
    }
}
