//! Tokens of those who watch programs, plan work, keep documents and connect people.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;
use Finder::{Anchored, Named, Shapes};

const UUID: &str = "{h:8}-{h:4}-{h:4}-{h:4}-{h:12}";

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "datadog-key",
        "DATADOG_KEY",
        "A key of Datadog's, beside its name.",
        Named {
            names: &["datadog", "dd_api", "dd-api", "dd_app", "dd-application"],
            shapes: &["{h:32}", "{h:40}"],
        },
    ),
    Rule::secret(
        "newrelic-key",
        "NEWRELIC_KEY",
        "A key of New Relic's.",
        Shapes(&[
            "NRAK-{a:27}",
            "NRAA-{a:27}",
            "NRII-{w:32}",
            "NRJS-{h:19}",
            "NRRA-{h:42}",
        ]),
    ),
    Rule::secret(
        "newrelic-license",
        "NEWRELIC_KEY",
        "A licence key of New Relic's.",
        Anchored {
            anchors: &["nral"],
            find: newrelic,
        },
    ),
    Rule::secret(
        "sentry-token",
        "SENTRY_TOKEN",
        "A token of Sentry's.",
        Shapes(&["sntrys_{t:50..2048}", "sntryu_{h:64}", "sntryi_{h:64}"]),
    ),
    Rule::secret(
        "sentry-old-token",
        "SENTRY_TOKEN",
        "An older token of Sentry's, beside its name.",
        Named {
            names: &["sentry"],
            shapes: &["{h:64}"],
        },
    ),
    Rule::secret(
        "grafana-token",
        "GRAFANA_TOKEN",
        "A token of Grafana's.",
        Shapes(&[
            "glsa_{a:32}_{h:8}",
            "glc_{b:32..2048}",
            "eyJrIjoi{b:60..2048}",
        ]),
    ),
    Rule::secret(
        "dynatrace-token",
        "DYNATRACE_TOKEN",
        "A token of Dynatrace's.",
        Shapes(&["dt0c01.{u:24}.{u:64}", "dt0s16.{u:8}.{u:64}"]),
    ),
    Rule::secret(
        "posthog-key",
        "POSTHOG_KEY",
        "A personal key of PostHog's.",
        Shapes(&["phx_{w:40..50}"]),
    ),
    Rule::secret(
        "launchdarkly-key",
        "LAUNCHDARKLY_KEY",
        "A key of LaunchDarkly's.",
        Shapes(&[
            "sdk-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
            "api-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
        ]),
    ),
    Rule::secret(
        "segment-token",
        "SEGMENT_TOKEN",
        "A token of Segment's.",
        Shapes(&["sgp_{a:60..70}"]),
    ),
    Rule::secret(
        "watch-key",
        "WATCH_KEY",
        "A key of Honeycomb, PagerDuty, Opsgenie, Rollbar, Splunk or Sumo Logic, beside its name.",
        Named {
            names: &[
                "honeycomb",
                "pagerduty",
                "opsgenie",
                "rollbar",
                "splunk",
                "sumologic",
            ],
            shapes: &[UUID, "{h:32}", "{a:22}", "{w:20}", "{a:64}"],
        },
    ),
    Rule::secret(
        "linear-key",
        "LINEAR_KEY",
        "A key of Linear's.",
        Shapes(&["lin_api_{a:40}", "lin_oauth_{h:64}"]),
    ),
    Rule::secret(
        "notion-token",
        "NOTION_TOKEN",
        "A token of Notion's.",
        Shapes(&["ntn_{a:40..50}", "secret_{a:43}"]),
    ),
    Rule::secret(
        "airtable-token",
        "AIRTABLE_TOKEN",
        "A token of Airtable's.",
        Shapes(&["pat{a:14}.{h:64}"]),
    ),
    Rule::secret(
        "airtable-key",
        "AIRTABLE_KEY",
        "An older key of Airtable's, beside its name.",
        Named {
            names: &["airtable"],
            shapes: &["key{a:14}", "{a:17}", "pat{a:14}.{h:64}"],
        },
    ),
    Rule::secret(
        "figma-token",
        "FIGMA_TOKEN",
        "A token of Figma's.",
        Shapes(&["figd_{w:38..60}", "figo_{w:38..60}", "figp_{w:38..60}"]),
    ),
    Rule::secret(
        "atlassian-token",
        "ATLASSIAN_TOKEN",
        "A token of Atlassian's, for Jira or Confluence.",
        Shapes(&["ATATT{t:40..}", "ATSTT{t:40..}"]),
    ),
    Rule::secret(
        "jira-token",
        "ATLASSIAN_TOKEN",
        "An older token for Jira or Confluence, beside its name.",
        Named {
            names: &["jira", "confluence", "atlassian"],
            shapes: &["{a:24}"],
        },
    ),
    Rule::secret(
        "asana-token",
        "ASANA_TOKEN",
        "A token of Asana's, beside its name.",
        Named {
            names: &["asana"],
            shapes: &[
                "{d:1}/{d:16}:{h:32}",
                "{d:1}/{d:16}/{d:16}:{h:32}",
                "{l:32}",
                "{d:16}",
            ],
        },
    ),
    Rule::secret(
        "clickup-token",
        "CLICKUP_TOKEN",
        "A token of ClickUp's.",
        Shapes(&["pk_{d:6..10}_{u:32}"]),
    ),
    Rule::secret(
        "trello-token",
        "TRELLO_TOKEN",
        "A token of Trello's.",
        Shapes(&["ATTA{h:64}{a:0..8}"]),
    ),
    Rule::secret(
        "trello-key",
        "TRELLO_KEY",
        "A key of Trello's, beside its name.",
        Named {
            names: &["trello"],
            shapes: &["{h:32}", "{h:64}"],
        },
    ),
    Rule::secret(
        "dropbox-token",
        "DROPBOX_TOKEN",
        "A token of Dropbox's.",
        Shapes(&["sl.{w:100..2048}", "sl.u.{w:100..2048}"]),
    ),
    Rule::secret(
        "dropbox-key",
        "DROPBOX_KEY",
        "A key or an older token of Dropbox's, beside its name.",
        Named {
            names: &["dropbox"],
            shapes: &["{l:15}", "{a:11}AAAAAAAAAA{t:43}", "{t:64}"],
        },
    ),
    Rule::secret(
        "hubspot-token",
        "HUBSPOT_TOKEN",
        "A token of HubSpot's.",
        Shapes(&[
            "pat-na1-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
            "pat-na2-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
            "pat-eu1-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
        ]),
    ),
    Rule::secret(
        "hubspot-key",
        "HUBSPOT_KEY",
        "An older key of HubSpot's, Intercom's or Zendesk's, beside its name.",
        Named {
            names: &["hubspot", "intercom", "zendesk"],
            shapes: &[UUID, "{t:60}", "{a:40}"],
        },
    ),
    Rule::secret(
        "salesforce-token",
        "SALESFORCE_TOKEN",
        "A token of Salesforce's.",
        Shapes(&["00D{a:12..15}!{t:80..2048}"]),
    ),
    Rule::secret(
        "typeform-token",
        "TYPEFORM_TOKEN",
        "A token of Typeform's.",
        Shapes(&["tfp_{t:40..70}"]),
    ),
    Rule::secret(
        "contentful-token",
        "CONTENTFUL_TOKEN",
        "A token of Contentful's.",
        Shapes(&["CFPAT-{w:43}"]),
    ),
    Rule::secret(
        "mapbox-token",
        "MAPBOX_TOKEN",
        "A secret token of Mapbox's.",
        Shapes(&["sk.eyJ{w:40..2048}.{w:20..30}"]),
    ),
    Rule::secret(
        "mapbox-key",
        "MAPBOX_TOKEN",
        "A token of Mapbox's, beside its name.",
        Named {
            names: &["mapbox"],
            shapes: &["pk.{w:40..80}.{w:20..30}"],
        },
    ),
    Rule::secret(
        "facebook-token",
        "FACEBOOK_TOKEN",
        "A token of Facebook's or Instagram's.",
        Shapes(&["EAA{a:80..2048}", "IGQ{w:80..2048}"]),
    ),
    Rule::secret(
        "facebook-secret",
        "FACEBOOK_SECRET",
        "An app secret of Facebook's, beside its name.",
        Named {
            names: &["facebook", "fb_"],
            shapes: &["{h:32}", "{d:15..16}|{w:27..40}"],
        },
    ),
    Rule::secret(
        "twitter-token",
        "TWITTER_TOKEN",
        "A bearer token of X's.",
        Shapes(&["AAAAAAAAAAAAAAAAAAAAA{t:50..}"]),
    ),
    Rule::secret(
        "twitter-secret",
        "TWITTER_SECRET",
        "A key or a token of X's, beside its name.",
        Named {
            names: &["twitter"],
            shapes: &["{a:25}", "{a:50}", "{a:45}", "{d:15..20}-{a:20..40}"],
        },
    ),
    Rule::secret(
        "linkedin-secret",
        "LINKEDIN_SECRET",
        "A client secret of LinkedIn's, beside its name.",
        Named {
            names: &["linkedin"],
            shapes: &["{a:16}", "{l:14}"],
        },
    ),
    Rule::secret(
        "linkedin-key",
        "LINKEDIN_SECRET",
        "A newer client secret of LinkedIn's.",
        Shapes(&["WPL_AP{d:1}.{a:16}.{b:8..12}"]),
    ),
    Rule::secret(
        "adafruit-key",
        "ADAFRUIT_KEY",
        "A key of Adafruit's.",
        Shapes(&["aio_{a:28}"]),
    ),
    Rule::secret(
        "okta-token",
        "OKTA_TOKEN",
        "A token of Okta's, beside its name.",
        Named {
            names: &["okta", "ssws"],
            shapes: &["00{t:40}"],
        },
    ),
    Rule::secret(
        "algolia-key",
        "ALGOLIA_KEY",
        "A key of Algolia's, beside its name.",
        Named {
            names: &["algolia"],
            shapes: &["{h:32}"],
        },
    ),
    Rule::secret(
        "duffel-token",
        "DUFFEL_TOKEN",
        "A token of Duffel's.",
        Shapes(&["duffel_live_{t:43}", "duffel_test_{t:43}"]),
    ),
    Rule::secret(
        "frameio-token",
        "FRAMEIO_TOKEN",
        "A token of Frame.io's.",
        Shapes(&["fio-u-{t:64}"]),
    ),
    Rule::secret(
        "readme-key",
        "README_KEY",
        "A key of ReadMe's.",
        Shapes(&["rdme_{l:70}"]),
    ),
    Rule::secret(
        "scalingo-token",
        "SCALINGO_TOKEN",
        "A token of Scalingo's.",
        Shapes(&["tk-us-{w:48}"]),
    ),
    Rule::secret(
        "maxmind-key",
        "MAXMIND_KEY",
        "A licence key of MaxMind's.",
        Anchored {
            anchors: &["_mmk"],
            find: maxmind,
        },
    ),
    Rule::secret(
        "beamer-token",
        "BEAMER_TOKEN",
        "A token of Beamer's, beside its name.",
        Named {
            names: &["beamer"],
            shapes: &["b_{w:44}", "b_{t:44}"],
        },
    ),
    Rule::secret(
        "intra42-secret",
        "INTRA42_SECRET",
        "A client secret of 42's.",
        Shapes(&["s-s4t2ud-{h:64}", "s-s4t2af-{h:64}"]),
    ),
    Rule::secret(
        "adobe-secret",
        "ADOBE_SECRET",
        "A client secret of Adobe's.",
        Shapes(&["p8e-{a:32}"]),
    ),
    Rule::secret(
        "adobe-id",
        "ADOBE_ID",
        "A client id of Adobe's, beside its name.",
        Named {
            names: &["adobe"],
            shapes: &["{h:32}"],
        },
    ),
    Rule::secret(
        "launchdarkly-token",
        "LAUNCHDARKLY_KEY",
        "A token of LaunchDarkly's, beside its name.",
        Named {
            names: &["launchdarkly"],
            shapes: &["{t:40}"],
        },
    ),
    Rule::secret(
        "linear-secret",
        "LINEAR_KEY",
        "A client secret of Linear's, beside its name.",
        Named {
            names: &["linear_"],
            shapes: &["{h:32}"],
        },
    ),
    Rule::secret(
        "contentful-key",
        "CONTENTFUL_TOKEN",
        "An older token of Contentful's, beside its name.",
        Named {
            names: &["contentful"],
            shapes: &["{t:43}"],
        },
    ),
    Rule::secret(
        "sumologic-id",
        "SUMOLOGIC_KEY",
        "The name of a Sumo Logic key, beside its name.",
        Named {
            names: &["sumo"],
            shapes: &["su{a:12}", "{a:64}"],
        },
    ),
    Rule::secret(
        "sourcing-key",
        "SERVICE_KEY",
        "A key of Adafruit, RapidAPI, Looker, Squarespace, Etsy, Zoom, NASA, Blynk, Particle, Code Climate, Kagi or Jenkins, beside its name.",
        Named {
            names: &[
                "adafruit",
                "rapidapi",
                "looker",
                "squarespace",
                "etsy",
                "zoom_",
                "nasa",
                "blynk",
                "particle",
                "codeclimate",
                "kagi",
                "jenkins",
            ],
            shapes: &[
                "{t:32}", "{t:50}", "{a:20}", "{a:24}", UUID, "{a:22}", "{a:40}", "{h:64}",
                "{h:34}",
            ],
        },
    ),
    Rule::secret(
        "media-key",
        "MEDIA_KEY",
        "A key of Flickr, the New York Times, Twitch, Spotify, Giphy, Unsplash, TMDB, Last.fm or Yelp, beside its name.",
        Named {
            names: &[
                "flickr",
                "nytimes",
                "new-york-times",
                "newyorktimes",
                "twitch",
                "spotify",
                "giphy",
                "unsplash",
                "tmdb",
                "lastfm",
                "yelp",
            ],
            shapes: &["{a:32}", "{t:32}", "{a:30}", "{t:43}", "{t:128}"],
        },
    ),
    Rule::secret(
        "measure-key",
        "MEASURE_KEY",
        "A key of Bugsnag, Raygun, Loggly, LogDNA, Mixpanel, Amplitude or OpenWeather, beside its name.",
        Named {
            names: &[
                "bugsnag",
                "raygun",
                "loggly",
                "logdna",
                "mixpanel",
                "amplitude",
                "openweather",
                "owm_",
                "appid",
            ],
            shapes: &["{h:32}", "{b:22..24}", UUID],
        },
    ),
];

/// Thirty-six hex digits before the mark.
fn newrelic(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let hex = bytes[..anchor.start].iter().rev().take(37);
    let hex = hex.take_while(|byte| byte.is_ascii_hexdigit()).count();
    let closes = !bytes.get(anchor.end).is_some_and(u8::is_ascii_alphanumeric);
    (hex == 36 && closes && &bytes[anchor.clone()] == b"NRAL")
        .then(|| anchor.start - hex..anchor.end)
}

/// Six letters, 29 more, and the mark of a MaxMind key.
fn maxmind(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let start = anchor.start.checked_sub(36)?;
    let is_whole = bytes[start..anchor.start]
        .iter()
        .enumerate()
        .all(|(place, byte)| match place {
            6 => *byte == b'_',
            _ => byte.is_ascii_alphanumeric(),
        });
    let opens = start
        .checked_sub(1)
        .is_none_or(|before| !bytes[before].is_ascii_alphanumeric());
    (is_whole && opens && !bytes.get(anchor.end).is_some_and(u8::is_ascii_alphanumeric))
        .then_some(start..anchor.end)
}
