//! Script in the main page tries to answer, close, cover or read the confirmation.

use std::io::ErrorKind;
use std::net::TcpListener;

use serde_json::{Value, json};
use weir_tests::Canary;

use super::{call, folder, outcome};
use crate::window::Desk;

/// Each is an expression; what it comes to, or why it fails, is collected. `invoke` calls a
/// command, `page` is the address of the confirmation's page, `load` waits for an element.
const ATTEMPTS: &[&str] = &[
    // Answer it.
    "invoke('answer_confirmation', {})",
    "invoke('answer_confirmation', { id: '00000000-0000-0000-0000-000000000000', answer: 'accept' })",
    "invoke('answer_confirmation', { id: crypto.randomUUID(), answer: 'accept' })",
    "invoke('answer_confirmation', { id: null, answer: 'accept', label: 'confirm-0' })",
    "invoke('answer_confirmation', { id: crypto.randomUUID(), answer: 'accept' }, { headers: { 'Tauri-Webview-Label': 'confirm-0', Origin: page } })",
    "invoke('Answer_Confirmation', { answer: 'accept' })",
    "invoke('plugin:confirm|answer_confirmation', { answer: 'accept' })",
    "window.ipc.postMessage(JSON.stringify({ cmd: 'answer_confirmation', callback: 1, error: 2, payload: { answer: 'accept' }, options: {} }))",
    "window.ipc.postMessage(JSON.stringify({ cmd: 'answer_confirmation', callback: 1, error: 2, payload: { answer: 'accept' }, options: {}, __TAURI_INVOKE_KEY__: 'x', webview: 'confirm-0', label: 'confirm-0' }))",
    "window.webkit.messageHandlers.ipc.postMessage(JSON.stringify({ cmd: 'answer_confirmation', payload: { answer: 'accept' } }))",
    "fetch('ipc://localhost/answer_confirmation', { method: 'POST', body: JSON.stringify({ answer: 'accept' }) }).then((response) => response.text())",
    "fetch('ipc://localhost/answer_confirmation', { method: 'POST', headers: { 'Tauri-Callback': '1', 'Tauri-Error': '2', 'Tauri-Webview-Label': 'confirm-0' }, body: '{}' }).then((response) => response.text())",
    "invoke('plugin:event|emit', { event: 'answer_confirmation', payload: 'accept' })",
    "invoke('plugin:event|emit_to', { target: { kind: 'AnyLabel', label: 'confirm-0' }, event: 'tauri://close-requested', payload: null })",
    "invoke('plugin:event|listen', { event: 'tauri://focus', target: { kind: 'Any' }, handler: 1 })",
    "window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))",
    "document.activeElement.dispatchEvent(new MouseEvent('click', { screenX: 800, screenY: 500, bubbles: true }))",
    "document.elementFromPoint(600, 600)?.click()",
    "window.postMessage({ answer: 'accept' }, '*')",
    "new BroadcastChannel('confirmation').postMessage('accept')",
    // Close it, or take it off the screen.
    "invoke('plugin:window|close', { label: 'confirm-0' })",
    "invoke('plugin:window|destroy', { label: 'confirm-0' })",
    "invoke('plugin:window|hide', { label: 'confirm-0' })",
    "invoke('plugin:window|minimize', { label: 'confirm-0' })",
    "invoke('plugin:window|set_position', { label: 'confirm-0', value: { Physical: { x: 5000, y: 5000 } } })",
    "invoke('plugin:window|set_size', { label: 'confirm-0', value: { Physical: { width: 1, height: 1 } } })",
    "invoke('plugin:window|set_always_on_top', { label: 'main', value: true })",
    "invoke('plugin:window|set_fullscreen', { label: 'main', value: true })",
    "invoke('plugin:window|set_focus', { label: 'main' })",
    "invoke('plugin:webview|webview_close', { label: 'confirm-0' })",
    "invoke('plugin:webview|webview_hide', { label: 'confirm-0' })",
    "invoke('plugin:webview|reparent', { label: 'confirm-0', window: 'main' })",
    "invoke('plugin:webview|internal_toggle_devtools', { label: 'confirm-0' })",
    "invoke('plugin:process|exit', { code: 0 })",
    // Cover it.
    "String(window.open('about:blank', '_blank', 'width=1600,height=1000'))",
    "String(window.open('', 'confirm-0'))",
    "invoke('plugin:window|create', { options: { label: 'cover', alwaysOnTop: true } })",
    "invoke('plugin:webview|create_webview_window', { options: { label: 'confirm-9', url: 'index.html' } })",
    "invoke('open_project', {})",
    "invoke('save_copy', {})",
    "(window.print(), 'printed')",
    "(() => { const chooser = document.createElement('input'); chooser.type = 'file'; chooser.click(); return 'chooses a file' })()",
    "(() => { const chooser = document.createElement('input'); chooser.type = 'color'; chooser.click(); return 'chooses a colour' })()",
    "(() => { const menu = document.createElement('select'); menu.append(new Option('cover')); document.body.append(menu); menu.focus(); try { menu.showPicker() } finally { menu.remove() } return 'unfolds a menu' })()",
    "(() => { document.body.title = 'cover '.repeat(500); return 'has a long tooltip' })()",
    "Notification?.requestPermission().then((answer) => { if (answer === 'granted') new Notification('cover'); return answer })",
    "document.documentElement.requestFullscreen()",
    "(window.moveTo(0, 0), window.resizeTo(1600, 1000), window.focus(), 'moved')",
    "(() => { const cover = document.createElement('dialog'); document.body.append(cover); cover.showModal(); cover.remove(); return 'covered the main page' })()",
    // Read it.
    "String(window.confirmation)",
    "fetch(page).then((response) => response.text())",
    "fetch(page, { mode: 'no-cors' }).then((response) => response.text())",
    "fetch(page + 'confirm.html').then((response) => response.text())",
    "new Promise((done, fail) => { const request = new XMLHttpRequest(); request.onload = () => done(request.responseText); request.onerror = () => fail('refused'); request.open('GET', page); request.send() })",
    "load('iframe', { src: page })",
    "load('object', { data: page })",
    "load('embed', { src: page })",
    "load('img', { src: page })",
    "load('script', { src: page + 'assets/confirm.js' })",
    "load('link', { rel: 'stylesheet', href: page + 'assets/theme.css' })",
    "import(/* @vite-ignore */ page + 'assets/confirm.js')",
    "new Worker(page) && 'started'",
    "new EventSource(page) && 'opened'",
    "String(navigator.sendBeacon?.(page, 'x'))",
    "(() => { location.href = page; return 'left' })()",
    "(() => { const form = document.createElement('form'); form.action = page; form.method = 'post'; document.body.append(form); form.submit(); form.remove(); return 'left' })()",
    "(() => { history.pushState(null, '', page); return location.href })()",
    "JSON.stringify([window.opener, window.parent === window, window.frames.length])",
    "JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
    "navigator.clipboard?.readText()",
    "navigator.mediaDevices?.getDisplayMedia({ video: true }).then(() => 'captured')",
    "caches?.keys().then((keys) => keys.join())",
    "indexedDB?.databases?.().then((known) => JSON.stringify(known))",
    "new Promise((done) => { const heard = new BroadcastChannel('confirmation'); heard.onmessage = (event) => done(event.data); setTimeout(() => done('silence'), 50) })",
];

#[test]
fn script_in_the_page_can_neither_answer_nor_close_nor_cover_nor_read_it() {
    assert!(ATTEMPTS.len() >= 40);
    let desk = Desk::new();
    // The page does not know it: it stands in the folder, and in the confirmation.
    let marker = Canary::new();
    let folder = folder(&desk, marker.key());
    let window = desk.open();
    window.see("welcome");
    call(&window, "trust_project", &json!({ "project": folder }));
    let confirmation = window.confirmation("Trust this folder?");
    assert!(confirmation.text().contains(marker.key()));
    let content = "return document.querySelector('[data-testid=content]').innerText";
    let shown = confirmation.evaluate(content);
    let sandbox = desk.visible_at("Trust this folder?");
    let on_top = desk.visible("Trust this folder?").remove(0);
    desk.xdotool(&["windowfocus", "--sync", &on_top]);
    let focused = desk.xdotool(&["getwindowfocus"]);
    let stack = desk.stack();
    assert_eq!(stack.last(), Some(&on_top), "it is on top of {stack:?}");

    for attempt in ATTEMPTS {
        let result = window.evaluate_later(&format!(
            "const page = 'weir-confirm://localhost/';
             const invoke = (...call) => window.__TAURI_INTERNALS__.invoke(...call);
             const load = (name, attributes) => new Promise((loaded, failed) => {{
                 const element = document.createElement(name);
                 Object.assign(element, attributes);
                 element.onload = () => loaded('loaded ' + (element.contentDocument?.body?.innerText ?? ''));
                 element.onerror = () => failed('refused');
                 document.body.append(element);
                 setTimeout(() => {{ failed('nothing came'); element.remove() }}, 300);
             }});
             const attempt = async () => {attempt};
             const limit = new Promise((_, late) => setTimeout(late, 2000, 'no answer'));
             Promise.race([attempt(), limit]).then(
                 (value) => done({{ came: String(value) }}),
                 (error) => done({{ failed: JSON.stringify(error) + String(error) }}),
             )"
        ));
        let text = result.to_string();
        assert!(!text.contains(marker.key()), "{attempt} read it: {text}");
        let command = attempt.starts_with("invoke(");
        assert!(
            !command || result.get("failed").is_some(),
            "{attempt} came to {text}"
        );
        assert!(confirmation.is_open(), "{attempt} closed it");
        assert_eq!(outcome(&window), Value::Null, "{attempt} answered it");
        assert_eq!(
            desk.visible_at("Trust this folder?"),
            sandbox,
            "{attempt} moved it"
        );
        assert_eq!(desk.stack(), stack, "{attempt} opened or raised a window");
        assert_eq!(
            desk.xdotool(&["getwindowfocus"]),
            focused,
            "{attempt} took the focus from it"
        );
    }
    assert!(
        window.holding(marker.key()).is_empty(),
        "the page holds what only the confirmation shows"
    );
    let unchanged = confirmation.evaluate(content) == shown;
    assert!(unchanged, "nothing in it has changed");
    confirmation.press("cancel");
    window.until("the refusal", || outcome(&window) == "declined");
    println!(
        "{} attempts on the confirmation, none succeeded",
        ATTEMPTS.len()
    );
}

/// Whatever opens a connection, by any element or hint, opens none from the page.
#[test]
fn no_hint_of_the_page_opens_a_connection() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let sink = TcpListener::bind("127.0.0.1:0").unwrap();
    sink.set_nonblocking(true).unwrap();
    let url = format!("http://{}", sink.local_addr().unwrap());
    for rel in [
        "preconnect",
        "dns-prefetch",
        "prefetch",
        "preload",
        "modulepreload",
        "prerender",
        "icon",
        "manifest",
    ] {
        window.evaluate(&format!(
            "const link = document.createElement('link');
             link.rel = '{rel}'; link.href = '{url}/{rel}'; link.as = 'image';
             document.head.append(link);
             return null"
        ));
    }
    window.evaluate_later("setTimeout(done, 1000)");
    let accepted = sink.accept().map_err(|error| error.kind());
    assert_eq!(
        accepted.err(),
        Some(ErrorKind::WouldBlock),
        "a hint opened a connection"
    );
}
