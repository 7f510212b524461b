//! Tokens of those who carry messages, mail and money.

use std::ops::Range;

use super::{jwt, value};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;
use Finder::{Anchored, Named, Shapes};

const UUID: &str = "{h:8}-{h:4}-{h:4}-{h:4}-{h:12}";

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "slack-token",
        "SLACK_TOKEN",
        "A token of Slack's.",
        Shapes(&[
            "xoxb-{w:20..}",
            "xoxp-{w:20..}",
            "xoxa-{w:20..}",
            "xoxr-{w:20..}",
            "xoxs-{w:20..}",
            "xoxo-{w:20..}",
            "xoxc-{w:20..}",
            "xoxd-{t:20..2048}",
            "xoxe-{w:20..}",
            "xoxe.xoxp-{w:20..}",
            "xoxe.xoxb-{w:20..}",
            "xapp-{w:30..}",
        ]),
    ),
    Rule::secret(
        "slack-webhook",
        "SLACK_WEBHOOK",
        "An address that posts to Slack.",
        Shapes(&[
            "hooks.slack.com/services/{t:30..}",
            "hooks.slack.com/workflows/{t:30..}",
            "hooks.slack.com/triggers/{t:30..}",
        ]),
    ),
    Rule::secret(
        "discord-webhook",
        "DISCORD_WEBHOOK",
        "An address that posts to Discord.",
        Shapes(&[
            "discord.com/api/webhooks/{d:17..20}/{w:50..72}",
            "discordapp.com/api/webhooks/{d:17..20}/{w:50..72}",
        ]),
    ),
    Rule::secret(
        "discord-token",
        "DISCORD_TOKEN",
        "A token of a Discord bot.",
        Finder::Whole {
            traits: crate::guard::stretch::traits::DIGIT,
            find: discord,
        },
    ),
    Rule::secret(
        "discord-secret",
        "DISCORD_SECRET",
        "A client secret of Discord's, beside its name.",
        Named {
            names: &["discord"],
            shapes: &["{t:32}"],
        },
    ),
    Rule::secret(
        "teams-webhook",
        "TEAMS_WEBHOOK",
        "An address that posts to Microsoft Teams.",
        Anchored {
            anchors: &[".webhook.office.com/webhookb2/"],
            find: teams,
        },
    ),
    Rule::secret(
        "telegram-token",
        "TELEGRAM_TOKEN",
        "A token of a Telegram bot.",
        Anchored {
            anchors: &[":a"],
            find: telegram,
        },
    ),
    Rule::secret(
        "twilio-key",
        "TWILIO_KEY",
        "A key of Twilio's.",
        Shapes(&["SK{h:32}"]),
    ),
    Rule::secret(
        "twilio-token",
        "TWILIO_TOKEN",
        "A token of Twilio's, beside its name.",
        Named {
            names: &["twilio"],
            shapes: &["{h:32}", "AC{h:32}"],
        },
    ),
    Rule::secret(
        "sendgrid-key",
        "SENDGRID_KEY",
        "A key of SendGrid's.",
        Shapes(&["SG.{w:16..24}.{w:32..50}"]),
    ),
    Rule::secret(
        "mailgun-key",
        "MAILGUN_KEY",
        "A key of Mailgun's.",
        Shapes(&["key-{l:32}", "pubkey-{h:32}"]),
    ),
    Rule::secret(
        "mailgun-signing-key",
        "MAILGUN_KEY",
        "A key of Mailgun's, beside its name.",
        Named {
            names: &["mailgun"],
            shapes: &["{l:32}-{l:8}-{l:8}", "{h:32}"],
        },
    ),
    Rule::secret(
        "mailchimp-key",
        "MAILCHIMP_KEY",
        "A key of Mailchimp's.",
        Anchored {
            anchors: &["-us"],
            find: mailchimp,
        },
    ),
    Rule::secret(
        "postmark-token",
        "POSTMARK_TOKEN",
        "A token of Postmark's, beside its name.",
        Named {
            names: &["postmark"],
            shapes: &[UUID],
        },
    ),
    Rule::secret(
        "brevo-key",
        "BREVO_KEY",
        "A key of Brevo's.",
        Shapes(&["xkeysib-{h:64}-{a:16}", "xsmtpsib-{h:64}-{a:16}"]),
    ),
    Rule::secret(
        "resend-key",
        "RESEND_KEY",
        "A key of Resend's.",
        Shapes(&["re_{a:8}_{a:24}"]),
    ),
    Rule::secret(
        "stripe-key",
        "STRIPE_KEY",
        "A secret key of Stripe's.",
        Shapes(&[
            "sk_live_{a:10..}",
            "sk_test_{a:10..}",
            "sk_prod_{a:10..}",
            "rk_live_{a:10..}",
            "rk_test_{a:10..}",
            "rk_prod_{a:10..}",
            "sk_org_{w:16..}",
            "sk_{a:29}",
        ]),
    ),
    Rule::secret(
        "webhook-secret",
        "WEBHOOK_SECRET",
        "The secret of a webhook.",
        Shapes(&["whsec_{b:24..}"]),
    ),
    Rule::secret(
        "square-token",
        "SQUARE_TOKEN",
        "A token of Square's.",
        Shapes(&[
            "sq0atp-{w:22..44}",
            "sq0csp-{w:40..50}",
            "sq0idp-{w:22..44}",
            "EAAA{w:60}",
        ]),
    ),
    Rule::secret(
        "paypal-token",
        "PAYPAL_TOKEN",
        "A token of PayPal's or Braintree's.",
        Shapes(&[
            "access_token$production${l:16}${h:32}",
            "access_token$sandbox${l:16}${h:32}",
            "A21AA{w:80..2048}",
        ]),
    ),
    Rule::secret(
        "paypal-secret",
        "PAYPAL_SECRET",
        "A client secret of PayPal's, beside its name.",
        Named {
            names: &["paypal", "braintree"],
            shapes: &["E{w:79}", "{w:80}", "{h:32}"],
        },
    ),
    Rule::secret(
        "shopify-token",
        "SHOPIFY_TOKEN",
        "A token of Shopify's.",
        Shapes(&[
            "shpat_{h:32}",
            "shpca_{h:32}",
            "shppa_{h:32}",
            "shpss_{h:32}",
            "shptka_{h:32}",
        ]),
    ),
    Rule::secret(
        "razorpay-key",
        "RAZORPAY_KEY",
        "A key of Razorpay's.",
        Shapes(&["rzp_live_{a:14}", "rzp_test_{a:14}"]),
    ),
    Rule::secret(
        "plaid-token",
        "PLAID_TOKEN",
        "A token of Plaid's.",
        Shapes(&[
            "access-production-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
            "access-sandbox-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
            "access-development-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
        ]),
    ),
    Rule::secret(
        "flutterwave-key",
        "FLUTTERWAVE_KEY",
        "A secret key of Flutterwave's.",
        Shapes(&[
            "FLWSECK_TEST-{a:12..32}-X",
            "FLWSECK-{a:12..32}-X",
            "FLWSECK_TEST-{a:12..32}",
        ]),
    ),
    Rule::secret(
        "payment-key",
        "PAYMENT_KEY",
        "A live key of Mollie, GoCardless or Lob.",
        Shapes(&["live_{t:28..48}"]),
    ),
    Rule::secret(
        "shipping-key",
        "SHIPPING_KEY",
        "A key of EasyPost or Shippo.",
        Shapes(&[
            "EZAK{a:54}",
            "EZTK{a:54}",
            "shippo_live_{h:40}",
            "shippo_test_{h:40}",
        ]),
    ),
    Rule::secret(
        "pubnub-key",
        "PUBNUB_KEY",
        "A secret key of PubNub's.",
        Shapes(&["sec-c-{b:48}"]),
    ),
    Rule::secret(
        "lob-key",
        "LOB_KEY",
        "A test key of Lob's.",
        Shapes(&["test_{h:35}", "test_pub_{h:31}", "live_pub_{h:31}"]),
    ),
    Rule::secret(
        "flutterwave-public-key",
        "FLUTTERWAVE_KEY",
        "A public key of Flutterwave's.",
        Shapes(&["FLWPUBK_TEST-{h:32}-X", "FLWPUBK-{h:32}-X"]),
    ),
    Rule::secret(
        "plaid-secret",
        "PLAID_SECRET",
        "A client id or a secret of Plaid's, beside its name.",
        Named {
            names: &["plaid"],
            shapes: &["{a:24}", "{a:30}"],
        },
    ),
    Rule::secret(
        "message-key",
        "MESSAGE_KEY",
        "A key of MessageBird, Sendbird, Mattermost, Vonage, Mandrill, SparkPost, Mailjet, Plivo, OneSignal or Pusher, beside its name.",
        Named {
            names: &[
                "messagebird",
                "message-bird",
                "message_bird",
                "sendbird",
                "mattermost",
                "nexmo",
                "vonage",
                "mandrill",
                "sparkpost",
                "mailjet",
                "plivo",
                "onesignal",
                "pusher",
            ],
            shapes: &[
                "{a:25}", UUID, "{h:40}", "{a:26}", "{a:16}", "{w:22}", "{h:32}", "{b:40}",
                "{b:48}", "{h:20}",
            ],
        },
    ),
    Rule::secret(
        "finance-key",
        "FINANCE_KEY",
        "A key of Finicity, Finnhub or FreshBooks, beside its name.",
        Named {
            names: &["finicity", "finnhub", "freshbooks"],
            shapes: &["{h:32}", "{a:20}", "{a:64}"],
        },
    ),
    Rule::secret(
        "exchange-key",
        "EXCHANGE_KEY",
        "A key of Coinbase, Kraken, KuCoin, Bittrex, Binance, Etherscan, Infura or Alchemy, beside its name.",
        Named {
            names: &[
                "coinbase",
                "kraken",
                "kucoin",
                "bittrex",
                "binance",
                "etherscan",
                "infura",
                "alchemy",
            ],
            shapes: &[
                "{t:64}",
                "{b:80..90}",
                "{h:24}",
                UUID,
                "{a:32}",
                "{u:34}",
                "{t:32}",
            ],
        },
    ),
];

/// Three parts: an id in base64 that begins with M, N or O, a time, and a signature.
fn discord(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = stretch.text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut from = 0;
    while let Some(dot) = memchr::memchr(b'.', &bytes[from..]).map(|dot| from + dot) {
        from = dot + 1;
        let id = bytes[..dot]
            .iter()
            .rev()
            .take(29)
            .take_while(|byte| is_part(**byte));
        let start = dot - id.count();
        let time = value::run(stretch, dot + 1, is_part);
        if !(23..=28).contains(&(dot - start))
            || !is_bot_number(&bytes[start..dot])
            || !(6..=7).contains(&time.len())
            || bytes.get(time.end) != Some(&b'.')
        {
            continue;
        }
        let rest = value::run(stretch, time.end + 1, is_part);
        if (27..=40).contains(&rest.len()) && value::is_random(&stretch.text[start..rest.end]) {
            from = rest.end;
            found(start..rest.end);
        }
    }
}

/// A token of Discord's begins with the bot's number, digit by digit in base64.
pub(super) fn is_bot_number(id: &[u8]) -> bool {
    let digits = jwt::decode(id).unwrap_or_default();
    (17..=20).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
}

fn teams(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'@' | b'/');
    let rest = value::run(stretch, anchor.end, is_part);
    (rest.len() >= 80).then_some(anchor.end..rest.end)
}

/// The bot's number, and 35 letters that begin with `A`.
fn telegram(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    if &bytes[anchor.clone()] != b":A" {
        return None;
    }
    let number = bytes[..anchor.start].iter().rev().take(11);
    let number = number.take_while(|byte| byte.is_ascii_digit()).count();
    let start = anchor.start - number;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let rest = value::run(stretch, anchor.start + 1, is_part);
    let is_token = (8..=10).contains(&number)
        && rest.len() == 35
        && value::is_random(&stretch.text[rest.clone()]);
    is_token.then_some(start..rest.end)
}

/// Thirty-two hex digits before `-us12`.
fn mailchimp(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let hex = bytes[..anchor.start].iter().rev().take(33);
    let hex = hex.take_while(|byte| byte.is_ascii_hexdigit()).count();
    let region = value::run(stretch, anchor.end, |byte| byte.is_ascii_alphanumeric());
    let is_region =
        (1..=2).contains(&region.len()) && bytes[region.clone()].iter().all(u8::is_ascii_digit);
    (hex == 32 && is_region).then(|| anchor.start - hex..region.end)
}
