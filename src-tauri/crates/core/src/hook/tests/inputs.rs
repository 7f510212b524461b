//! What a hook is told, where it runs, and what it is not given.

use std::ffi::OsString;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::super::environment::environment;
use super::super::{Hook, HookRun};
use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn every_point_tells_its_fields_and_no_others() {
    let folder = TempDir::new().unwrap();
    let tool =
        json!({"tool_name": "read_file", "tool_input": {"path": "a.txt"}, "tool_use_id": "call_1"});
    let mut answered = tool.clone();
    answered["tool_response"] = json!("what stands there");
    let rows = [
        (HookEvent::UserPromptSubmit, json!({"prompt": "Hello."})),
        (HookEvent::PreToolUse, tool),
        (HookEvent::PostToolUse, answered),
        (HookEvent::Notification, json!({"message": "A call waits."})),
        (HookEvent::Stop, json!({"stop_hook_active": false})),
        (HookEvent::SubagentStop, json!({"stop_hook_active": true})),
        (
            HookEvent::PreCompact,
            json!({"trigger": "auto", "custom_instructions": ""}),
        ),
        (HookEvent::SessionStart, json!({"source": "startup"})),
    ];
    for (event, fields) in rows {
        run_one(event, in_shell("cat > told.json; pwd > where"), &folder).await;
        let told = std::fs::read_to_string(folder.path().join("told.json")).unwrap();
        let mut expected = json!({
            "session_id": "00000000-0000-0000-0000-000000000000",
            "transcript_path": "",
            "cwd": folder.path(),
            "hook_event_name": event,
        });
        for (name, value) in fields.as_object().unwrap() {
            expected[name] = value.clone();
        }
        assert_eq!(serde_json::from_str::<Value>(&told).unwrap(), expected);
        let place = std::fs::read_to_string(folder.path().join("where")).unwrap();
        assert_eq!(
            Path::new(place.trim()),
            folder.path().canonicalize().unwrap()
        );
    }
}

#[tokio::test]
async fn with_args_no_shell_reads_them() {
    let folder = TempDir::new().unwrap();
    let odd = "$(touch made) `touch made` ; touch made | $HOME";
    let handler = Handler {
        command: "/bin/echo".into(),
        args: Some(vec![odd.into()]),
        ..in_shell("")
    };
    let reply = run_one(HookEvent::SessionStart, handler, &folder).await;
    assert_eq!(reply.context.as_deref(), Some(odd));
    assert!(!folder.path().join("made").exists());
}

#[test]
fn secrets_stay_behind() {
    let rows = [
        ("PATH", "/bin", true),
        ("HOME", "/somewhere", true),
        ("LANG", "de", true),
        ("SSH_AUTH_SOCK", "/run/agent", true),
        ("WEIR_DATA_DIR", "/data", true),
        ("http_proxy", "http://proxy.example:3128", true),
        ("ANTHROPIC_API_KEY", "x", false),
        ("OPENAI_API_KEY", "x", false),
        ("GEMINI_API_KEY", "x", false),
        ("openrouter_api_key", "x", false),
        ("GITHUB_TOKEN", "x", false),
        ("AWS_SECRET_ACCESS_KEY", "x", false),
        ("PGPASSWORD", "x", false),
        ("NPM_CONFIG__AUTH", "x", false),
        ("DATABASE_URL", "postgres://me:pw@db.example/x", false),
        ("WEIR_HOOK_RUN", "1-other", false),
    ];
    let all = rows.map(|(name, value, _)| (OsString::from(name), OsString::from(value)));
    let kept = environment(all.into_iter(), Path::new("project"), "7-mark");
    let mut names: Vec<_> = rows.iter().filter(|row| row.2).map(|row| row.0).collect();
    names.extend(["PYTHONPYCACHEPREFIX", "PWD"]);
    names.extend(["CLAUDE_PROJECT_DIR", "WEIR_HOOK_RUN"]);
    let seen: Vec<_> = kept
        .iter()
        .map(|(name, _)| name.to_str().unwrap())
        .collect();
    assert_eq!(seen, names);
    assert_eq!(kept[names.len() - 1].1, "7-mark");
    assert_eq!(kept[names.len() - 2].1, "project");
}

/// A variable of Weir's own, and what a hook in `folder` gets of it.
#[cfg(unix)]
#[test]
fn nothing_inherited_loads_code_from_the_folder() {
    let home = TempDir::new().unwrap();
    let home = home.path().canonicalize().unwrap();
    let folder = home.join("project");
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    std::os::unix::fs::symlink(&folder, home.join("link")).unwrap();
    let home = home.to_str().unwrap();
    let in_home = |text: &str| text.replace('~', home);
    let rows = [
        ("BASH_ENV", "~/.bashrc", None),
        ("BASH_FUNC_ls%%", "() { sh x; }", None),
        ("ENV", "./x", None),
        ("PYTHONSTARTUP", "x.py", None),
        ("LD_PRELOAD", "./x.so", None),
        ("DYLD_INSERT_LIBRARIES", "./x.so", None),
        ("NODE_OPTIONS", "--require ./x.js", None),
        ("PERL5OPT", "-Mx", None),
        ("RUBYOPT", "-rx", None),
        ("PROMPT_COMMAND", "sh x", None),
        ("CDPATH", "/elsewhere", None),
        ("MAKEFLAGS", "-fx", None),
        ("GIT_DIR", "~/other", None),
        ("GIT_SSH_COMMAND", "sh x", None),
        ("GIT_AUTHOR_NAME", "me", Some("me")),
        ("npm_config_script_shell", "./x", None),
        (
            "PATH",
            "/bin:.:~/project/bin::~/bin:bin:~/link/bin",
            Some("/bin:~/bin"),
        ),
        ("PYTHONPATH", "lib:~/project/lib", None),
        ("PERL5LIB", "~/lib:lib", Some("~/lib")),
        ("LD_LIBRARY_PATH", ":/lib", Some("/lib")),
        ("EDITOR", "~/project/x", None),
        ("EDITOR", "~/project/../project/x", None),
        ("EDITOR", "vim", Some("vim")),
        ("TOOL", "run --with=~/project/x", None),
        ("TOOL", "~/link/not/there", None),
        ("PWD", "~", Some("~/project")),
        ("HOME", "~", Some("~")),
    ];
    for (name, value, expected) in rows {
        let all = [(OsString::from(name), OsString::from(in_home(value)))];
        let kept = environment(all.into_iter(), &folder, "7-mark");
        let found = kept.iter().find(|(it, _)| it == name);
        let found = found.map(|(_, value)| value.to_str().unwrap().to_owned());
        assert_eq!(found, expected.map(in_home), "{name}={value}");
        let path = kept.iter().find(|(it, _)| it == "PATH");
        assert!(path.is_some_and(|(_, path)| !path.is_empty()), "{name}");
    }
}

/// A matcher, what it is held against, and whether the hook runs.
#[tokio::test(flavor = "multi_thread")]
async fn matchers_say_who_runs() {
    let tool = |name: &str| Point::PreToolUse {
        tool_name: name.to_owned(),
        tool_input: json!({}),
        tool_use_id: "a".into(),
    };
    let rows = [
        ("", tool("read_file"), true),
        ("*", tool("read_file"), true),
        (" ", tool("read_file"), true),
        ("|", tool("read_file"), true),
        ("read_file", tool("read_file"), true),
        ("read", tool("read_file"), false),
        ("Read", tool("read_file"), true),
        ("Read", tool("search_text"), true),
        ("Grep", tool("read_file"), false),
        ("Bash", tool("read_file"), false),
        ("Bash|Read", tool("read_file"), true),
        ("Bash, Read", tool("read_file"), true),
        ("Bash,Edit", tool("read_file"), false),
        ("mcp__a-b__c", tool("mcp__a-b__c"), true),
        ("mcp__a-b", tool("mcp__a-b__c"), false),
        ("mcp__.*", tool("mcp__a-b__c"), true),
        ("ead_f.", tool("read_file"), true),
        ("^ead", tool("read_file"), false),
        ("^(Bash|Read)$", tool("read_file"), true),
        ("(?i)READ_FILE", tool("read_file"), true),
        ("startup", point(HookEvent::SessionStart), true),
        ("resume", point(HookEvent::SessionStart), false),
        ("auto", point(HookEvent::PreCompact), true),
        ("manual", point(HookEvent::PreCompact), false),
        ("permission_prompt", point(HookEvent::Notification), true),
        ("budget_warning", point(HookEvent::Notification), false),
        ("Bash", point(HookEvent::UserPromptSubmit), true),
        ("Bash", point(HookEvent::Stop), true),
        ("Bash", point(HookEvent::SubagentStop), true),
        ("[", point(HookEvent::Stop), true),
    ];
    let folder = TempDir::new().unwrap();
    let count = rows.len();
    for (matcher, at, runs) in rows {
        let definition = Definition {
            matcher: matcher.to_owned(),
            ..hook(at.event(), in_shell("exit 0"))
        };
        let said = run_at(&[definition], at, &folder).await;
        assert_eq!(said.runs.len() == 1, runs, "{matcher}");
        assert!(said.runs.iter().all(|run| run.reply
            == HookReply {
                exit_code: Some(0),
                ..HookReply::passed()
            }));
    }
    println!("hook matchers: {count} cases");

    // What no one can read guards everything.
    for (event, fail_closed, holds) in [
        (HookEvent::PreToolUse, None, true),
        (HookEvent::PreToolUse, Some(false), false),
        (HookEvent::PostToolUse, None, false),
        (HookEvent::PostToolUse, Some(true), true),
    ] {
        let handler = Handler {
            fail_closed,
            ..in_shell("touch ran")
        };
        let definition = Definition {
            matcher: "Bash(".into(),
            ..hook(event, handler)
        };
        let said = run_at(&[definition], point(event), &folder).await;
        assert_eq!(said.runs[0].reply.outcome, HookOutcome::Failed);
        let held = said.permission.is_some() || said.updated_output.is_some();
        assert_eq!(held, holds, "{event:?} {fail_closed:?}");
        assert!(!folder.path().join("ran").exists());
    }
}

/// The first waits for a file that the second makes: one after the other would never end.
#[tokio::test]
async fn all_run_at_once_and_identical_ones_once() {
    let folder = TempDir::new().unwrap();
    let waits = "echo x >> first; while [ ! -e second ]; do sleep 0.01; done";
    let makes = "while [ ! -e first ]; do sleep 0.01; done; touch second";
    let mut hooks = vec![hook(HookEvent::PreToolUse, in_shell(waits))];
    hooks.push(Definition {
        matcher: "Read".into(),
        ..hooks[0].clone()
    });
    hooks.push(hook(HookEvent::PreToolUse, in_shell(makes)));
    let said = run_at(&hooks, point(HookEvent::PreToolUse), &folder).await;
    assert_eq!(said.runs.len(), 2);
    let passed = |run: &HookRun| run.reply.outcome == HookOutcome::Passed;
    assert!(said.runs.iter().all(passed), "{said:?}");
    let first = std::fs::read_to_string(folder.path().join("first")).unwrap();
    assert_eq!(first, "x\n");
}

#[derive(Default)]
struct Callback {
    heard: Arc<Mutex<Vec<HookInput>>>,
    panics: bool,
}

impl Hook for Callback {
    fn name(&self) -> String {
        "callback".into()
    }

    fn run(&self, input: HookInput) -> BoxFuture<'static, HookReply> {
        let event = input.point.event();
        self.heard.lock().unwrap().push(input);
        assert!(!self.panics, "told to");
        async move { HookReply::blocked(event, "not today") }.boxed()
    }
}

#[tokio::test]
async fn a_callback_is_a_hook_too_and_its_panic_holds_back() {
    let folder = TempDir::new().unwrap();
    let callback = Callback::default();
    let heard = Arc::clone(&callback.heard);
    let mut hooks = Hooks::default();
    hooks.register(HookEvent::PreToolUse, "Read", Arc::new(callback));
    let (_stop, mut stopped) = watch::channel(false);
    let asked = input(point(HookEvent::PreToolUse), folder.path());
    let said = hooks.run(asked.clone(), &mut stopped).await;
    let denied = (Permission::Deny, "not today".to_owned());
    assert_eq!(said.permission, Some(denied));
    assert_eq!(*heard.lock().unwrap(), std::slice::from_ref(&asked));

    let mut hooks = Hooks::default();
    let callback = Callback {
        panics: true,
        ..Callback::default()
    };
    hooks.register(HookEvent::PreToolUse, "", Arc::new(callback));
    let said = hooks.run(asked, &mut stopped).await;
    assert_eq!(said.runs[0].reply.outcome, HookOutcome::Failed);
    assert!(matches!(said.permission, Some((Permission::Deny, _))));
}
