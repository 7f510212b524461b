//! The accessibility bus of a place: what programs tell a screen reader there.

use zbus::blocking::{Connection, Proxy, connection::Builder};
use zbus::zvariant::OwnedObjectPath;

use crate::place::Place;

pub struct Accessibility {
    bus: Connection,
}

/// An element as a screen reader knows it.
#[derive(Clone, Debug)]
pub struct Node {
    pub role: String,
    pub name: String,
    pub description: String,
    pub is_focused: bool,
}

/// The number of this state in AT-SPI.
const FOCUSED: u32 = 12;
const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";

impl Accessibility {
    /// Says on the session bus of a place that a screen reader runs.
    pub fn start(place: &Place) -> Self {
        let session = connect(place.bus());
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
        let root = "/org/a11y/atspi/accessible/root";
        let mut open = vec![("org.a11y.atspi.Registry".to_owned(), root.to_owned())];
        let mut nodes = Vec::new();
        while let Some((program, path)) = open.pop() {
            // What is gone meanwhile tells nothing.
            let Ok(element) = Proxy::new(&self.bus, program, path, ACCESSIBLE) else {
                continue;
            };
            // One by one: a web view does not list the page that is embedded in it.
            let count: i32 = element.get_property("ChildCount").unwrap_or_default();
            open.extend((0..count).filter_map(|at| child(&element, at)));
            nodes.extend(node(&element));
        }
        nodes
    }
}

fn child(element: &Proxy<'_>, at: i32) -> Option<(String, String)> {
    let child = element.call::<_, _, (String, OwnedObjectPath)>("GetChildAtIndex", &(at,));
    child
        .ok()
        .map(|(program, path)| (program, path.to_string()))
}

fn node(element: &Proxy<'_>) -> Option<Node> {
    let states: Vec<u32> = element.call("GetState", &()).ok()?;
    Some(Node {
        role: element.call("GetRoleName", &()).ok()?,
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
