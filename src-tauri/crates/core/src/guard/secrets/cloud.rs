//! Keys of clouds, hosts and databases.

use std::ops::Range;

use super::value;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;
use Finder::{Anchored, Named, Shapes};

const UUID: &str = "{h:8}-{h:4}-{h:4}-{h:4}-{h:12}";

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "aws-access-key",
        "AWS_ACCESS_KEY",
        "The name of an AWS key.",
        Shapes(&["AKIA{u:16}", "ASIA{u:16}", "ABIA{u:16}", "ACCA{u:16}"]),
    ),
    Rule::secret(
        "aws-secret-key",
        "AWS_SECRET_KEY",
        "A secret key of AWS's, beside its name.",
        Named {
            names: &[
                "aws_secret_access_key",
                "secret_access_key",
                "secretaccesskey",
                "secret access key",
                "aws_secret_key",
                "aws_secret",
                "awssecret",
                "aws secret",
                "secret_key",
                "secretkey",
                "aws_key",
                "aws",
            ],
            shapes: &["{b:40}"],
        },
    )
    .leads(&[("aws", 5), ("secret", 6)]),
    Rule::secret(
        "aws-session-token",
        "AWS_SESSION_TOKEN",
        "A session token of AWS's.",
        Named {
            names: &[
                "session_token",
                "sessiontoken",
                "security_token",
                "securitytoken",
                "security-token",
            ],
            shapes: &["{b:100..2048}"],
        },
    ),
    Rule::secret(
        "aws-bedrock-key",
        "AWS_BEDROCK_KEY",
        "A key for models at AWS.",
        Shapes(&["ABSK{b:100..2048}", "bedrock-api-key-{b:100..2048}"]),
    ),
    Rule::secret(
        "azure-storage-key",
        "AZURE_KEY",
        "The key in an Azure connection string.",
        Anchored {
            anchors: &["accountkey=", "sharedaccesskey="],
            find: azure_key,
        },
    ),
    Rule::secret(
        "azure-sas",
        "AZURE_SAS",
        "The signature of an Azure link.",
        Anchored {
            anchors: &["sig="],
            find: azure_signature,
        },
    ),
    Rule::secret(
        "azure-client-secret",
        "AZURE_SECRET",
        "A client secret of Azure's.",
        Anchored {
            anchors: &["q~"],
            find: azure_secret,
        },
    ),
    Rule::secret(
        "azure-key",
        "AZURE_KEY",
        "A key of an Azure service, beside its name.",
        Named {
            names: &[
                "azure",
                "ado_",
                "subscription-key",
                "subscription_key",
                "cognitive",
            ],
            shapes: &["{h:32}", "{l:52}", "{a:84}"],
        },
    )
    .leads(&[("pat", 3)]),
    Rule::secret(
        "azure-devops-token",
        "AZURE_TOKEN",
        "A token of Azure DevOps'.",
        Anchored {
            anchors: &["azdo"],
            find: azure_devops,
        },
    ),
    Rule::secret(
        "azure-function-key",
        "AZURE_KEY",
        "The key in the address of an Azure function.",
        Anchored {
            anchors: &["code="],
            find: azure_function,
        },
    ),
    Rule::secret(
        "amazon-mws-token",
        "AMAZON_TOKEN",
        "A token for Amazon's marketplaces.",
        Shapes(&["amzn.mws.{h:8}-{h:4}-{h:4}-{h:4}-{h:12}"]),
    ),
    Rule::secret(
        "ngrok-key",
        "NGROK_KEY",
        "A key of ngrok's.",
        Shapes(&["ak_{a:27..30}", "cr_{a:27..30}"]),
    ),
    Rule::secret(
        "google-oauth",
        "GOOGLE_TOKEN",
        "A token or a client secret of Google's.",
        Shapes(&["ya29.{w:30..2048}", "GOCSPX-{w:24..32}", "1//0{w:40..}"]),
    ),
    Rule::secret(
        "digitalocean-token",
        "DIGITALOCEAN_TOKEN",
        "A token of DigitalOcean's.",
        Shapes(&["dop_v1_{h:64}", "doo_v1_{h:64}", "dor_v1_{h:64}"]),
    ),
    Rule::secret(
        "heroku-key",
        "HEROKU_KEY",
        "A key of Heroku's.",
        Named {
            names: &["heroku"],
            shapes: &[UUID, "HRKU-{w:36..64}"],
        },
    ),
    Rule::secret(
        "heroku-token",
        "HEROKU_KEY",
        "A newer key of Heroku's.",
        Shapes(&["HRKU-{w:36..64}"]),
    ),
    Rule::secret(
        "netlify-token",
        "NETLIFY_TOKEN",
        "A token of Netlify's.",
        Shapes(&["nfp_{a:36..40}", "nfc_{a:36..40}"]),
    ),
    Rule::secret(
        "netlify-key",
        "NETLIFY_TOKEN",
        "An older token of Netlify's, beside its name.",
        Named {
            names: &["netlify"],
            shapes: &["{t:40..46}"],
        },
    ),
    Rule::secret(
        "vercel-token",
        "VERCEL_TOKEN",
        "A token of Vercel's.",
        Named {
            names: &["vercel"],
            shapes: &["{a:24}", "vc{L:1}_{a:24..64}", "vercel_blob_rw_{w:30..}"],
        },
    ),
    Rule::secret(
        "vercel-key",
        "VERCEL_TOKEN",
        "A newer token of Vercel's.",
        Shapes(&[
            "vercel_blob_rw_{w:30..}",
            "vcp_{a:40..64}",
            "vck_{a:40..64}",
        ]),
    ),
    Rule::secret(
        "cloudflare-token",
        "CLOUDFLARE_TOKEN",
        "A token or a key of Cloudflare's.",
        Named {
            names: &["cloudflare", "cf_api", "cf-api", "x-auth-key"],
            shapes: &["{w:40}", "{h:37}"],
        },
    ),
    Rule::secret(
        "cloudflare-origin-key",
        "CLOUDFLARE_KEY",
        "A key for certificates at Cloudflare.",
        Shapes(&["v1.0-{h:24}-{h:146}"]),
    ),
    Rule::secret(
        "fly-token",
        "FLY_TOKEN",
        "A token of Fly's.",
        Shapes(&[
            "fo1_{w:40..50}",
            "fm1_{t:80..2048}",
            "fm2_{t:80..2048}",
            "fm1r_{t:80..2048}",
        ]),
    ),
    Rule::secret(
        "render-key",
        "RENDER_KEY",
        "A key of Render's.",
        Shapes(&["rnd_{a:28..36}"]),
    ),
    Rule::secret(
        "supabase-key",
        "SUPABASE_KEY",
        "A key of Supabase's.",
        Shapes(&["sbp_{h:40}", "sbp_v0_{h:40}", "sb_secret_{w:20..50}"]),
    ),
    Rule::secret(
        "planetscale-key",
        "PLANETSCALE_KEY",
        "A token or a password of PlanetScale's.",
        Shapes(&[
            "pscale_tkn_{t:32..64}",
            "pscale_pw_{t:32..64}",
            "pscale_oauth_{t:32..64}",
        ]),
    ),
    Rule::secret(
        "databricks-token",
        "DATABRICKS_TOKEN",
        "A token of Databricks'.",
        Shapes(&["dapi{h:32}", "dapi{h:32}-{d:1}", "dose{h:32}", "dkea{h:32}"]),
    ),
    Rule::secret(
        "neon-key",
        "NEON_KEY",
        "A key of Neon's.",
        Shapes(&["napi_{a:60..70}"]),
    ),
    Rule::secret(
        "alibaba-key",
        "ALIBABA_KEY",
        "The name of an Alibaba Cloud key.",
        Shapes(&["LTAI{a:12..20}"]),
    ),
    Rule::secret(
        "tencent-key",
        "TENCENT_KEY",
        "The name of a Tencent Cloud key.",
        Shapes(&["AKID{a:32}"]),
    ),
    Rule::secret(
        "yandex-key",
        "YANDEX_KEY",
        "A key of Yandex Cloud's.",
        Shapes(&["AQVN{w:35..38}", "YCAJE{w:20}"]),
    ),
    Rule::secret(
        "host-key",
        "HOST_KEY",
        "A token of Linode, Hetzner, Vultr or IBM Cloud, beside its name.",
        Named {
            names: &[
                "linode",
                "hetzner",
                "hcloud",
                "vultr",
                "ibmcloud",
                "ibm_cloud",
                "bluemix",
            ],
            shapes: &["{h:64}", "{a:64}", "{u:36}", "{w:44}"],
        },
    ),
    Rule::secret(
        "scaleway-key",
        "SCALEWAY_KEY",
        "The name of a Scaleway key.",
        Shapes(&["SCW{u:17}"]),
    ),
    Rule::secret(
        "exoscale-key",
        "EXOSCALE_KEY",
        "The name of an Exoscale key.",
        Shapes(&["EXO{h:24..26}"]),
    ),
    Rule::secret(
        "aiven-password",
        "AIVEN_PASSWORD",
        "A password of Aiven's.",
        Shapes(&["AVNS_{w:16..32}"]),
    ),
    Rule::secret(
        "clickhouse-key",
        "CLICKHOUSE_KEY",
        "A secret key of ClickHouse Cloud's.",
        Shapes(&["4b1d{a:38}"]),
    ),
    Rule::secret(
        "firebase-server-key",
        "FIREBASE_KEY",
        "A key that sends messages through Firebase.",
        Shapes(&["AAAA{w:7}:APA91b{w:120..}"]),
    ),
    Rule::secret(
        "tailscale-key",
        "TAILSCALE_KEY",
        "A key of Tailscale's.",
        Shapes(&["tskey-{w:20..}"]),
    ),
    Rule::secret(
        "defined-networking-key",
        "DEFINED_NETWORKING_KEY",
        "A key of Defined Networking's.",
        Shapes(&["dnkey-{w:26}-{w:52}"]),
    ),
    Rule::secret(
        "yandex-token",
        "YANDEX_KEY",
        "A token or a key of Yandex Cloud's.",
        Shapes(&[
            "t1.{w:1..240}.{w:80..90}",
            "t1.{w:1..240}={d:0..2}.{w:80..90}",
            "YC{w:38}",
        ]),
    ),
    Rule::secret(
        "alibaba-secret",
        "ALIBABA_SECRET",
        "A secret key of Alibaba Cloud's, beside its name.",
        Named {
            names: &["alibaba", "aliyun"],
            shapes: &["{l:30}", "{a:30}"],
        },
    ),
    Rule::secret(
        "storage-key",
        "STORAGE_KEY",
        "A key of Scaleway, OVH, Backblaze, Cloudant, SoftLayer or Fastly, beside its name.",
        Named {
            names: &[
                "scaleway",
                "scw_",
                "ovh_",
                "backblaze",
                "cloudant",
                "softlayer",
                "fastly",
                "ibm_cos",
                "cos_hmac",
            ],
            shapes: &[UUID, "{h:64}", "{h:48}", "K00{d:1}{b:27}", "{t:32}"],
        },
    ),
    Rule::secret(
        "stream-key",
        "STREAM_KEY",
        "A key of Confluent's, beside its name.",
        Named {
            names: &["confluent"],
            shapes: &["{a:16}", "{b:64}"],
        },
    ),
    Rule::secret(
        "network-key",
        "NETWORK_KEY",
        "A key of Meraki's, ngrok's or Netskope's, beside its name.",
        Named {
            names: &["meraki", "ngrok", "netskope"],
            shapes: &["{h:40}", "{w:40..60}", "{h:32}"],
        },
    ),
];

fn azure_key(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let value = value::run(stretch, anchor.end, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
    });
    (value.len() >= 40 && value::is_random(&stretch.text[value.clone()])).then_some(value)
}

/// A link that says until when it holds (`se=`) and by which version (`sv=`).
fn azure_signature(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let value = value::short_run(stretch, anchor.end, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'%')
    });
    let around = value::near(stretch.text, &anchor, 400);
    // A hash in base64 whose last mark is escaped is one of theirs, whatever stands beside it.
    let is_escaped = value.len() >= 44
        && matches!(
            stretch.text[value.clone()].as_bytes(),
            [.., b'%', b'3', b'D' | b'd']
        );
    let is_theirs = ["sv=", "se=", "sr="].iter().any(|it| around.contains(it));
    if !is_theirs && !is_escaped {
        return None;
    }
    (value.len() >= 30 && value::is_random(&stretch.text[value.clone()])).then_some(value)
}

/// Three letters, a digit, `Q~`, and 31 to 34 more.
fn azure_secret(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let start = anchor.start.checked_sub(4)?;
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.' | b'-');
    if bytes[anchor.start] != b'Q'
        || !bytes[anchor.start - 1].is_ascii_digit()
        || !bytes[start..anchor.start].iter().all(|byte| is_part(*byte))
        || start
            .checked_sub(1)
            .is_some_and(|before| bytes[before].is_ascii_alphanumeric())
    {
        return None;
    }
    let rest = value::run(stretch, anchor.end, is_part);
    (31..=34).contains(&rest.len()).then_some(start..rest.end)
}

/// Seventy-six letters, the mark, and four more.
fn azure_devops(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let start = anchor.start.checked_sub(76)?;
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric();
    let rest = value::run(stretch, anchor.end, |byte| is_letter(&byte));
    let opens = start
        .checked_sub(1)
        .is_none_or(|before| !is_letter(&bytes[before]));
    let is_whole = &bytes[anchor.clone()] == b"AZDO"
        && bytes[start..anchor.start].iter().all(is_letter)
        && rest.len() == 4;
    (is_whole && opens).then_some(start..rest.end)
}

/// `…azurewebsites.net/api/…?code=…`.
fn azure_function(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let before = value::near(stretch.text, &(anchor.start..anchor.start), 200);
    if !before.contains("azurewebsites.net") {
        return None;
    }
    let value = value::run(stretch, anchor.end, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=' | b'/' | b'+' | b'%')
    });
    (value.len() >= 40 && value::is_random(&stretch.text[value.clone()])).then_some(value)
}
