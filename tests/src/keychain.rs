//! A real keychain on a session bus of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::process::{Group, Signal};
use crate::sandbox::Sandbox;
use crate::wait::wait_until;

/// Whether the user has typed the keychain's password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    Unlocked,
    Locked,
}

/// What the bus does when somebody asks for a program that does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    /// Starts those that the system has, as in a session of a desktop: another keychain, locked.
    Starts,
    /// Says that it is not there.
    Bare,
}

const BARE: &str = r#"<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

pub struct Keychain {
    bus: String,
    // The keychain before its bus: fields are dropped in this order.
    daemon: Option<Group>,
    _bus_daemon: Group,
}

impl Keychain {
    pub fn start(sandbox: &Sandbox, lock: Lock, bus: Bus) -> Self {
        let config = match bus {
            Bus::Starts => "--session".to_owned(),
            Bus::Bare => {
                let path = sandbox.runtime().join("bus.conf");
                std::fs::write(&path, BARE).expect("a file can be written");
                format!("--config-file={}", path.display())
            }
        };
        let mut bus_daemon = Group::spawn(
            sandbox
                .command("dbus-daemon")
                .args([&config, "--nofork", "--nopidfile", "--print-address=1"])
                .arg(format!(
                    "--address=unix:dir={}",
                    sandbox.runtime().display()
                ))
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

        let daemon = start_daemon(sandbox, &bus, lock);
        Self {
            bus,
            daemon: Some(daemon),
            _bus_daemon: bus_daemon,
        }
    }

    /// The address programs find it under.
    pub fn bus(&self) -> &str {
        &self.bus
    }

    /// Ends the keychain at once; the bus goes on.
    pub fn kill(&mut self) {
        self.daemon = None;
    }

    /// Starts it again after [`Self::kill`], with what it had kept.
    pub(crate) fn start_again(&mut self, sandbox: &Sandbox) {
        self.daemon = Some(start_daemon(sandbox, &self.bus, Lock::Unlocked));
    }

    /// Lets it hang, or go on after that.
    pub fn signal(&self, signal: Signal) {
        let daemon = self.daemon.as_ref().expect("the keychain runs");
        daemon.signal(signal);
    }
}

fn start_daemon(sandbox: &Sandbox, bus: &str, lock: Lock) -> Group {
    let mut command = sandbox.command("gnome-keyring-daemon");
    command
        // In the place of one that the bus may have started.
        .args(["--replace", "--foreground", "--components=secrets"])
        .env("DBUS_SESSION_BUS_ADDRESS", bus)
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

    let owner = format!("uint32 {}", daemon.id());
    wait_until("the keychain's name", || {
        let answer = sandbox
            .command("dbus-send")
            .env("DBUS_SESSION_BUS_ADDRESS", bus)
            .args(["--session", "--print-reply", "--dest=org.freedesktop.DBus"])
            .arg("/org/freedesktop/DBus")
            .arg("org.freedesktop.DBus.GetConnectionUnixProcessID")
            .arg("string:org.freedesktop.secrets")
            .output()
            .expect("dbus-send is there: run `make setup`");
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        answer.lines().any(|line| line.trim() == owner)
    });
    daemon
}
