//! The web view is untrusted: script in it can run nothing, reach nothing and call nothing
//! that a user could not click.

use serde_json::{Value, json};
use weir_tests::Server;

use super::Desk;

#[test]
fn the_content_security_policy_holds() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let sink = Server::start([]);
    let url = sink.url();

    // A script of the test's own stands where an attacker's would if one got in.
    window.evaluate(
        "const script = document.createElement('script');
         script.textContent = 'window.ran = \"inline\"';
         document.head.append(script);
         const button = document.createElement('button');
         button.setAttribute('onclick', 'window.ran = \"handler\"');
         document.body.append(button);
         button.click();
         button.remove();
         return null",
    );
    let evaluated = window.evaluate(
        "try { return (0, eval)('window.ran = \"eval\"; 1') } catch { return 'refused' }",
    );
    assert_eq!(evaluated, "refused");
    assert_eq!(window.evaluate("return window.ran ?? null"), Value::Null);

    let attempts = [
        format!(
            "fetch('{url}/fetch', {{ mode: 'no-cors' }}).then(() => done('went'), () => done('refused'))"
        ),
        format!(
            "const image = new Image(); image.onload = () => done('went'); image.onerror = () => done('refused'); image.src = '{url}/image.png'"
        ),
        format!(
            "const script = document.createElement('script'); script.onload = () => done('went'); script.onerror = () => done('refused'); script.src = '{url}/script.js'; document.head.append(script)"
        ),
        format!(
            "const sheet = document.createElement('link'); sheet.rel = 'stylesheet'; sheet.onload = () => done('went'); sheet.onerror = () => done('refused'); sheet.href = '{url}/sheet.css'; document.head.append(sheet)"
        ),
        format!(
            "const request = new XMLHttpRequest(); request.onload = () => done('went'); request.onerror = () => done('refused'); try {{ request.open('GET', '{url}/request'); request.send() }} catch {{ done('refused') }}"
        ),
        format!(
            "try {{ const socket = new WebSocket('{}'); socket.onopen = () => done('went'); socket.onerror = () => done('refused') }} catch {{ done('refused') }}",
            url.replace("http:", "ws:")
        ),
    ];
    for attempt in attempts {
        assert_eq!(window.evaluate_later(&attempt), "refused", "{attempt}");
    }
    window.evaluate(&format!(
        "const frame = document.createElement('iframe'); frame.src = '{url}/frame'; document.body.append(frame); navigator.sendBeacon?.('{url}/beacon', 'x'); return null"
    ));
    window.see("welcome");
    let asked: Vec<String> = sink.requests().into_iter().map(|ask| ask.path).collect();
    assert!(asked.is_empty(), "the sink was asked for {asked:?}");
}

#[test]
fn the_page_cannot_be_led_away() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let sink = Server::start([]);
    window.evaluate(&format!(
        "setTimeout(() => {{ location.href = '{}/away' }}, 0); return null",
        sink.url()
    ));
    // Its own page answers still, after the attempt has had its turn.
    window.evaluate_later("setTimeout(done, 200)");
    window.see("welcome");
    assert!(sink.requests().is_empty(), "the page was led away");
}

#[test]
fn commands_that_are_not_granted_are_refused() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let calls = [
        ("plugin:store|load", json!({"path": "settings.json"})),
        ("plugin:store|get_store", json!({"path": "settings.json"})),
        (
            "plugin:opener|open_url",
            json!({"url": "https://example.com"}),
        ),
        ("plugin:opener|open_path", json!({"path": "/etc/passwd"})),
        ("plugin:dialog|message", json!({"message": "hello"})),
        ("plugin:dialog|open", json!({"options": {}})),
        ("plugin:fs|read_text_file", json!({"path": "/etc/passwd"})),
        (
            "plugin:window|create",
            json!({"options": {"label": "second"}}),
        ),
        (
            "plugin:webview|create_webview_window",
            json!({"options": {"label": "second"}}),
        ),
        ("plugin:window-state|save_window_state", json!({"flags": 0})),
        ("plugin:app|version", json!({})),
        ("plugin:path|resolve_directory", json!({"directory": 1})),
        ("read_key", json!({"source": "anthropic"})),
    ];
    for (command, arguments) in calls {
        let refusal = window.invoke(command, &arguments);
        let Err(reason) = refusal else {
            panic!("{command} answered {refusal:?}");
        };
        let refused = ["not allowed", "not found", "No permission", "denied"];
        assert!(
            refused.iter().any(|word| reason.contains(word)),
            "{command}: {reason}"
        );
    }
    // The same door lets a granted command through.
    let missing = json!({"session": "00000000-0000-7000-8000-000000000000", "sessionId": "00000000-0000-7000-8000-000000000000", "after": 0, "since": 0, "sequenceNumber": 0});
    let answer = window.invoke("events_since", &missing);
    let reason = answer.err().unwrap_or_default();
    assert!(!reason.contains("not allowed"), "{reason}");
}
