//! Budgets in turns: a loop that stops, sessions that share, and a user who goes on once.

use serde_json::json;
use tokio::sync::watch;
use weir_protocol::{
    Budget, BudgetLevel, BudgetPeriod, BudgetScope, BudgetUnit, Event, EventBody, ModelPrice,
    SettingsChange, StopReason, code,
};

use super::super::{Raise, WhyHeld};
use super::scripted::*;
use super::{Prompt, fixture, prompt};
use crate::store::Spender;
use crate::tool::Access;

fn budget(scope: BudgetScope, unit: BudgetUnit, limit: f64) -> Budget {
    Budget {
        scope,
        period: BudgetPeriod::Ever,
        unit,
        limit,
    }
}

pub(super) fn dollars(limit: f64) -> Budget {
    budget(BudgetScope::Everything, BudgetUnit::Dollars, limit)
}

/// A step of ten tokens in and three out costs four tenths of a cent.
pub(super) async fn priced(stage: Stage) -> Stage {
    let price = ModelPrice {
        model: "claude-scripted".into(),
        input: 100.0,
        output: 1000.0,
        cache_read: 0.0,
        cache_write: 0.0,
    };
    stage
        .app
        .change(SettingsChange::Price { price })
        .await
        .unwrap();
    stage
}

fn loops(count: usize) -> Vec<Reply> {
    let step = |number: usize| {
        let id = format!("call{number}");
        reply(&[text("On."), call(&id, "look")], "tool_use")
    };
    (1..=count).map(step).collect()
}

/// The levels that were told, with whose limit it was and how much of it.
pub(super) fn told(events: &[Event]) -> Vec<(BudgetLevel, String, f64)> {
    let budgets = events.iter().filter_map(|event| {
        if let EventBody::Budget {
            level, name, spent, ..
        } = &event.body
        {
            let spent = (spent * 1e6).round() / 1e6;
            Some((*level, name.clone(), spent))
        } else {
            None
        }
    });
    budgets.collect()
}

#[tokio::test]
async fn a_loop_stops_after_the_step_that_crosses() {
    let rows = [
        // Dollars, steps, calls that ran, and what is told.
        (0.01, 3, vec![("warning", 0.008), ("spent", 0.012)]),
        (0.012, 3, vec![("spent", 0.012)]),
        (0.0041, 2, vec![("warning", 0.004), ("spent", 0.008)]),
        (0.000_05, 0, vec![("spent", 0.0)]),
        (1.0, 5, vec![]),
    ];
    for (limit, steps, expected) in rows {
        let replies = loops(4);
        let stage = Stage::new(replies).await;
        stage.script.goes_on([reply(&[text("Done.")], "end_turn")]);
        let stage = stage.with("look", Access::ReadOnly, Does::Answer(json!("there")));
        let stage = priced(stage).await;
        stage.app.set_budget(dollars(limit)).await.unwrap();
        let events = stage.run().await;
        assert_eq!(stage.script.asked().len(), steps, "{limit}");
        let stops = steps < 5;
        assert_eq!(stage.runs(), steps.saturating_sub(1), "{limit}");
        let reason = if stops {
            StopReason::Budget
        } else {
            StopReason::EndTurn
        };
        assert_eq!(ended(&events), reason, "{limit}");
        let name = |level: BudgetLevel| serde_json::to_value(level).unwrap();
        let said: Vec<_> = told(&events)
            .into_iter()
            .map(|(level, _, spent)| (name(level).as_str().unwrap().to_owned(), spent))
            .collect();
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(level, spent)| (level.to_owned(), spent))
            .collect();
        assert_eq!(said, expected, "{limit}");
        // Every call has its result, and the last one says that it was not run.
        let results = results(&events);
        let calls = events
            .iter()
            .filter(|event| event.body.name() == "tool_use");
        assert_eq!(results.len(), calls.count(), "{limit}");
        if stops && steps > 0 {
            let (id, failed, words) = results.last().unwrap();
            assert_eq!((id.as_str(), *failed), (&*format!("call{steps}"), true));
            assert_eq!(words, "This call was not run: the budget is spent.");
        }
    }
}

#[tokio::test]
async fn tokens_and_every_scope_stop_a_loop() {
    let rows = [
        (BudgetScope::Everything, BudgetUnit::Tokens, 20.0, 2),
        (BudgetScope::Session, BudgetUnit::Tokens, 26.0, 2),
        (
            BudgetScope::Source { source: None },
            BudgetUnit::Dollars,
            0.01,
            3,
        ),
        (
            BudgetScope::Source {
                source: Some("openai".into()),
            },
            BudgetUnit::Dollars,
            0.01,
            4,
        ),
        (
            BudgetScope::Project { project: None },
            BudgetUnit::Dollars,
            0.01,
            4,
        ),
    ];
    for (scope, unit, limit, steps) in rows {
        let stage = Stage::new(loops(3)).await;
        stage.script.goes_on([reply(&[text("Done.")], "end_turn")]);
        let stage = stage.with("look", Access::ReadOnly, Does::Answer(json!("there")));
        let stage = priced(stage).await;
        let set = budget(scope.clone(), unit, limit);
        stage.app.set_budget(set).await.unwrap();
        stage.run().await;
        assert_eq!(stage.script.asked().len(), steps, "{scope:?} {unit:?}");
    }
}

/// A tool that runs is left to its end, and so is what it came to.
#[tokio::test]
async fn a_budget_does_not_disturb_a_tool() {
    let (go, gate) = watch::channel(false);
    let stage = Stage::new(loops(2)).await;
    let mut stage = priced(stage.with("look", Access::ReadOnly, Does::After(gate))).await;
    let session = stage.start().await;
    stage.until("usage", 1).await;
    stage.app.set_budget(dollars(0.001)).await.unwrap();
    go.send(true).unwrap();
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(stage.script.asked().len(), 1);
    assert_eq!(ended(&events), StopReason::Budget);
    let (_, failed, words) = &results(&events)[0];
    assert!(!failed, "{words}");
    assert_eq!(told(&events)[0].0, BudgetLevel::Spent);
}

/// While one session's step may need what is left, another's waits; what the first used says
/// whether the other begins.
#[tokio::test]
async fn two_sessions_do_not_slip_past_together() {
    // The first step is stopped after ten tokens in and one out: two tenths of a cent.
    for (limit, steps, reason) in [
        (0.002, 1, StopReason::Budget),
        (0.003, 2, StopReason::EndTurn),
    ] {
        let begun = unfinished(&[text("On.")], 10);
        let stage = Stage::new([Reply::Hang(begun)]).await;
        stage.script.goes_on([reply(&[text("Done.")], "end_turn")]);
        let mut stage = priced(stage).await;
        stage.app.set_budget(dollars(limit)).await.unwrap();
        let first = stage.start().await;
        stage.until("message_chunk", 1).await;

        let stopped = stage.start().await;
        stage.app.stop(stopped).await.unwrap();
        assert_eq!(ended(&stage.stored(stopped).await), StopReason::Cancelled);
        assert_eq!(stage.script.asked().len(), 1, "it waited");

        let waiting = stage.start().await;
        stage.app.stop(first).await.unwrap();
        stage.app.wait(waiting).await;
        assert_eq!(ended(&stage.stored(waiting).await), reason, "{limit}");
        assert_eq!(stage.script.asked().len(), steps, "{limit}");
    }
}

/// However many begin at once, what is spent past the limit is one step's worth.
#[tokio::test]
async fn fifty_sessions_pass_a_budget_by_one_step() {
    let replies = (0..50).map(|_| reply(&[text("Yes.")], "end_turn"));
    let stage = priced(Stage::new(replies).await).await;
    stage.app.set_budget(dollars(0.01)).await.unwrap();
    let mut sessions = Vec::new();
    for _ in 0..50 {
        sessions.push(stage.start().await);
    }
    for session in sessions {
        stage.app.wait(session).await;
    }
    let spent = stage.app.store().spent(&Spender::Everybody, None).await;
    let spent = spent.unwrap();
    assert_eq!(stage.script.asked().len(), 3, "{spent:?}");
    assert!((spent.dollars - 0.012).abs() < 1e-9, "{spent:?}");
}

#[tokio::test]
async fn warns_once_for_a_budget_and_its_period() {
    let folder = std::sync::Arc::new(tempfile::tempdir().unwrap());
    let replies = || (0..3).map(|_| reply(&[text("Yes.")], "end_turn"));
    let stage = priced(Stage::in_folder(std::sync::Arc::clone(&folder), replies()).await).await;
    stage.app.set_budget(dollars(0.009)).await.unwrap();
    let mut warnings = Vec::new();
    for _ in 0..2 {
        warnings.extend(told(&stage.run().await));
    }
    let once = [(BudgetLevel::Warning, "everything".to_owned(), 0.008)];
    assert_eq!(warnings, once);
    stage.app.store().close().await;

    // Another Weir, another session: the user knows. With another limit it is news again.
    let stage = Stage::in_folder(folder, replies()).await;
    stage.app.set_budget(dollars(0.0145)).await.unwrap();
    assert_eq!(told(&stage.run().await)[0].0, BudgetLevel::Warning);
    assert_eq!(told(&stage.run().await)[0].0, BudgetLevel::Spent);
}

/// Nothing is sent to a model that a budget of money cannot count before the user agrees, and then
/// nobody asks again in this session.
#[tokio::test]
async fn a_model_without_a_price_is_asked_about_before_its_first_step() {
    let mut stage = Stage::new([]).await;
    stage.app.set_budget(dollars(5.0)).await.unwrap();
    let session = stage.start().await;
    stage.app.wait(session).await;
    assert!(stage.script.asked().is_empty(), "nothing was sent");
    let events = stage.stored(session).await;
    let unpriced = (BudgetLevel::Unpriced, "everything".to_owned(), 0.0);
    assert_eq!(told(&events), std::slice::from_ref(&unpriced));
    assert_eq!(ended(&events), StopReason::Budget);

    // The user's word lets this session go on, and is remembered there.
    stage.script.goes_on(loops(1));
    let done = || [reply(&[text("Done.")], "end_turn")];
    stage.script.goes_on(done());
    stage.raise = Raise::Everything;
    let mut stage = stage.with("look", Access::ReadOnly, Does::Answer(json!("there")));
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    assert_eq!(stage.script.asked().len(), 2);
    let uncounted = (BudgetLevel::Uncounted, "everything".to_owned(), 0.0);
    let events = stage.stored(session).await;
    assert_eq!(told(&events), [unpriced.clone(), uncounted]);
    stage.raise = Raise::default();
    stage.script.goes_on(done());
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    assert_eq!(stage.script.asked().len(), 3);

    // For this session and no other, and for this model and no other.
    let other = stage.start().await;
    stage.app.wait(other).await;
    assert_eq!(told(&stage.stored(other).await), [unpriced]);
    stage.model = "claude-scripted-2";
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    assert_eq!(ended(&stage.stored(session).await), StopReason::Budget);
    assert_eq!(stage.script.asked().len(), 3);

    // Tokens are counted all the same.
    stage.model = "claude-scripted";
    let tokens = budget(BudgetScope::Session, BudgetUnit::Tokens, 40.0);
    stage.app.set_budget(tokens).await.unwrap();
    stage.script.goes_on(done());
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    let last = told(&stage.stored(session).await).pop().unwrap();
    assert_eq!(last, (BudgetLevel::Spent, "this session".to_owned(), 52.0));
}

/// A tier of service without a price is known only after the step that had it.
#[tokio::test]
async fn a_step_whose_cost_turns_out_unknown_is_the_last_before_the_user_agrees() {
    let said = |reply: Reply| {
        let Reply::Say(said) = reply else {
            panic!("a scripted reply is said");
        };
        let tier = "\"usage\":{\"service_tier\":\"priority\",";
        assert!(said.contains("\"usage\":{"), "{said}");
        Reply::Say(said.replacen("\"usage\":{", tier, 1))
    };
    let mut stage = Stage::new(loops(1).into_iter().map(said)).await;
    stage.model = "claude-sonnet-4-5";
    let stage = stage.with("look", Access::ReadOnly, Does::Answer(json!("there")));
    stage.app.set_budget(dollars(5.0)).await.unwrap();
    let events = stage.run().await;
    assert_eq!(stage.script.asked().len(), 1);
    assert_eq!(ended(&events), StopReason::Budget);
    assert_eq!(told(&events)[0].0, BudgetLevel::Unpriced);
}

/// What the confirmation window shows, and what the user's word there is good for.
#[tokio::test]
async fn a_model_of_unknown_price_is_one_more_thing_to_agree_to() {
    let fixture = fixture().await;
    let app = &fixture.app;
    app.set_budget(dollars(5.0)).await.unwrap();
    let source = || "anthropic".to_owned();
    let change = SettingsChange::Source { source: source() };
    app.change(change).await.unwrap();
    for (model, asks) in [("claude-sonnet-5-5", false), ("claude-of-tomorrow", true)] {
        let change = SettingsChange::Model {
            source: source(),
            model: model.into(),
        };
        app.change(change).await.unwrap();
        let spent = app.spent_budgets(None, None).await.unwrap();
        let shown: Vec<_> = spent
            .iter()
            .map(|held| (held.name.as_str(), held.limit.as_str(), held.why.clone()))
            .collect();
        let unpriced = WhyHeld::Unpriced {
            model: "claude-of-tomorrow".into(),
        };
        let expected = [("everything", "$5.00", unpriced)];
        assert_eq!(shown, &expected[..usize::from(asks)], "{model}");
        app.go_over_budget(None, spent);
        let raise = app.raise_for(None, Raise::default());
        assert_eq!(raise.has_unpriced(), asks, "{model}");
        assert!(
            !app.raise_for(None, Raise::default()).has_unpriced(),
            "once"
        );
    }
}

/// The demo costs nothing: no budget of money stops it or asks about it.
#[tokio::test]
async fn what_costs_nothing_needs_no_money() {
    let fixture = fixture().await;
    let app = &fixture.app;
    app.set_budget(dollars(0.0)).await.unwrap();
    let session = app.send(prompt("hello fast")).await.unwrap();
    app.wait(session).await;
    let events = app.store().events_since(session, 0).await.unwrap();
    assert_eq!(ended(&events), StopReason::EndTurn);
    assert_eq!(told(&events), []);
    assert_eq!(app.spent_budgets(Some(session), None).await.unwrap(), []);
    // Unless the user says what it costs.
    let price = ModelPrice {
        model: "weir-demo".into(),
        input: 1.0,
        output: 1.0,
        cache_read: 0.0,
        cache_write: 0.0,
    };
    app.change(SettingsChange::Price { price }).await.unwrap();
    let error = app.send(prompt("hello fast")).await.unwrap_err().body();
    assert_eq!(error.code, code::BUDGET);
}

#[tokio::test]
async fn a_spent_budget_refuses_a_prompt_until_the_user_goes_on_once() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let session = app.send(prompt("hello fast")).await.unwrap();
    app.wait(session).await;
    let spent = app.store().spent(&Spender::Everybody, None).await.unwrap();
    let tokens = spent.tokens as f64;
    let tight = budget(BudgetScope::Everything, BudgetUnit::Tokens, tokens);
    app.set_budget(tight.clone()).await.unwrap();
    let stored = app.store().events_since(session, 0).await.unwrap().len();
    let again = || Prompt {
        session: Some(session),
        ..prompt("again fast")
    };
    let refused = async |prompt: Prompt| {
        let error = app.send(prompt).await.unwrap_err().body();
        assert_eq!(error.code, code::BUDGET);
        error.message
    };
    let expected = format!(
        "The budget for everything is spent: {tokens} tokens of {tokens} tokens. Raise it, or go on this once."
    );
    assert_eq!(refused(again()).await, expected);
    refused(prompt("new fast")).await;
    let events = app.store().events_since(session, 0).await.unwrap();
    assert_eq!(events.len(), stored, "nothing was saved");
    assert_eq!(app.store().sessions().await.unwrap().len(), 1);

    // The word is for one prompt of one session.
    let spent = app.spent_budgets(Some(session), None).await.unwrap();
    assert_eq!(spent.len(), 1);
    assert_eq!(app.spent_budgets(None, None).await.unwrap(), spent);
    app.go_over_budget(Some(session), spent);
    refused(prompt("new fast")).await;
    app.send(again()).await.unwrap();
    app.wait(session).await;
    let events = app.store().events_since(session, 0).await.unwrap();
    assert_eq!(ended(&events), StopReason::EndTurn);
    let raised = [(BudgetLevel::Raised, "everything".to_owned(), tokens)];
    assert_eq!(told(&events), raised);
    refused(again()).await;
    let over = Prompt {
        raise: Raise::Everything,
        ..again()
    };
    app.send(over).await.unwrap();
    app.wait(session).await;

    // A higher limit lets through, a fork has not spent the session's.
    let higher = Budget {
        limit: tokens * 100.0,
        ..tight.clone()
    };
    app.set_budget(higher).await.unwrap();
    app.send(again()).await.unwrap();
    app.wait(session).await;
    let own = budget(BudgetScope::Session, BudgetUnit::Tokens, tokens);
    app.set_budget(own).await.unwrap();
    refused(again()).await;
    let fork = app.fork(session, None).await.unwrap();
    let in_fork = Prompt {
        session: Some(fork.id),
        ..again()
    };
    app.send(in_fork).await.unwrap();
    app.wait(fork.id).await;
    assert!(app.remove_budget(&tight).await.unwrap());
    assert!(!app.remove_budget(&tight).await.unwrap());
}

#[tokio::test]
async fn what_lets_more_through_needs_the_users_word() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let change = |limit| SettingsChange::Budget {
        budget: dollars(limit),
    };
    let remove = || SettingsChange::RemoveBudget {
        budget: dollars(0.0),
    };
    let price = || SettingsChange::ForgetPrice { model: "m".into() };
    let asks = async |change: SettingsChange| app.loosened(&change).await.unwrap().is_some();
    assert!(!asks(change(5.0)).await, "a new limit");
    assert!(!asks(remove()).await, "there is none");
    assert!(!asks(price()).await);
    app.change(change(5.0)).await.unwrap();
    assert!(!asks(change(5.0)).await);
    assert!(!asks(change(4.0)).await, "lower");
    assert!(asks(change(5.01)).await, "higher");
    assert!(asks(remove()).await);
    assert!(asks(price()).await, "money is counted at the user's prices");
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(app.change(change(wrong)).await.is_err(), "{wrong}");
    }
    let nobody = BudgetScope::Source {
        source: Some("nobody".into()),
    };
    let nobody = budget(nobody, BudgetUnit::Tokens, 1.0);
    assert!(app.set_budget(nobody).await.is_err());
}

/// Perplexity searches for every prompt, and what a search costs no count of tokens says.
#[tokio::test]
async fn a_provider_that_charges_for_its_own_tools_is_asked_about() {
    let fixture = fixture().await;
    let app = &fixture.app;
    app.set_budget(dollars(5.0)).await.unwrap();
    let source = "perplexity".to_owned();
    app.change(SettingsChange::Source { source }).await.unwrap();
    let spent = app.spent_budgets(None, None).await.unwrap();
    let why: Vec<WhyHeld> = spent.iter().map(|held| held.why.clone()).collect();
    let model = "perplexity/sonar".to_owned();
    assert_eq!(why, [WhyHeld::OwnTools { model }]);
    app.go_over_budget(None, spent);
    assert!(app.raise_for(None, Raise::default()).has_unpriced());
}
