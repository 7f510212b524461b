//! Who speaks chat completions: a row each of where it is, which key it wants, which models to
//! offer, and how it differs.

use weir_protocol::ProviderTool;

use super::mapper::DIALECT;
use super::{AskThinking, AskUsage, CacheHint, CallIds, ChatCompletions, OwnTools, Wire};
use crate::source::effort;
use crate::source::{KeyNeed, Location, Offers, Source};

pub(crate) const OPENAI_URL: &str = "https://api.openai.com/v1";
pub(crate) const OPENAI_MODELS: &[&str] =
    &["gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-luna", "gpt-6-astra"];

pub(crate) static OPENAI: Source = Source {
    name: "openai-chat",
    label: "OpenAI, chat completions",
    // The first takes tools in this API; those that do not are asked by the Responses API then.
    models: &["gpt-6.1-terra", "gpt-6.1-sol", "gpt-6-luna", "gpt-6-astra"],
    // An account of its own: its address may be another than that of `openai`.
    key: KeyNeed::Wanted {
        account: "openai-chat",
        variable: "OPENAI_API_KEY",
    },
    api: &ChatCompletions {
        thinking: AskThinking::Effort,
        usage: AskUsage::Option,
        cache: CacheHint::Key,
        wire: Wire::OPENAI,
    },
    ..cloud(OPENAI_URL)
};

pub(crate) static OPENROUTER: Source = Source {
    name: "openrouter",
    label: "OpenRouter",
    models: &[
        "openai/gpt-6.1-terra",
        "openai/gpt-6-luna",
        "mistralai/mistral-medium-3-5",
        "qwen/qwen3.8-27b",
    ],
    key: KeyNeed::Wanted {
        account: "openrouter",
        variable: "OPENROUTER_API_KEY",
    },
    offers: Offers {
        tools: &[ProviderTool::WebSearch],
        schema: true,
    },
    api: &ChatCompletions {
        thinking: AskThinking::Reasoning,
        usage: AskUsage::Option,
        cache: CacheHint::Breakpoints,
        wire: Wire {
            own_tools: OwnTools::Plugins,
            ..Wire::PLAIN
        },
    },
    ..cloud("https://openrouter.ai/api/v1")
};

pub(crate) static DEEPSEEK: Source = Source {
    name: "deepseek",
    label: "DeepSeek",
    models: &["deepseek-flash", "deepseek-v4-pro"],
    key: KeyNeed::Wanted {
        account: "deepseek",
        variable: "DEEPSEEK_API_KEY",
    },
    offers: Offers::NOTHING,
    api: &ChatCompletions {
        thinking: AskThinking::Switch,
        usage: AskUsage::Option,
        cache: CacheHint::None,
        wire: Wire::PLAIN,
    },
    ..cloud("https://api.deepseek.com/v1")
};

pub(crate) static GROQ: Source = Source {
    name: "groq",
    label: "Groq",
    models: &[
        "openai/gpt-oss-120b",
        "openai/gpt-oss-20b",
        "qwen/qwen3.8-27b",
    ],
    key: KeyNeed::Wanted {
        account: "groq",
        variable: "GROQ_API_KEY",
    },
    offers: Offers {
        tools: &[ProviderTool::WebSearch, ProviderTool::CodeExecution],
        schema: true,
    },
    api: &ChatCompletions {
        thinking: AskThinking::Rows(effort::GROQ),
        usage: AskUsage::Option,
        cache: CacheHint::None,
        wire: Wire {
            own_tools: OwnTools::Types,
            ..Wire::OPENAI
        },
    },
    ..cloud("https://api.groq.com/openai/v1")
};

pub(crate) static MISTRAL: Source = Source {
    name: "mistral",
    label: "Mistral",
    models: &[
        "mistral-medium-latest",
        "mistral-small-latest",
        "codestral-latest",
    ],
    key: KeyNeed::Wanted {
        account: "mistral",
        variable: "MISTRAL_API_KEY",
    },
    api: &ChatCompletions {
        thinking: AskThinking::Rows(effort::MISTRAL),
        usage: AskUsage::Unasked,
        cache: CacheHint::Key,
        wire: Wire {
            call_ids: CallIds::Nine,
            ..Wire::PLAIN
        },
    },
    ..cloud("https://api.mistral.ai/v1")
};

pub(crate) static XAI: Source = Source {
    name: "xai",
    label: "xAI",
    models: &["grok-4.7", "grok-4.6", "grok-4.3"],
    key: KeyNeed::Wanted {
        account: "xai",
        variable: "XAI_API_KEY",
    },
    api: &ChatCompletions {
        thinking: AskThinking::Rows(effort::XAI),
        usage: AskUsage::Option,
        cache: CacheHint::None,
        wire: Wire::OPENAI,
    },
    ..cloud("https://api.x.ai/v1")
};

pub(crate) static CEREBRAS: Source = Source {
    name: "cerebras",
    label: "Cerebras",
    models: &["gpt-oss-120b", "qwen-3.8-27b", "gemma-4-31b"],
    key: KeyNeed::Wanted {
        account: "cerebras",
        variable: "CEREBRAS_API_KEY",
    },
    api: &open_weights("cerebras"),
    ..cloud("https://api.cerebras.ai/v1")
};

pub(crate) static TOGETHER: Source = Source {
    name: "together",
    label: "Together AI",
    models: &[
        "moonshotai/Kimi-K3",
        "zai-org/GLM-5.3",
        "deepseek-ai/DeepSeek-V4.1-Flash-1017",
        "openai/gpt-oss-120b",
    ],
    key: KeyNeed::Wanted {
        account: "together",
        variable: "TOGETHER_API_KEY",
    },
    api: &open_weights("together"),
    ..cloud("https://api.together.xyz/v1")
};

pub(crate) static FIREWORKS: Source = Source {
    name: "fireworks",
    label: "Fireworks AI",
    models: &[
        "accounts/fireworks/models/glm-5p3",
        "accounts/fireworks/models/deepseek-v4p1-flash",
        "accounts/fireworks/models/kimi-k3",
        "accounts/fireworks/models/glm-5p3-flash",
    ],
    key: KeyNeed::Wanted {
        account: "fireworks",
        variable: "FIREWORKS_API_KEY",
    },
    api: &open_weights("fireworks"),
    ..cloud("https://api.fireworks.ai/inference/v1")
};

pub(crate) static MOONSHOT: Source = Source {
    name: "moonshot",
    label: "Moonshot (Kimi)",
    models: &["kimi-k3", "kimi-k3.1-pro", "kimi-k2.7-code", "kimi-k2.6"],
    key: KeyNeed::Wanted {
        account: "moonshot",
        variable: "MOONSHOT_API_KEY",
    },
    offers: Offers::NOTHING,
    api: &ChatCompletions {
        thinking: AskThinking::Kimi,
        usage: AskUsage::Option,
        cache: CacheHint::None,
        wire: Wire {
            max_tokens: "max_completion_tokens",
            ..Wire::PLAIN
        },
    },
    ..cloud("https://api.moonshot.ai/v1")
};

pub(crate) static ZAI: Source = Source {
    name: "zai",
    label: "Z.ai",
    models: &["glm-5.3", "glm-5.3-flash", "glm-5.1", "glm-4.7"],
    key: KeyNeed::Wanted {
        account: "zai",
        variable: "ZAI_API_KEY",
    },
    offers: Offers {
        tools: &[ProviderTool::WebSearch],
        schema: false,
    },
    api: &ChatCompletions {
        thinking: AskThinking::Glm,
        usage: AskUsage::Option,
        cache: CacheHint::None,
        wire: Wire {
            own_tools: OwnTools::SearchTool,
            ..Wire::PLAIN
        },
    },
    ..cloud("https://api.z.ai/api/paas/v4")
};

/// Alibaba's Model Studio outside of mainland China, in its mode that speaks chat completions.
pub(crate) static QWEN: Source = Source {
    name: "qwen",
    label: "Qwen",
    models: &["qwen3.8-max", "qwen3.8-flash", "qwen3.7-max"],
    key: KeyNeed::Wanted {
        account: "qwen",
        variable: "DASHSCOPE_API_KEY",
    },
    offers: Offers {
        tools: &[ProviderTool::WebSearch],
        schema: true,
    },
    api: &ChatCompletions {
        thinking: AskThinking::Enable,
        usage: AskUsage::Option,
        cache: CacheHint::None,
        wire: Wire {
            own_tools: OwnTools::SearchField,
            ..Wire::PLAIN
        },
    },
    ..cloud("https://dashscope-intl.aliyuncs.com/compatible-mode/v1")
};

pub(crate) static LM_STUDIO: Source = Source {
    name: "lmstudio",
    label: "LM Studio",
    key: KeyNeed::Optional {
        account: "lmstudio",
        variable: "LMSTUDIO_API_KEY",
    },
    api: &ChatCompletions {
        thinking: AskThinking::OffWord,
        usage: AskUsage::Option,
        cache: CacheHint::None,
        wire: Wire::PLAIN,
    },
    ..here("http://127.0.0.1:1234/v1")
};

pub(crate) static LLAMA_CPP: Source = Source {
    name: "llamacpp",
    label: "llama.cpp",
    key: KeyNeed::Optional {
        account: "llamacpp",
        variable: "LLAMA_API_KEY",
    },
    api: &TEMPLATED,
    ..here("http://127.0.0.1:8080/v1")
};

pub(crate) static VLLM: Source = Source {
    name: "vllm",
    label: "vLLM",
    key: KeyNeed::Optional {
        account: "vllm",
        variable: "VLLM_API_KEY",
    },
    api: &TEMPLATED,
    ..here("http://127.0.0.1:8000/v1")
};

/// Any other server: the user names its address.
pub(crate) static COMPATIBLE: Source = Source {
    name: "openai-compatible",
    label: "Another server",
    key: KeyNeed::Optional {
        account: "openai-compatible",
        variable: "OPENAI_COMPATIBLE_API_KEY",
    },
    location: Location::Cloud,
    ..here("http://127.0.0.1:4000/v1")
};

static PLAIN: ChatCompletions = ChatCompletions {
    thinking: AskThinking::Never,
    usage: AskUsage::Option,
    cache: CacheHint::None,
    wire: Wire::PLAIN,
};

/// Hosts of open models: an effort only for those whose words for it are known.
const fn open_weights(source: &'static str) -> ChatCompletions {
    ChatCompletions {
        thinking: AskThinking::Listed(source),
        usage: AskUsage::Option,
        cache: CacheHint::None,
        wire: Wire::PLAIN,
    }
}

static TEMPLATED: ChatCompletions = ChatCompletions {
    thinking: AskThinking::Template,
    usage: AskUsage::Option,
    cache: CacheHint::None,
    wire: Wire::PLAIN,
};

/// What a row is unless it says otherwise.
const fn cloud(base_url: &'static str) -> Source {
    Source {
        name: "",
        label: "",
        dialect: &DIALECT,
        models: &[],
        base_url,
        location: Location::Cloud,
        key: KeyNeed::None,
        offers: Offers::SCHEMA,
        api: &PLAIN,
    }
}

/// A server on this machine; its models are whatever it has loaded.
const fn here(base_url: &'static str) -> Source {
    Source {
        location: Location::Here,
        ..cloud(base_url)
    }
}
