//! Names the commands that pages may call; `capabilities/` says which page may call which.

const COMMANDS: &[&str] = &[
    "start",
    "open_session",
    "events_since",
    "events_before",
    "send_prompt",
    "edit_prompt",
    "ask_again",
    "choose_model",
    "choose_branch",
    "fork_session",
    "show_original",
    "stop_turn",
    "decide_permission",
    "rename_session",
    "delete_session",
    "restore_session",
    "change_settings",
    "guards",
    "change_guards",
    "try_guards",
    "set_key",
    "delete_key",
    "list_models",
    "find_sources",
    "usage",
    "go_over_budget",
    "open_link",
    "projects",
    "open_project",
    "session_project",
    "trust_project",
    "hooks",
    "try_hook",
    "memories",
    "memories_by_id",
    "switch_memory",
    "edit_memory",
    "forget_memories",
    "answer_confirmation",
    "save_copy",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=../ui/dist/index.html");
    if !std::path::Path::new("../ui/dist/index.html").exists() {
        return Err("the web UI is not built: run `make build`".into());
    }
    let commands = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(commands))?;
    Ok(())
}
