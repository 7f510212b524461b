//! Keys of those who serve models.

use crate::guard::rule::{Finder, Rule};
use Finder::{Named, Shapes};

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "anthropic-key",
        "ANTHROPIC_KEY",
        "A key of Anthropic's.",
        Shapes(&["sk-ant-{w:32..}"]),
    ),
    Rule::secret(
        "openrouter-key",
        "OPENROUTER_KEY",
        "A key of OpenRouter's.",
        Shapes(&["sk-or-v1-{h:48..80}", "sk-or-{w:32..}"]),
    ),
    Rule::secret(
        "openai-key",
        "OPENAI_KEY",
        "A key of OpenAI's, or of a server that speaks like it.",
        Shapes(&[
            "sk-proj-{w:20..}",
            "sk-svcacct-{w:20..}",
            "sk-admin-{w:20..}",
            "sk-None-{w:20..}",
            "sess-{a:40}",
            "sk-{a:40..}",
        ]),
    ),
    Rule::secret(
        "deepseek-key",
        "DEEPSEEK_KEY",
        "A key of DeepSeek's, or of one that looks the same.",
        Shapes(&["sk-{a:20..39}"]),
    ),
    Rule::secret(
        "google-key",
        "GOOGLE_KEY",
        "A key for Gemini or another interface of Google's.",
        Shapes(&["AIza{w:35}", "AQ.Ab8{w:40..}"]),
    ),
    Rule::secret(
        "groq-key",
        "GROQ_KEY",
        "A key of Groq's.",
        Shapes(&["gsk_{a:40..64}"]),
    ),
    Rule::secret(
        "xai-key",
        "XAI_KEY",
        "A key of xAI's.",
        Shapes(&["xai-{a:60..100}"]),
    ),
    Rule::secret(
        "mistral-key",
        "MISTRAL_KEY",
        "A key of Mistral's, beside its name.",
        Named {
            names: &["mistral"],
            shapes: &["{a:32}"],
        },
    ),
    Rule::secret(
        "cohere-key",
        "COHERE_KEY",
        "A key of Cohere's, beside its name.",
        Named {
            names: &["cohere", "co_api_key"],
            shapes: &["{a:40}"],
        },
    ),
    Rule::secret(
        "huggingface-token",
        "HUGGINGFACE_TOKEN",
        "A token of Hugging Face's.",
        Shapes(&["hf_{a:30..40}", "api_org_{a:34}"]),
    ),
    Rule::secret(
        "replicate-token",
        "REPLICATE_TOKEN",
        "A token of Replicate's.",
        Shapes(&["r8_{a:37..40}"]),
    ),
    Rule::secret(
        "perplexity-key",
        "PERPLEXITY_KEY",
        "A key of Perplexity's.",
        Shapes(&["pplx-{a:40..64}"]),
    ),
    Rule::secret(
        "fireworks-key",
        "FIREWORKS_KEY",
        "A key of Fireworks'.",
        Shapes(&["fw_{a:22..40}"]),
    ),
    Rule::secret(
        "together-key",
        "TOGETHER_KEY",
        "A key of Together's.",
        Named {
            names: &["together"],
            shapes: &["{h:64}", "tgp_v1_{w:40..50}"],
        },
    ),
    Rule::secret(
        "together-token",
        "TOGETHER_KEY",
        "A newer key of Together's.",
        Shapes(&["tgp_v1_{w:40..50}"]),
    ),
    Rule::secret(
        "nvidia-key",
        "NVIDIA_KEY",
        "A key of NVIDIA's.",
        Shapes(&["nvapi-{w:60..72}"]),
    ),
    Rule::secret(
        "cerebras-key",
        "CEREBRAS_KEY",
        "A key of Cerebras'.",
        Shapes(&["csk-{l:48..52}"]),
    ),
    Rule::secret(
        "langsmith-key",
        "LANGSMITH_KEY",
        "A key of LangSmith's.",
        Shapes(&["lsv2_pt_{h:32}_{h:10}", "lsv2_sk_{h:32}_{h:10}"]),
    ),
    Rule::secret(
        "elevenlabs-key",
        "ELEVENLABS_KEY",
        "A key of ElevenLabs'.",
        Shapes(&["sk_{h:48}"]),
    ),
    Rule::secret(
        "tavily-key",
        "TAVILY_KEY",
        "A key of Tavily's.",
        Shapes(&["tvly-{a:32}", "tvly-dev-{a:32}", "tvly-prod-{a:32}"]),
    ),
    Rule::secret(
        "pinecone-key",
        "PINECONE_KEY",
        "A key of Pinecone's.",
        Shapes(&["pcsk_{w:60..80}"]),
    ),
    Rule::secret(
        "voice-key",
        "SPEECH_KEY",
        "A key of Deepgram's or AssemblyAI's, beside its name.",
        Named {
            names: &["deepgram", "assemblyai", "assembly_ai"],
            shapes: &["{h:40}", "{h:32}"],
        },
    ),
    Rule::secret(
        "wandb-key",
        "WANDB_KEY",
        "A key of Weights & Biases', beside its name.",
        Named {
            names: &["wandb"],
            shapes: &["{h:40}"],
        },
    ),
    Rule::secret(
        "langfuse-key",
        "LANGFUSE_KEY",
        "A secret key of Langfuse's.",
        Shapes(&["sk-lf-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}"]),
    ),
    Rule::secret(
        "langsmith-old-key",
        "LANGSMITH_KEY",
        "An older key of LangSmith's.",
        Shapes(&["ls__{h:32}"]),
    ),
    Rule::secret(
        "voyage-key",
        "VOYAGE_KEY",
        "A key of Voyage's.",
        Shapes(&["pa-{w:40..48}"]),
    ),
    Rule::secret(
        "jina-key",
        "JINA_KEY",
        "A key of Jina's.",
        Shapes(&["jina_{w:50..70}"]),
    ),
    Rule::secret(
        "runpod-key",
        "RUNPOD_KEY",
        "A key of RunPod's.",
        Shapes(&["rpa_{a:36..60}"]),
    ),
    Rule::secret(
        "firecrawl-key",
        "FIRECRAWL_KEY",
        "A key of Firecrawl's.",
        Shapes(&["fc-{h:32}"]),
    ),
    Rule::secret(
        "anyscale-key",
        "ANYSCALE_KEY",
        "A key of Anyscale's.",
        Shapes(&["esecret_{l:20..40}"]),
    ),
    Rule::secret(
        "translation-key",
        "TRANSLATION_KEY",
        "A key of DeepL's, Clarifai's or Private AI's, beside its name.",
        Named {
            names: &["deepl", "clarifai", "privateai", "private_ai", "private-ai"],
            shapes: &[
                "{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
                "{h:8}-{h:4}-{h:4}-{h:4}-{h:12}:fx",
                "{l:32}",
            ],
        },
    ),
];
