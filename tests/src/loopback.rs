//! Serves a router on loopback, on a thread of its own, until it is dropped.

use std::net::SocketAddr;

use axum::Router;
use tokio::sync::oneshot;

pub struct Loopback {
    address: SocketAddr,
    // Dropping it ends the thread.
    _stop: oneshot::Sender<()>,
}

impl Loopback {
    pub fn serve(app: Router) -> Self {
        let (stop, stopped) = oneshot::channel();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has a port");
        listener.set_nonblocking(true).expect("a listener can wait");
        let address = listener.local_addr().expect("a listener has an address");
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime starts");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("it listens");
                tokio::select! {
                    _ = stopped => {}
                    result = axum::serve(listener, app) => result.expect("it serves"),
                }
            });
        });
        Self {
            address,
            _stop: stop,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}
