//! The accessibility bus of a sandbox: what programs tell a screen reader there.

use std::collections::HashSet;

use zbus::blocking::{Connection, Proxy, connection::Builder};
use zbus::zvariant::OwnedObjectPath;

use crate::sandbox::Sandbox;

pub struct Accessibility {
    bus: Connection,
}

/// An element as a screen reader knows it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its number in AT-SPI: a web view has no names for them.
    pub role: u32,
    pub name: String,
    pub description: String,
    pub is_focused: bool,
}

pub const ALERT: u32 = 2;
pub const DIALOG: u32 = 16;
pub const BUTTON: u32 = 43;

/// The number of this state in AT-SPI.
const FOCUSED: u32 = 12;
/// The path of no element.
const NOBODY: &str = "/org/a11y/atspi/null";
const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";

impl Accessibility {
    /// Says on the session bus of a sandbox that a screen reader runs.
    pub fn start(sandbox: &Sandbox) -> Self {
        let session = connect(sandbox.bus());
        let status = Proxy::new(&session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Status");
        let status = status.expect("the accessibility bus: run `make setup`");
        for name in ["IsEnabled", "ScreenReaderEnabled"] {
            status
                .set_property(name, true)
                .expect("a screen reader can be switched on");
        }
        let launcher = Proxy::new(&session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus");
        let address: String = launcher
            .and_then(|launcher| launcher.call("GetAddress", &()))
            .expect("the accessibility bus has an address");
        Self {
            bus: connect(&address),
        }
    }

    /// Every element of every program that can be reached now.
    pub fn nodes(&self) -> Vec<Node> {
        let root = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root");
        let mut open = vec![(root.0.to_owned(), root.1.to_owned())];
        let mut known = HashSet::new();
        let mut nodes = Vec::new();
        while let Some((program, path)) = open.pop() {
            if !known.insert((program.clone(), path.clone())) {
                continue;
            }
            // What is gone meanwhile tells nothing.
            let Ok(element) = Proxy::new(&self.bus, program, path, ACCESSIBLE) else {
                continue;
            };
            // A web view counts no children, and returns the page that is embedded in it.
            let count: i32 = element.get_property("ChildCount").unwrap_or_default();
            open.extend((0..count.max(1)).filter_map(|at| child(&element, at)));
            nodes.extend(node(&element));
        }
        nodes
    }
}

fn child(element: &Proxy<'_>, at: i32) -> Option<(String, String)> {
    let child = element.call::<_, _, (String, OwnedObjectPath)>("GetChildAtIndex", &(at,));
    let (program, path) = child.ok()?;
    (path.as_str() != NOBODY).then(|| (program, path.to_string()))
}

fn node(element: &Proxy<'_>) -> Option<Node> {
    let states: Vec<u32> = element.call("GetState", &()).ok()?;
    Some(Node {
        role: element.call("GetRole", &()).ok()?,
        name: element.get_property("Name").ok()?,
        description: element.get_property("Description").ok()?,
        is_focused: states
            .first()
            .is_some_and(|states| states >> FOCUSED & 1 == 1),
    })
}

fn connect(address: &str) -> Connection {
    Builder::address(address)
        .and_then(Builder::build)
        .expect("a bus can be reached")
}
