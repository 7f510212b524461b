//! The names under which a model may be asked for, and the one under which it is listed.

/// The sources that are listed, and where else each one's models are looked for.
const LISTED: &[(&str, &[&str])] = &[
    ("anthropic", &["anthropic"]),
    ("azure-openai", &["azure-openai", "openai"]),
    ("bedrock", &["bedrock"]),
    ("cerebras", &["cerebras"]),
    ("deepseek", &["deepseek"]),
    ("fireworks", &["fireworks"]),
    ("gemini", &["gemini"]),
    ("groq", &["groq"]),
    ("mistral", &["mistral"]),
    ("moonshot", &["moonshot"]),
    ("openai", &["openai"]),
    ("openai-chat", &["openai"]),
    ("openrouter", &["openrouter"]),
    ("perplexity", &["perplexity"]),
    ("qwen", &["qwen"]),
    ("together", &["together"]),
    ("vertex", &["vertex", "gemini"]),
    ("vertex-claude", &["vertex", "anthropic"]),
    ("xai", &["xai"]),
    ("zai", &["zai"]),
];

/// Where Bedrock keeps a request: a profile of one of these costs what that of the US does, unless
/// it is listed itself.
const REGIONS: [&str; 5] = ["eu", "apac", "jp", "au", "ca"];

/// Every spelling to look for, the most exact first.
pub(super) fn candidates(source: &str, name: &str) -> Vec<(&'static str, String)> {
    let mut found = exact_candidates(source, name);
    if source == "openrouter"
        && let Some((plain, _variant)) = name.split_once(':')
    {
        found.extend(exact_candidates(source, plain));
    }
    found
}

/// Those that cost the same.
pub(super) fn exact_candidates(source: &str, name: &str) -> Vec<(&'static str, String)> {
    let Some((_, sections)) = LISTED.iter().find(|(listed, _)| *listed == source) else {
        return Vec::new();
    };
    let name = name.trim().to_lowercase();
    let mut spelled = vec![name.clone()];
    match source {
        // `models/…`, `publishers/google/models/…`, the ARN of a foundation model or a profile.
        "gemini" | "vertex" | "bedrock" => {
            if let Some((_, last)) = name.rsplit_once('/') {
                spelled.push(last.to_owned());
            }
        }
        "fireworks" if !name.contains('/') => {
            spelled.push(format!("accounts/fireworks/models/{name}"));
        }
        _ => {}
    }
    if source == "bedrock" {
        let regional: Vec<String> = spelled
            .iter()
            .flat_map(|name| other_regions(name))
            .collect();
        spelled.extend(regional);
    }
    let undated: Vec<String> = spelled.iter().filter_map(|name| undated(name)).collect();
    spelled.extend(undated);
    let in_section = |section: &&'static str| {
        let section = *section;
        spelled.iter().map(move |name| (section, name.clone()))
    };
    sections.iter().flat_map(in_section).collect()
}

/// OpenRouter gives some models away under a name of their own.
pub(super) fn is_free(source: &str, name: &str) -> bool {
    source == "openrouter" && name.trim().ends_with(":free")
}

fn other_regions(name: &str) -> Vec<String> {
    match name.split_once('.') {
        Some((region, rest)) if REGIONS.contains(&region) => {
            vec![format!("us.{rest}"), rest.to_owned()]
        }
        Some(("us" | "global", rest)) => vec![rest.to_owned()],
        Some(_) | None => Vec::new(),
    }
}

/// Without the date, or the word or version that stands for one.
fn undated(name: &str) -> Option<String> {
    // `claude-sonnet-5-5@20260901` is how Vertex dates, `-v1:0` how Bedrock counts.
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    let name = match name.rsplit_once("-v") {
        Some((plain, version)) if is_version(version) => plain,
        Some(_) | None => name,
    };
    let plain = name.strip_suffix("-latest").or_else(|| {
        let at = [9, 11].into_iter().find_map(|length| {
            let at = name.len().checked_sub(length)?;
            is_date(name.get(at..)?).then_some(at)
        });
        name.get(..at?)
    });
    Some(plain.unwrap_or(name).to_owned())
}

fn is_version(version: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|it| it.is_ascii_digit());
    version.split(':').all(is_number)
}

/// Whether `model` is `name`, perhaps with a date: `-20250929` or `-2025-09-29`.
pub(crate) fn is_dated(model: &str, name: &str) -> bool {
    match model.strip_prefix(name) {
        Some("" | "-latest") => true,
        Some(rest) => is_date(rest),
        None => false,
    }
}

fn is_date(rest: &str) -> bool {
    let digits = rest.replace('-', "");
    rest.starts_with("-20")
        && digits.len() == 8
        && matches!(rest.len(), 9 | 11)
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}
