//! The confirmation window: a web view of its own that shows one request at a time.
//!
//! Invariant: only this window can answer, and only for the request that it shows. Its page is
//! served under an origin of its own, to windows with its own label, so the main page can neither
//! load, read nor script it; its only command is to answer. Rust supplies the text, keeps the
//! queue and the time, and takes anything but a deliberate Accept for Cancel.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tauri::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use tauri::http::{Request, Response, StatusCode};
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{
    AppHandle, Manager, UriSchemeContext, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    WindowEvent, Wry,
};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;
use uuid::Uuid;
use weir_protocol::{
    Confirmation, ConfirmationAnswer, ConfirmationSection, ErrorBody, SectionKind, code,
};

/// The scheme, and with it the origin, of the confirmation page.
pub(crate) const SCHEME: &str = "weir-confirm";
const LABEL: &str = "confirm-";
const PAGE: &str = "confirm.html";
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src ipc: http://ipc.localhost; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A click or key that was meant for something else arrives before a person can have read this.
const TOO_SOON: Duration = Duration::from_millis(500);
/// A page that takes longer than this to be drawn has crashed.
const LOADING: Duration = Duration::from_secs(60);
/// Requests that may wait behind the one that is shown, with it.
const QUEUE: usize = 8;

/// What waits for an answer.
pub(crate) struct Confirmations {
    /// A place in the queue, and the turn to be shown.
    places: Semaphore,
    turn: tokio::sync::Mutex<()>,
    pending: Mutex<Option<Pending>>,
    opened: AtomicU64,
}

struct Pending {
    id: Uuid,
    label: String,
    /// None until its window is on the screen.
    shown: Option<Instant>,
    answer: oneshot::Sender<ConfirmationAnswer>,
}

impl Default for Confirmations {
    fn default() -> Self {
        Self {
            places: Semaphore::new(QUEUE),
            turn: tokio::sync::Mutex::new(()),
            pending: Mutex::new(None),
            opened: AtomicU64::new(0),
        }
    }
}

impl Confirmations {
    /// Shows a request once those before it are answered. Everything but Accept is an error.
    pub(super) async fn ask(
        &self,
        app: &AppHandle,
        request: &Confirmation,
    ) -> Result<(), ErrorBody> {
        let Ok(_place) = self.places.try_acquire() else {
            let message = "Too many confirmations are waiting. Answer those first.";
            return Err(ErrorBody::new(code::BUSY, message));
        };
        let _turn = self.turn.lock().await;
        let id = Uuid::new_v4();
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        let label = format!("{LABEL}{number}");
        let (answer, answered) = oneshot::channel();
        *self.pending() = Some(Pending {
            id,
            label: label.clone(),
            shown: None,
            answer,
        });
        let window = open(app, &label, id, request).inspect_err(|_| self.cancel());
        let window = window.map_err(|error| {
            let message = format!("The confirmation window could not be opened: {error}.");
            ErrorBody::new(code::DECLINED, message)
        })?;
        let answer = self.wait(answered).await;
        if let Err(error) = window.destroy() {
            tracing::debug!(%error, "the confirmation window was closed already");
        }
        match answer {
            Ok(ConfirmationAnswer::Accept) => Ok(()),
            Ok(ConfirmationAnswer::Cancel) | Err(_) => {
                Err(ErrorBody::new(code::DECLINED, "Nothing was changed."))
            }
        }
    }

    /// For the answer, and for no window that never came onto the screen: nobody could answer it.
    async fn wait(
        &self,
        mut answered: oneshot::Receiver<ConfirmationAnswer>,
    ) -> Result<ConfirmationAnswer, oneshot::error::RecvError> {
        if let Ok(answer) = timeout(LOADING, &mut answered).await {
            return answer;
        }
        if self.pending().as_ref().is_some_and(|it| it.shown.is_none()) {
            self.cancel();
        }
        answered.await
    }

    /// Takes the answer of the window that shows the request, and of no other.
    pub(crate) fn answer(
        &self,
        label: &str,
        id: Uuid,
        answer: ConfirmationAnswer,
    ) -> Result<(), ErrorBody> {
        let mut pending = self.pending();
        let is_asked = |it: &Pending| it.id == id && it.label == label;
        let Some(asked) = pending.take_if(|it| is_asked(it) && it.is_readable()) else {
            let message = "This confirmation is not waiting for an answer yet, or no longer.";
            return Err(ErrorBody::new(code::NOT_WAITING, message));
        };
        // Whoever asked may be gone.
        let _ = asked.answer.send(answer);
        Ok(())
    }

    /// Ends the request that is shown, if any, without an answer.
    pub(crate) fn cancel(&self) {
        *self.pending() = None;
    }

    fn cancel_window(&self, label: &str) {
        self.pending().take_if(|it| it.label == label);
    }

    fn is_on_screen(&self, label: &str) {
        if let Some(pending) = self.pending().as_mut().filter(|it| it.label == label) {
            pending.shown.get_or_insert_with(Instant::now);
        }
    }

    fn pending(&self) -> MutexGuard<'_, Option<Pending>> {
        // What is inside is whole even if somebody panicked while holding it.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    fn is_readable(&self) -> bool {
        self.shown.is_some_and(|shown| shown.elapsed() >= TOO_SOON)
    }
}

fn open(
    app: &AppHandle,
    label: &str,
    id: Uuid,
    request: &Confirmation,
) -> tauri::Result<WebviewWindow> {
    let url = Url::parse(&format!("{SCHEME}://localhost/")).map_err(tauri::Error::InvalidUrl)?;
    let request_script = format!(
        "Object.defineProperty(window, 'confirmation', {{ value: {} }})",
        json!({ "id": id, "request": request })
    );
    let mut builder = WebviewWindowBuilder::new(app, label, WebviewUrl::CustomProtocol(url))
        .title(&request.title)
        .inner_size(640.0, height(request))
        .min_inner_size(360.0, 240.0)
        .center()
        .visible(false)
        .minimizable(false)
        .maximizable(false)
        .disable_drag_drop_handler()
        .proxy_url(crate::window::no_network()?)
        .initialization_script(request_script)
        .on_navigation(is_confirmation_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_page_load(|window, load| {
            if load.event() == PageLoadEvent::Finished {
                show(&window);
            }
        });
    if let Some(main) = app.get_webview_window(crate::window::MAIN) {
        // The system keeps it above the window it belongs to.
        builder = builder.parent(&main)?;
    }
    let window = builder.build()?;
    let (app, label) = (app.clone(), label.to_owned());
    window.on_window_event(move |event| {
        if matches!(
            event,
            WindowEvent::CloseRequested { .. } | WindowEvent::Destroyed
        ) {
            app.state::<Confirmations>().cancel_window(&label);
        }
    });
    Ok(window)
}

/// Enough for a short request, and for the beginning of a long one.
fn height(request: &Confirmation) -> f64 {
    let has_quotation = |section: &ConfirmationSection| {
        matches!(section.kind, SectionKind::Code | SectionKind::Prose)
    };
    match request.sections.len() {
        0..=2 if !request.sections.iter().any(has_quotation) => 260.0,
        0..=2 => 340.0,
        _ => 600.0,
    }
}

fn show(window: &WebviewWindow) {
    for result in [window.show(), window.set_focus()] {
        if let Err(error) = result {
            tracing::warn!(%error, "the confirmation window could not be brought to the front");
        }
    }
    let confirmations = window.state::<Confirmations>();
    confirmations.is_on_screen(window.label());
}

/// `weir-confirm://localhost`, or its form on Windows.
fn is_confirmation_page(url: &Url) -> bool {
    match url.scheme() {
        SCHEME => true,
        "http" | "https" => url.host_str() == Some("weir-confirm.localhost"),
        _ => false,
    }
}

/// Serves the confirmation page and what it is made of, to confirmation windows alone.
pub(crate) fn serve(
    context: UriSchemeContext<'_, Wry>,
    request: Request<Vec<u8>>,
) -> Response<Cow<'static, [u8]>> {
    let path = match request.uri().path().trim_start_matches('/') {
        "" => PAGE,
        path => path,
    };
    let is_part = path == PAGE || path.starts_with("assets/");
    let asset = (is_part && context.webview_label().starts_with(LABEL))
        .then(|| context.app_handle().asset_resolver().get(path.to_owned()))
        .flatten();
    let response = match asset {
        Some(asset) => Response::builder()
            .header(CONTENT_TYPE, asset.mime_type)
            .header(CONTENT_SECURITY_POLICY, POLICY)
            .body(Cow::Owned(asset.bytes)),
        None => Response::builder()
            .status(StatusCode::NOT_FOUND)
            .body(Cow::Borrowed(&[] as &[u8])),
    };
    response.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::sync::oneshot;
    use uuid::Uuid;
    use weir_protocol::ConfirmationAnswer::{Accept, Cancel};

    use super::{Confirmations, Pending, TOO_SOON, Url, is_confirmation_page};

    fn asked(
        confirmations: &Confirmations,
        id: Uuid,
    ) -> oneshot::Receiver<super::ConfirmationAnswer> {
        let (answer, answered) = oneshot::channel();
        *confirmations.pending() = Some(Pending {
            id,
            label: "confirm-1".to_owned(),
            shown: None,
            answer,
        });
        answered
    }

    #[test]
    fn only_the_window_that_shows_the_request_answers_and_not_too_soon() {
        let confirmations = Confirmations::default();
        let id = Uuid::new_v4();
        let mut answered = asked(&confirmations, id);
        assert!(
            confirmations.answer("confirm-1", id, Accept).is_err(),
            "not shown yet"
        );
        confirmations.is_on_screen("confirm-1");
        assert!(
            confirmations.answer("confirm-1", id, Accept).is_err(),
            "just shown"
        );
        assert!(
            confirmations.answer("confirm-1", id, Cancel).is_err(),
            "just shown"
        );
        if let Some(pending) = confirmations.pending().as_mut() {
            pending.shown = Instant::now().checked_sub(TOO_SOON);
        }
        assert!(
            confirmations.answer("main", id, Accept).is_err(),
            "another window"
        );
        assert!(
            confirmations.answer("confirm-0", id, Accept).is_err(),
            "an earlier window"
        );
        assert!(
            confirmations
                .answer("confirm-1", Uuid::new_v4(), Accept)
                .is_err(),
            "another request"
        );
        assert!(answered.try_recv().is_err(), "none of these counted");
        assert!(confirmations.answer("confirm-1", id, Accept).is_ok());
        assert_eq!(answered.try_recv(), Ok(Accept));
        assert!(
            confirmations.answer("confirm-1", id, Accept).is_err(),
            "answered once"
        );
    }

    #[test]
    fn a_window_that_closes_cancels_its_own_request_only() {
        let confirmations = Confirmations::default();
        let mut answered = asked(&confirmations, Uuid::new_v4());
        confirmations.cancel_window("confirm-0");
        assert_eq!(
            answered.try_recv(),
            Err(oneshot::error::TryRecvError::Empty)
        );
        confirmations.cancel_window("confirm-1");
        assert_eq!(
            answered.try_recv(),
            Err(oneshot::error::TryRecvError::Closed)
        );
    }

    #[test]
    fn the_confirmation_window_goes_nowhere_else() {
        let stays = [
            "weir-confirm://localhost/",
            "http://weir-confirm.localhost/",
        ];
        let leaves = [
            "tauri://localhost/",
            "https://example.com/",
            "data:text/html,x",
            "about:blank",
        ];
        for (urls, expected) in [(&stays[..], true), (&leaves[..], false)] {
            for url in urls {
                assert_eq!(
                    is_confirmation_page(&Url::parse(url).unwrap()),
                    expected,
                    "{url}"
                );
            }
        }
    }
}
