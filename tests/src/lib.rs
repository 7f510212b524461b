//! The real parts the tests run against: the built programs, a folder of their own to run
//! in, a keychain, a screen, a driven window, and a server that speaks as it is told.
//!
//! Nothing here reaches beyond the machine's own loopback, and everything that is started
//! is ended, by its process id, when its value goes out of scope.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "support for tests: a failure here is a test's failure and should say where"
)]

pub mod accessibility;
pub mod aimock;
pub mod canary;
pub mod chance;
pub mod checksums;
pub mod confirmation;
pub mod display;
pub mod events;
pub mod eventstream;
pub mod faulty;
pub mod files;
pub mod keychain;
pub mod laws;
pub mod loopback;
pub mod paced;
pub mod process;
pub mod provider;
pub mod python;
pub mod replies;
pub mod ruin;
pub mod sandbox;
pub mod seeds;
pub mod server;
pub mod sse;
pub mod steps;
pub mod wait;
pub mod weir;
pub mod window;

pub use accessibility::Accessibility;
pub use aimock::Aimock;
pub use canary::Canary;
pub use display::Display;
pub use keychain::{Keychain, Lock};
pub use provider::Provider;
pub use sandbox::Sandbox;
pub use server::{Part, Reply, Server};
pub use weir::{Outcome, Running};
pub use window::Window;
