//! Who receives what is sent to a source.
//!
//! Pure. A server on this machine that runs the model itself is no recipient: nothing leaves. A
//! cloud provider's API behind a loopback address is one, since whatever listens there speaks for
//! the provider and most likely forwards to it.

use std::net::IpAddr;

use super::{Location, Source, http};
use crate::store::Recipient;

/// Models that a local server only passes on, by how their names end, and to whom.
const FORWARDED: &[(&str, &str, &str)] = &[
    ("ollama", "-cloud", "ollama.com"),
    ("ollama", ":cloud", "ollama.com"),
];

/// `None` where nothing leaves this machine.
pub(crate) fn recipient(source: &Source, base_url: &str, model: &str) -> Option<Recipient> {
    if source.base_url.is_empty() {
        return None;
    }
    let host = host(base_url);
    let recipient = |host: &str| {
        Some(Recipient {
            source: source.name.to_owned(),
            host: host.to_owned(),
        })
    };
    if source.location == Location::Cloud || !is_loopback(&host) {
        return recipient(&host);
    }
    let model = model.trim().to_lowercase();
    let forwarded = FORWARDED
        .iter()
        .find(|(name, ending, _)| *name == source.name && model.ends_with(ending));
    forwarded.and_then(|(_, _, host)| recipient(host))
}

/// Whether this recipient is among those that are stored for a session.
///
/// A row from before ports were stored has only the name of a host, as one for the usual port has:
/// it stands for any port, but only until a port of that host is stored. From then on every other
/// one is asked about.
pub(crate) fn is_known(source: &Source, stored: &[Recipient], recipient: &Recipient) -> bool {
    let same = stored.iter().filter(|it| it.source == recipient.source);
    let known: Vec<String> = same.map(|it| stored_host(source, it)).collect();
    let name = without_port(&recipient.host);
    let has_port = known
        .iter()
        .any(|host| host != name && without_port(host) == name);
    known.contains(&recipient.host) || !has_port && known.iter().any(|host| host == name)
}

/// A row from before hosts were stored has an address in its place, or nothing for the source's
/// own.
fn stored_host(source: &Source, stored: &Recipient) -> String {
    match stored.host.as_str() {
        "" => host(source.base_url),
        address if address.contains("://") => host(address),
        host => host.to_owned(),
    }
}

/// The host, with its port where that is not the usual one: another program may listen there. What
/// is no address stands for itself, so that it equals nothing else.
fn host(base_url: &str) -> String {
    let url = http::endpoint(base_url, "").ok();
    let host = url.as_ref().and_then(|url| {
        let host = url.host_str()?;
        Some(match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    });
    host.unwrap_or_else(|| base_url.to_owned())
        .to_ascii_lowercase()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => host,
    }
}

/// Only what certainly is: a name that merely looks local is resolved by somebody else.
fn is_loopback(host: &str) -> bool {
    let host = without_port(host);
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match address.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::source;

    #[test]
    fn knows_what_leaves_this_machine() {
        let rows = [
            ("demo", "", "demo", None),
            ("ollama", "http://127.0.0.1:11434", "llama3", None),
            ("ollama", "http://localhost:1/v1", "llama3", None),
            ("ollama", "http://[::1]:11434", "llama3", None),
            ("ollama", "http://[::ffff:127.0.0.1]:11434", "llama3", None),
            ("ollama", "http://0x7f.1:11434", "llama3", None),
            (
                "ollama",
                "http://127.0.0.1:11434",
                "gpt-oss:120b-cloud",
                Some("ollama.com"),
            ),
            (
                "ollama",
                "http://127.0.0.1:11434",
                "GLM-4.6:Cloud ",
                Some("ollama.com"),
            ),
            (
                "ollama",
                "http://192.168.1.2:11434",
                "llama3",
                Some("192.168.1.2:11434"),
            ),
            (
                "ollama",
                "http://127.0.0.1.evil.example",
                "llama3",
                Some("127.0.0.1.evil.example"),
            ),
            (
                "ollama",
                "http://x.localhost",
                "llama3",
                Some("x.localhost"),
            ),
            (
                "vllm",
                "http://GPU.example:8000/v1",
                "m",
                Some("gpu.example:8000"),
            ),
            (
                "anthropic",
                "https://api.anthropic.com",
                "claude",
                Some("api.anthropic.com"),
            ),
            (
                "anthropic",
                "http://127.0.0.1:4000",
                "claude",
                Some("127.0.0.1:4000"),
            ),
            (
                "openai-compatible",
                "http://127.0.0.1:4000/v1",
                "m",
                Some("127.0.0.1:4000"),
            ),
        ];
        for (name, base_url, model, expected) in rows {
            let source = source(name).unwrap();
            let found = recipient(source, base_url, model).map(|it| it.host);
            assert_eq!(found.as_deref(), expected, "{name} {base_url} {model}");
        }
    }

    #[test]
    fn another_port_is_another_recipient() {
        let rows: [(&[&str], &str, bool); 9] = [
            (&["a.example:8000"], "a.example:8000", true),
            (&["a.example:8000"], "a.example:8001", false),
            (&["a.example:8000"], "a.example", false),
            // A row from before ports were stored, and the same once one is.
            (&["a.example"], "a.example:8001", true),
            (&["a.example", "a.example:8001"], "a.example:8001", true),
            (&["a.example", "a.example:8001"], "a.example:8002", false),
            (&["a.example", "a.example:8001"], "a.example", true),
            (&["http://a.example:8000/v1"], "a.example:8001", false),
            (&["[::1]"], "[::1]:80", true),
        ];
        let source = source("openai-compatible").unwrap();
        let of = |host: &str| Recipient {
            source: "openai-compatible".into(),
            host: host.into(),
        };
        for (stored, now, expected) in rows {
            let known: Vec<Recipient> = stored.iter().map(|host| of(host)).collect();
            let found = is_known(source, &known, &of(now));
            assert_eq!(found, expected, "{stored:?} {now}");
        }
    }

    #[test]
    fn rows_without_a_host_mean_the_address_of_then() {
        let rows = [
            ("", "api.anthropic.com", true),
            ("", "gateway.example", false),
            ("https://gateway.example/v1", "gateway.example", true),
            ("gateway.example", "gateway.example", true),
            ("gateway.example", "api.anthropic.com", false),
        ];
        let anthropic = source("anthropic").unwrap();
        let of = |host: &str| Recipient {
            source: "anthropic".into(),
            host: host.into(),
        };
        for (stored, now, expected) in rows {
            let same = is_known(anthropic, &[of(stored)], &of(now));
            assert_eq!(same, expected, "{stored} {now}");
        }
        let other = Recipient {
            source: "openai".into(),
            ..of("api.anthropic.com")
        };
        assert!(!is_known(anthropic, &[other], &of("api.anthropic.com")));
    }
}
