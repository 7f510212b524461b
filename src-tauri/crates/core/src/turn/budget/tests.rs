//! The decisions, as tables.

use jiff::Zoned;
use uuid::Uuid;
use weir_protocol::{Budget, BudgetLevel, BudgetPeriod, BudgetScope, BudgetUnit, EventBody, Usage};

use super::limit::{Costs, Estimate, Limit, Payer, Standing, Start, period_start, sent};
use super::{Ledger, Purse, Raise, amount, sentence};
use crate::store::{Spender, Spent};

const SESSION: Uuid = Uuid::from_u128(7);

fn payer() -> Payer {
    Payer {
        session: SESSION,
        project: Some("/projects/weir".into()),
        source: "anthropic",
        label: "Anthropic",
        costs: Costs::Money,
    }
}

fn now() -> Zoned {
    "2026-03-30T00:30:00+02:00[Europe/Berlin]".parse().unwrap()
}

fn budget(scope: BudgetScope, period: BudgetPeriod) -> Budget {
    Budget {
        scope,
        period,
        unit: BudgetUnit::Dollars,
        limit: 1.0,
    }
}

fn limit(unit: BudgetUnit, most: f64) -> Limit {
    let budget = Budget {
        unit,
        limit: most,
        ..budget(BudgetScope::Everything, BudgetPeriod::Day)
    };
    Limit::of(&budget, &payer(), &now()).unwrap()
}

#[test]
fn periods_begin_by_the_clock_on_the_wall() {
    use BudgetPeriod::{Day, Ever, Month};
    let rows = [
        (
            Day,
            "2026-03-30T00:30:00+02:00[Europe/Berlin]",
            Some("2026-03-29T22:00:00Z"),
        ),
        // The day on which the clock goes forward has 23 hours.
        (
            Day,
            "2026-03-29T23:59:59+02:00[Europe/Berlin]",
            Some("2026-03-28T23:00:00Z"),
        ),
        (
            Month,
            "2026-03-30T00:30:00+02:00[Europe/Berlin]",
            Some("2026-02-28T23:00:00Z"),
        ),
        (
            Month,
            "2026-03-31T23:30:00-04:00[America/New_York]",
            Some("2026-03-01T05:00:00Z"),
        ),
        (
            Day,
            "2026-01-01T00:00:00+05:45[Asia/Kathmandu]",
            Some("2025-12-31T18:15:00Z"),
        ),
        // Where midnight does not exist, the day begins an hour later.
        (
            Day,
            "2026-04-24T12:00:00+03:00[Africa/Cairo]",
            Some("2026-04-23T22:00:00Z"),
        ),
        (Ever, "2026-03-30T00:30:00+02:00[Europe/Berlin]", None),
    ];
    for (period, now, expected) in rows {
        let now: Zoned = now.parse().unwrap();
        let expected = expected.map(|start| start.parse().unwrap());
        assert_eq!(period_start(period, &now), expected, "{period:?} at {now}");
    }
}

#[test]
fn a_budget_is_whose_it_says() {
    use BudgetPeriod::{Day, Ever, Month};
    use BudgetScope::{Everything, Project, Session, Source};
    let project = |name: Option<&str>| Project {
        project: name.map(str::to_owned),
    };
    let source = |name: Option<&str>| Source {
        source: name.map(str::to_owned),
    };
    let weir = || Spender::Project("/projects/weir".into());
    let anthropic = || Spender::Source("anthropic".into());
    let rows = [
        (Everything, Day, Some((Spender::Everybody, "today"))),
        (Everything, Month, Some((Spender::Everybody, "this month"))),
        (Everything, Ever, Some((Spender::Everybody, "everything"))),
        (
            Session,
            Ever,
            Some((Spender::Session(SESSION), "this session")),
        ),
        (
            Session,
            Day,
            Some((Spender::Session(SESSION), "this session today")),
        ),
        (project(None), Ever, Some((weir(), "the project weir"))),
        (
            project(Some("/projects/weir")),
            Month,
            Some((weir(), "the project weir this month")),
        ),
        (project(Some("/projects/b")), Month, None),
        (source(None), Day, Some((anthropic(), "Anthropic today"))),
        (
            source(Some("anthropic")),
            Ever,
            Some((anthropic(), "Anthropic")),
        ),
        (source(Some("openai")), Ever, None),
    ];
    for (scope, period, expected) in rows {
        let limit = Limit::of(&budget(scope.clone(), period), &payer(), &now());
        let is = limit.map(|limit| (limit.spender, limit.name));
        let expected = expected.map(|(spender, name)| (spender, name.to_owned()));
        assert_eq!(is, expected, "{scope:?} {period:?}");
    }
    let alone = Payer {
        project: None,
        ..payer()
    };
    let limit = Limit::of(&budget(project(None), Ever), &alone, &now());
    assert_eq!(limit, None, "a session without a project");
}

#[test]
fn warns_at_four_fifths_and_stops_at_all() {
    use BudgetUnit::{Dollars, Tokens};
    use Standing::{Fine, Nearly, Spent};
    let ten_tenths: f64 = [0.001; 10].iter().sum();
    let rows = [
        (Dollars, 0.01, 0.0, Fine),
        (Dollars, 0.01, 0.007_99, Fine),
        (Dollars, 0.01, 0.008, Nearly),
        (Dollars, 0.01, 0.009_99, Nearly),
        (Dollars, 0.01, 0.01, Spent),
        (Dollars, 0.01, ten_tenths, Spent),
        (Dollars, 0.01, 3.0, Spent),
        (Tokens, 1000.0, 799.0, Fine),
        (Tokens, 1000.0, 800.0, Nearly),
        (Tokens, 1000.0, 999.0, Nearly),
        (Tokens, 1000.0, 1000.0, Spent),
        (Dollars, 0.0, 0.0, Spent),
    ];
    for (unit, most, spent, expected) in rows {
        let standing = limit(unit, most).standing(spent);
        assert_eq!(standing, expected, "{spent} of {most} {unit:?}");
    }
}

#[test]
fn a_step_begins_while_something_is_left() {
    use Start::{Begin, Stop, Wait};
    // Limit, spent, held by others, needed by this one alone.
    let rows = [
        (1.0, 0.0, 0.0, 0.0, Begin),
        // The step that crosses is begun: it may use less than was thought.
        (1.0, 0.9, 0.0, 0.5, Begin),
        (1.0, 0.99, 0.0, 1.0, Begin),
        (1.0, 1.0, 0.0, 0.0, Stop),
        (1.0, 1.0, 5.0, 0.0, Stop),
        // What could never fit is not begun.
        (1.0, 0.0, 0.0, 1.01, Stop),
        (1.0, 0.5, 0.4, 0.5, Begin),
        (1.0, 0.5, 0.5, 0.1, Wait),
        (1.0, 0.0, 9.0, 0.1, Wait),
        (0.0, 0.0, 0.0, 0.0, Stop),
    ];
    for (most, spent, held, needed, expected) in rows {
        let start = limit(BudgetUnit::Dollars, most).start(spent, held, needed);
        assert_eq!(start, expected, "{most} {spent} {held} {needed}");
    }
}

#[test]
fn an_estimate_is_what_is_sent_and_a_usual_reply() {
    // A dollar for a thousand tokens in, two for as many out, a tenth for what is cached.
    let price = |usage: &Usage| {
        let cached = usage.cache_read_tokens as f64 / 10.0;
        Some((usage.input_tokens as f64 + cached + 2.0 * usage.output_tokens as f64) / 1000.0)
    };
    let rows = [
        (0, 0, (0, 0.0), (1000, 2.0)),
        (500, 0, (500, 0.5), (1500, 2.5)),
        (500, 400, (500, 0.14), (1500, 2.14)),
        (500, 9000, (500, 0.05), (1500, 2.05)),
    ];
    let spent = |(tokens, dollars): (u64, f64)| Spent { tokens, dollars };
    for (tokens, cached, sure, likely) in rows {
        let estimate = Estimate::of(&sent(tokens, cached), price);
        let expected = Estimate {
            sure: spent(sure),
            likely: spent(likely),
        };
        assert_eq!(estimate, expected, "{tokens} of which {cached} are cached");
    }
    let unknown = Estimate::of(&sent(500, 0), |_| None);
    assert_eq!(unknown.likely, spent((1500, 0.0)), "tokens still count");
}

#[test]
fn what_others_hold_counts_where_they_spend_too() {
    let ledger = std::sync::Arc::new(Ledger::default());
    let other = Payer {
        session: Uuid::from_u128(8),
        project: None,
        ..payer()
    };
    let held = Spent {
        tokens: 100,
        dollars: 0.25,
    };
    let first = ledger.reserve(&other, held);
    let second = ledger.reserve(&payer(), held);
    let rows = [
        (BudgetScope::Everything, 0.5),
        (BudgetScope::Session, 0.25),
        (BudgetScope::Project { project: None }, 0.25),
        (BudgetScope::Source { source: None }, 0.5),
    ];
    for (scope, expected) in rows {
        let limit = Limit::of(&budget(scope.clone(), BudgetPeriod::Ever), &payer(), &now());
        assert_eq!(ledger.held(&limit.unwrap()), expected, "{scope:?}");
    }
    let everything = limit(BudgetUnit::Tokens, 1.0);
    let mut releases = ledger.releases();
    drop(first);
    assert!(releases.has_changed().unwrap(), "who waits hears of it");
    releases.mark_unchanged();
    assert_eq!(ledger.held(&everything), 100.0);
    drop(second);
    assert_eq!(ledger.held(&everything), 0.0);
}

#[test]
fn raising_lifts_what_is_named_and_tells_what_is_spent() {
    let spent = limit(BudgetUnit::Dollars, 1.0);
    let fine = limit(BudgetUnit::Tokens, 100.0);
    let limits = [(spent.clone(), 1.5), (fine.clone(), 5.0)];
    let named = |limit: &Limit| Raise::Limits([limit.key()].into());
    let raised = [spent.event(BudgetLevel::Raised, 1.5)];
    let rows = [
        (Raise::default(), [false, false], &raised[..0]),
        (named(&spent), [true, false], &raised),
        (named(&fine), [false, true], &raised[..0]),
        (Raise::Everything, [true, true], &raised),
    ];
    for (raise, lifted, told) in rows {
        assert_eq!([raise.has(&spent), raise.has(&fine)], lifted, "{raise:?}");
        let ledger = std::sync::Arc::new(Ledger::default());
        let (_, events) = Purse::open(ledger, payer(), raise, &limits);
        assert_eq!(events, told);
    }
}

#[test]
fn small_amounts_keep_digits_that_say_something() {
    let rows = [
        (0.0, "$0.0000"),
        (0.5, "$0.5000"),
        (0.012, "$0.0120"),
        (0.001, "$0.0010"),
        (0.000_3, "$0.00030"),
        (0.000_05, "$0.000050"),
        (0.000_001_234, "$0.0000012"),
        (1e-30, "$0.000000000000"),
        (12.345, "$12.35"),
    ];
    for (dollars, expected) in rows {
        assert_eq!(amount(BudgetUnit::Dollars, dollars), expected);
    }
}

#[test]
fn says_whose_limit_it_is_and_how_much() {
    let event = |level, needed: Option<f64>, model: Option<&str>| EventBody::Budget {
        level,
        name: "today".into(),
        limit: 0.01,
        spent: 0.012,
        unit: BudgetUnit::Dollars,
        needed,
        model: model.map(str::to_owned),
        own_tools: false,
    };
    let of_tools = |level| {
        let mut event = event(level, None, Some("m"));
        if let EventBody::Budget { own_tools, .. } = &mut event {
            *own_tools = true;
        }
        event
    };
    let rows = [
        (
            of_tools(BudgetLevel::Unpriced),
            "The provider of m charges for its own tools beyond the tokens, so the budget of $0.0100 for today cannot count all that it costs.",
        ),
        (
            of_tools(BudgetLevel::Uncounted),
            "The provider of m charges for its own tools beyond the tokens: that does not count towards the budget for today.",
        ),
        (
            event(BudgetLevel::Warning, None, None),
            "The budget for today is nearly spent: $0.0120 of $0.0100.",
        ),
        (
            event(BudgetLevel::Spent, None, None),
            "The budget for today is spent: $0.0120 of $0.0100.",
        ),
        (
            event(BudgetLevel::Spent, Some(2.5), None),
            "The next step alone would take about $2.50, and the budget for today is $0.0100.",
        ),
        (
            event(BudgetLevel::Raised, None, None),
            "Gone on past the budget for today this once: $0.0120 of $0.0100 were spent.",
        ),
        (
            event(BudgetLevel::Unpriced, None, Some("m")),
            "The price of m is not known, so the budget of $0.0100 for today cannot count what it costs.",
        ),
        (
            event(BudgetLevel::Unpriced, None, Some("")),
            "The price of the model is not known, so the budget of $0.0100 for today cannot count what it costs.",
        ),
        (
            event(BudgetLevel::Uncounted, None, Some("m")),
            "The price of m is not known: what it costs does not count towards the budget for today.",
        ),
    ];
    for (event, expected) in rows {
        assert_eq!(sentence(&event).as_deref(), Some(expected));
    }
}

/// What costs nothing is held up by no budget of money, and by every one of tokens.
#[test]
fn a_budget_of_money_is_nobodys_whose_steps_cost_nothing() {
    let free = Payer {
        costs: Costs::Nothing,
        ..payer()
    };
    for unit in [BudgetUnit::Dollars, BudgetUnit::Tokens] {
        let budget = Budget {
            unit,
            ..budget(BudgetScope::Everything, BudgetPeriod::Ever)
        };
        assert!(Limit::of(&budget, &payer(), &now()).is_some());
        let of_free = Limit::of(&budget, &free, &now());
        assert_eq!(of_free.is_some(), unit == BudgetUnit::Tokens, "{unit:?}");
    }
}
