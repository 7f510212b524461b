//! A real keychain on a session bus of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

use crate::place::Place;
use crate::process::Group;
use crate::wait::wait_until;

/// Whether the user has typed the keychain's password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    Unlocked,
    Locked,
}

pub struct Keychain {
    bus: String,
    // The keychain before its bus: fields are dropped in this order.
    _daemon: Group,
    _bus_daemon: Group,
}

impl Keychain {
    pub fn start(place: &Place, lock: Lock) -> Self {
        let mut bus_daemon = Group::spawn(
            place
                .command("dbus-daemon")
                .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
                .arg(format!("--address=unix:dir={}", place.runtime().display()))
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        );
        let output = bus_daemon.child().stdout.take().expect("stdout is piped");
        let mut bus = String::new();
        BufReader::new(output)
            .read_line(&mut bus)
            .expect("dbus-daemon prints its address");
        let bus = bus.trim().to_owned();

        let mut command = place.command("gnome-keyring-daemon");
        command
            .args(["--foreground", "--components=secrets"])
            .env("DBUS_SESSION_BUS_ADDRESS", &bus)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if lock == Lock::Unlocked {
            command.arg("--unlock");
        }
        let mut daemon = Group::spawn(&mut command);
        let mut input = daemon.child().stdin.take().expect("stdin is piped");
        // Without --unlock it may be gone from the pipe already, and needs no password.
        let _ = input.write_all(b"a password for one test");
        drop(input);

        wait_until("the keychain's name", Duration::from_secs(20), || {
            let answer = place
                .command("dbus-send")
                .env("DBUS_SESSION_BUS_ADDRESS", &bus)
                .args(["--session", "--print-reply", "--dest=org.freedesktop.DBus"])
                .args(["/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner"])
                .arg("string:org.freedesktop.secrets")
                .output()
                .expect("dbus-send is there: run `make setup`");
            String::from_utf8_lossy(&answer.stdout).contains("boolean true")
        });
        Self {
            bus,
            _daemon: daemon,
            _bus_daemon: bus_daemon,
        }
    }

    /// The address programs find it under.
    pub fn bus(&self) -> &str {
        &self.bus
    }
}
