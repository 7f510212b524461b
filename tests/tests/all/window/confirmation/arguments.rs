//! How much every command may be given, tried from the page.

use serde_json::{Value, json};

use crate::window::Desk;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
/// For every field that needs no more.
const FEW: usize = 16 * KIB;

/// Every command and its fields, with what fits into each. A path leads into an object, or into
/// each item of a list.
const COMMANDS: &[(&str, &[(&str, usize)])] = &[
    ("start", &[("channel", FEW)]),
    ("open_session", &[("id", FEW)]),
    ("events_since", &[("id", FEW), ("since", FEW)]),
    ("events_before", &[("id", FEW), ("before", FEW)]),
    (
        "send_prompt",
        &[
            ("session", FEW),
            ("prompt", 4 * MIB),
            ("images.data", 20 * MIB),
            ("images.mediaType", FEW),
            ("begins.project", FEW),
            ("begins.options", 96 * KIB),
            ("choice", FEW),
        ],
    ),
    (
        "edit_prompt",
        &[
            ("session", FEW),
            ("turn", FEW),
            ("prompt", 4 * MIB),
            ("images.data", 20 * MIB),
            ("images.mediaType", FEW),
            ("choice", FEW),
        ],
    ),
    ("ask_again", &[("session", FEW), ("turn", FEW)]),
    (
        "choose_model",
        &[
            ("session", FEW),
            ("change.source", FEW),
            ("change.model", FEW),
            ("change.options", 96 * KIB),
        ],
    ),
    ("choose_branch", &[("session", FEW), ("turn", FEW)]),
    ("fork_session", &[("session", FEW), ("turn", FEW)]),
    ("show_original", &[("session", FEW), ("placeholder", FEW)]),
    ("stop_turn", &[("session", FEW)]),
    (
        "decide_permission",
        &[
            ("session", FEW),
            ("turn", FEW),
            ("toolCallId", FEW),
            ("decision", FEW),
            ("scope", FEW),
        ],
    ),
    ("rename_session", &[("session", FEW), ("title", FEW)]),
    ("delete_session", &[("session", FEW)]),
    ("restore_session", &[("session", FEW)]),
    ("change_settings", &[("change", FEW)]),
    ("guards", &[("project", FEW)]),
    ("change_guards", &[("project", FEW), ("config", MIB)]),
    (
        "try_guards",
        &[("project", FEW), ("stage", FEW), ("text", 2 * MIB)],
    ),
    ("set_key", &[("source", FEW), ("key", FEW)]),
    ("delete_key", &[("source", FEW)]),
    ("list_models", &[("source", FEW)]),
    ("find_sources", &[("anything", FEW)]),
    ("usage", &[("days", FEW)]),
    ("go_over_budget", &[("session", FEW), ("project", FEW)]),
    ("open_link", &[("url", FEW)]),
    ("projects", &[("anything", FEW)]),
    ("open_project", &[("anything", FEW)]),
    ("session_project", &[("id", FEW)]),
    ("trust_project", &[("project", FEW)]),
    ("hooks", &[("anything", FEW)]),
    ("try_hook", &[("project", FEW), ("id", FEW)]),
    ("memories", &[("project", FEW)]),
    ("memories_by_id", &[("ids", 64 * KIB)]),
    ("switch_memory", &[("project", FEW), ("to", FEW)]),
    ("edit_memory", &[("id", FEW), ("content", 64 * KIB)]),
    ("forget_memories", &[("which", FEW)]),
    ("save_copy", &[("anything", FEW)]),
];

#[test]
fn every_argument_of_every_command_is_bounded() {
    let build = include_str!("../../../../../src-tauri/build.rs");
    let listed = build.lines().filter_map(|line| {
        let name = line.trim().strip_prefix('"')?.strip_suffix("\",")?;
        Some(name)
    });
    let mut listed: Vec<_> = listed.collect();
    let mut named: Vec<_> = COMMANDS.iter().map(|(command, _)| *command).collect();
    // Not granted to the page at all.
    named.push("answer_confirmation");
    listed.sort_unstable();
    named.sort_unstable();
    assert_eq!(named, listed, "the table and build.rs");

    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let rows: Vec<Value> = COMMANDS
        .iter()
        .flat_map(|(command, fields)| {
            let row = move |(path, most): &(&str, usize)| json!([command, path, most]);
            fields.iter().map(row)
        })
        .collect();
    let wrong = window.evaluate_later(&format!(
        "const rows = {};
         const nest = (path, value) => path.split('.').reduceRight(
             (inner, name) => ({{ [name]: name === 'images' ? [inner] : inner }}), value);
         (async () => {{
             const wrong = [];
             for (const [command, path, most] of rows) {{
                 const given = nest(path, 'x'.repeat(most + 1));
                 const answer = await window.__TAURI_INTERNALS__.invoke(command, given).then(
                     () => 'it was taken', (error) => String(error.message ?? error));
                 const expected = `This is too large: at most ${{most / 1024}} kB fit here.`;
                 if (answer !== expected) wrong.push([command, path, answer.slice(0, 200)]);
             }}
             return wrong;
         }})().then(done, (error) => done(String(error)))",
        json!(rows)
    ));
    assert_eq!(wrong, json!([]));
    window.see("welcome");
    println!("{} fields of {} commands", rows.len(), COMMANDS.len());
}
