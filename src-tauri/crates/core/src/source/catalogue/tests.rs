use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::Value;
use weir_protocol::Usage;

use super::*;
use crate::source::{Location, SOURCES};

/// The cloud sources whose users bring their own server, and the demo, which asks nobody.
const WITHOUT_MODELS: [&str; 2] = ["demo", "openai-compatible"];

#[test]
#[expect(clippy::print_stdout, reason = "the figures are the result")]
fn every_default_model_of_every_cloud_source_has_its_figures() {
    let mut checked = 0;
    for source in SOURCES {
        if source.location != Location::Cloud || WITHOUT_MODELS.contains(&source.name) {
            continue;
        }
        for name in source.models {
            let model = model(source.name, name);
            let model = model.unwrap_or_else(|| panic!("{} {name} is unknown", source.name));
            assert!(price(source.name, name).is_some(), "{name}: price");
            assert!(model.context.is_some(), "{name}: context");
            assert!(model.max_output.is_some(), "{name}: output limit");
            assert!(model.accepts(Modality::Text), "{name}: modalities");
            checked += 1;
        }
    }
    assert!(checked >= 30, "only {checked} models");
    println!("{checked} default models, all with price, context, output limit and modalities");
}

#[test]
fn the_file_is_ordered_without_repeats_and_says_where_it_is_from() {
    let text = include_str!("models.json");
    let file: Value = serde_json::from_str(text).unwrap();
    assert!(
        file["date"].as_str().unwrap() >= "2026-11-18",
        "{}",
        file["date"]
    );
    assert!(file["origin"].as_str().unwrap().contains("litellm"));
    let file: File = serde_json::from_str(text).unwrap();
    let keys: Vec<_> = file
        .models
        .iter()
        .map(|model| (model.source.clone(), model.model.clone()))
        .collect();
    assert!(keys.is_sorted(), "it is written in the order of names");
    let lower: HashSet<_> = keys
        .iter()
        .map(|(source, model)| (source, model.to_lowercase()))
        .collect();
    assert_eq!(lower.len(), keys.len(), "a name is listed once");
    assert!(keys.len() < 500, "{} models are no small table", keys.len());
    for model in &file.models {
        assert!(
            model.modalities.contains(&Modality::Text),
            "{}",
            model.model
        );
        assert!(model.efforts.is_sorted(), "{}", model.model);
    }
}

/// What is known better stands in the file, until somebody writes it anew without.
#[test]
fn every_override_has_a_reason_and_is_applied() {
    fn contains(whole: &Value, part: &Value) -> bool {
        match (whole, part) {
            (Value::Object(whole), Value::Object(part)) => part
                .iter()
                .all(|(key, value)| whole.get(key).is_some_and(|own| contains(own, value))),
            (whole, part) => whole == part,
        }
    }
    let file: Value = serde_json::from_str(include_str!("models.json")).unwrap();
    let overrides: Value = serde_json::from_str(include_str!("overrides.json")).unwrap();
    let models = file["models"].as_array().unwrap();
    for row in overrides["overrides"].as_array().unwrap() {
        assert!(
            row["reason"].as_str().is_some_and(|it| it.len() > 20),
            "{row}"
        );
        for name in row["models"].as_array().unwrap() {
            let found = models
                .iter()
                .find(|model| model["source"] == row["source"] && model["model"] == *name);
            let found = found.unwrap_or_else(|| panic!("{name} is not in models.json"));
            assert!(contains(found, &row["set"]), "{name}: {found}");
        }
    }
}

#[test]
fn models_are_found_by_all_their_names() {
    let listed = |source: &str, name: &str| {
        let found = model(source, name)?;
        Some(format!("{} {}", found.source, found.model))
    };
    let cases = [
        (
            "anthropic",
            "claude-sonnet-4-5",
            Some("anthropic claude-sonnet-4-5"),
        ),
        (
            "anthropic",
            "claude-sonnet-4-5-20250929",
            Some("anthropic claude-sonnet-4-5"),
        ),
        ("anthropic", "claude-sonnet-4-59", None),
        ("anthropic", "claude-of-tomorrow", None),
        ("openai", "gpt-5-mini-2025-08-07", Some("openai gpt-5-mini")),
        ("openai-chat", "gpt-6.1-sol", Some("openai gpt-6.1-sol")),
        (
            "openai",
            "gpt-4o-2024-05-13",
            Some("openai gpt-4o-2024-05-13"),
        ),
        (
            "gemini",
            "models/gemini-3.8-flash",
            Some("gemini gemini-3.8-flash"),
        ),
        (
            "mistral",
            "mistral-medium-latest",
            Some("mistral mistral-medium"),
        ),
        (
            "openrouter",
            "openai/gpt-6.1-terra",
            Some("openrouter openai/gpt-6.1-terra"),
        ),
        (
            "openrouter",
            "openai/gpt-6.1-terra:nitro",
            Some("openrouter openai/gpt-6.1-terra"),
        ),
        ("openrouter", "gpt-6.1-terra", None),
        (
            "bedrock",
            "anthropic.claude-sonnet-5-5",
            Some("bedrock anthropic.claude-sonnet-5-5"),
        ),
        (
            "bedrock",
            "us.anthropic.claude-sonnet-5-5",
            Some("bedrock us.anthropic.claude-sonnet-5-5"),
        ),
        (
            "bedrock",
            "eu.anthropic.claude-sonnet-5-5",
            Some("bedrock us.anthropic.claude-sonnet-5-5"),
        ),
        (
            "bedrock",
            "global.anthropic.claude-sonnet-5-5",
            Some("bedrock anthropic.claude-sonnet-5-5"),
        ),
        (
            "bedrock",
            "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-5-5",
            Some("bedrock anthropic.claude-sonnet-5-5"),
        ),
        (
            "vertex",
            "claude-sonnet-5-5@20260901",
            Some("vertex claude-sonnet-5-5"),
        ),
        (
            "vertex",
            "publishers/google/models/gemini-4-argon",
            Some("gemini gemini-4-argon"),
        ),
        (
            "azure-openai",
            "gpt-6.1-sol-2026-09-29",
            Some("openai gpt-6.1-sol"),
        ),
        (
            "fireworks",
            "kimi-k3",
            Some("fireworks accounts/fireworks/models/kimi-k3"),
        ),
        (
            "together",
            "moonshotai/kimi-k3",
            Some("together moonshotai/Kimi-K3"),
        ),
        // A name on a server of the user's own may mean anything.
        ("ollama", "gpt-5", None),
        ("openai-compatible", "gpt-5", None),
        ("anthropic", "", None),
        ("anthropic", "é-20250929", None),
    ];
    for (source, name, expected) in cases {
        assert_eq!(listed(source, name).as_deref(), expected, "{source} {name}");
    }
}

#[test]
fn a_variant_of_another_price_has_none() {
    assert!(price("openrouter", "openai/gpt-6.1-terra").is_some());
    assert!(price("openrouter", "openai/gpt-6.1-terra:nitro").is_none());
    let now: Timestamp = "2026-11-18T12:00:00Z".parse().unwrap();
    let free = price("openrouter", "qwen/anything:free").unwrap();
    let usage = Usage {
        input_tokens: 1_000_000,
        output_tokens: 1_000_000,
        ..Usage::default()
    };
    assert_eq!(free.cost(&usage, now), 0.0);
}

#[test]
fn prices_follow_the_length_the_day_and_the_hour() {
    let rates = |source: &str, name: &str, prompt: u64, when: &str| {
        let now: Timestamp = when.parse().unwrap();
        let rates = price(source, name).unwrap().rates_at(prompt, now);
        (rates.input, rates.output)
    };
    let noon = "2026-11-18T12:00:00Z";
    let cases = [
        ("anthropic", "claude-haiku-5-5", 100_000, noon, (0.1, 0.5)),
        ("anthropic", "claude-haiku-5-5", 100_001, noon, (0.5, 2.5)),
        ("xai", "grok-4.7", 199_999, noon, (2.0, 6.0)),
        ("xai", "grok-4.7", 200_000, noon, (4.0, 12.0)),
        (
            "gemini",
            "gemini-4-argon",
            1,
            "2026-11-30T23:59:59Z",
            (2.0, 10.0),
        ),
        (
            "gemini",
            "gemini-4-argon",
            1,
            "2026-12-01T00:00:00Z",
            (4.0, 20.0),
        ),
        (
            "gemini",
            "gemini-4-carbon",
            1,
            "2027-03-01T00:00:00Z",
            (4.0, 20.0),
        ),
        // DeepSeek's busy hours are 1 to 4 and 6 to 10 of a working day in UTC.
        ("deepseek", "deepseek-v4-pro", 1, noon, (0.66, 1.98)),
        (
            "deepseek",
            "deepseek-v4-pro",
            1,
            "2026-11-18T00:59:59Z",
            (0.66, 1.98),
        ),
        (
            "deepseek",
            "deepseek-v4-pro",
            1,
            "2026-11-18T01:00:00Z",
            (1.32, 3.96),
        ),
        (
            "deepseek",
            "deepseek-v4-pro",
            1,
            "2026-11-18T05:00:00Z",
            (0.66, 1.98),
        ),
        (
            "deepseek",
            "deepseek-v4-pro",
            1,
            "2026-11-18T09:59:59Z",
            (1.32, 3.96),
        ),
        (
            "deepseek",
            "deepseek-v4-pro",
            1,
            "2026-11-21T09:00:00Z",
            (0.66, 1.98),
        ),
        (
            "deepseek",
            "deepseek-v4-pro",
            1,
            "2026-11-20T23:59:59Z",
            (0.66, 1.98),
        ),
    ];
    for (source, name, prompt, when, expected) in cases {
        assert_eq!(
            rates(source, name, prompt, when),
            expected,
            "{name} {prompt} {when}"
        );
    }
}

#[test]
fn models_say_what_they_accept() {
    let cases = [
        (
            "anthropic",
            "claude-sonnet-5-5",
            true,
            &["low", "medium", "high", "xhigh", "max"][..],
        ),
        ("anthropic", "claude-sonnet-4-5", true, &[]),
        (
            "deepseek",
            "deepseek-v4-pro",
            false,
            &["low", "high", "max"],
        ),
        (
            "groq",
            "openai/gpt-oss-120b",
            false,
            &["low", "medium", "high"],
        ),
        ("mistral", "mistral-medium-latest", true, &["none", "high"]),
        (
            "openai",
            "gpt-5",
            true,
            &["minimal", "low", "medium", "high"],
        ),
    ];
    for (source, name, images, efforts) in cases {
        let model = model(source, name).unwrap();
        assert_eq!(model.accepts_images(), images, "{name}");
        let own: Vec<&str> = model.efforts.iter().map(|effort| effort.as_str()).collect();
        assert_eq!(own, efforts, "{name}");
    }
}
