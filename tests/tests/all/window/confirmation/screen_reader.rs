//! What a screen reader is told of a confirmation: the tree on the accessibility bus, read as a
//! screen reader reads it.

use serde_json::json;
use weir_tests::Accessibility;
use weir_tests::accessibility::{ALERT, BUTTON, DIALOG};
use weir_tests::wait::wait_for;

use super::{call, folder, outcome};
use crate::window::Desk;

#[test]
fn a_screen_reader_is_told_what_is_asked() {
    let desk = Desk::new();
    let bus = Accessibility::start(&desk.sandbox);
    let folder = folder(&desk, "the marker");
    let window = desk.open_accessible();
    window.see("welcome");
    // The home is no project's folder, which the confirmation warns of.
    let home = desk.sandbox.home();
    let settings = std::fs::read(folder.join(".claude/settings.json")).unwrap();
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    std::fs::write(home.join(".claude/settings.json"), settings).unwrap();
    call(&window, "trust_project", &json!({ "project": home }));
    let confirmation = window.confirmation("Trust this folder?");
    let dialog = wait_for("the dialog in the tree", || {
        let nodes = bus.nodes();
        nodes
            .into_iter()
            .find(|node| node.name == "Trust this folder?" && [ALERT, DIALOG].contains(&node.role))
    });
    for said in [
        home.to_str().unwrap(),
        "This is not one project's folder",
        "echo number 0 ",
        "echo number 48 ",
        "only the files and folders that are listed with it",
    ] {
        assert!(
            dialog.description.contains(said),
            "{said:?} is announced: {}",
            dialog.description
        );
    }
    let nodes = bus.nodes();
    for button in ["Cancel", "Trust"] {
        assert!(
            nodes
                .iter()
                .any(|node| node.role == BUTTON && node.name == button),
            "{button} can be found"
        );
    }
    let focused: Vec<_> = nodes.iter().filter(|node| node.is_focused).collect();
    assert!(
        focused.iter().any(|node| node.name == "Cancel"),
        "{focused:?} have the focus"
    );
    confirmation.press("cancel");
    window.until("the refusal", || outcome(&window) == "declined");
}
