//! A start that finds its data in a bad state says so in the window.

use super::Desk;

#[test]
fn a_corrupt_database_is_moved_aside_and_told() {
    let desk = Desk::new();
    desk.sandbox.weir(&["chat", "hello fast"]).run().code(0);
    let garbage = b"no database".repeat(1000);
    std::fs::write(desk.sandbox.database(), &garbage).unwrap();
    let window = desk.open();
    window.see("notice");
    let notice = window.texts("notice").concat();
    assert!(notice.contains("weir.db.corrupt-"), "{notice}");
    window.send("hello fast");
    window.see("usage");
    window.screenshot("notice-light");
}

#[test]
fn a_data_folder_that_cannot_be_used_is_told() {
    let desk = Desk::new();
    std::fs::write(desk.sandbox.data(), "a file where the folder should be").unwrap();
    let window = desk.open();
    window.see("startup-error");
    let error = window.texts("startup-error").concat();
    assert!(
        error.contains(desk.sandbox.data().to_str().unwrap()),
        "{error}"
    );
    window.screenshot("startup-error-light");
}
