//! Points × exit codes × what was written: each cell is a process that ran.

use std::sync::Arc;

use futures_util::{StreamExt, stream};

use super::*;

/// What a command does, and what that means at each point: a prompt, a call before and after
/// it, a notification, the end of a turn or a helper, before a summary, a session's start.
struct Row {
    command: &'static str,
    fail_closed: Option<bool>,
    prompt: &'static str,
    before: &'static str,
    after: &'static str,
    notice: &'static str,
    end: &'static str,
    compact: &'static str,
    start: &'static str,
}

impl Row {
    fn cell(&self, event: HookEvent) -> &'static str {
        match event {
            HookEvent::UserPromptSubmit => self.prompt,
            HookEvent::PreToolUse => self.before,
            HookEvent::PostToolUse => self.after,
            HookEvent::Notification => self.notice,
            HookEvent::Stop | HookEvent::SubagentStop => self.end,
            HookEvent::PreCompact => self.compact,
            HookEvent::SessionStart => self.start,
        }
    }
}

/// The same at every point.
const fn everywhere(command: &'static str, cell: &'static str) -> Row {
    Row {
        command,
        fail_closed: None,
        prompt: cell,
        before: cell,
        after: cell,
        notice: cell,
        end: cell,
        compact: cell,
        start: cell,
    }
}

const UNSAID: &str =
    "blocked, denies A hook said no and did not say why., says A hook said no and did not say why.";

const ROWS: &[Row] = &[
    everywhere("exit 0", "passed"),
    everywhere("echo '{}'", "passed"),
    everywhere("echo '[1]' >&2", "passed"),
    everywhere(
        r#"echo '{"novelty": {"a": 1}, "suppressOutput": true}'"#,
        "passed",
    ),
    everywhere(r#"echo '{"continue": true, "decision": null}'"#, "passed"),
    everywhere(r#"echo '{"decision": "approve"}'"#, "passed"),
    everywhere(r#"echo '{"systemMessage": "Mind."}'"#, "passed, says Mind."),
    Row {
        prompt: "passed, tells Note this.",
        start: "passed, tells Note this.",
        ..everywhere("echo '  Note this. '", "passed")
    },
    Row {
        prompt: "blocked, holds no, says no",
        before: "blocked, denies no, says no",
        after: "blocked, holds no, tells no, says no",
        notice: "failed, says no",
        end: "blocked, holds no, tells no, says no",
        compact: "blocked, holds no, says no",
        start: "failed, says no",
        ..everywhere("echo no >&2; exit 2", "")
    },
    // Not even JSON overrides it.
    Row {
        prompt: "blocked, holds no, says no",
        before: "blocked, denies no, says no",
        after: "blocked, holds no, tells no, says no",
        notice: "failed, says no",
        end: "blocked, holds no, tells no, says no",
        compact: "blocked, holds no, says no",
        start: "failed, says no",
        ..everywhere(
            r#"echo '{"hookSpecificOutput": {"permissionDecision": "allow"}, "continue": false, "systemMessage": "x"}'; echo no >&2; exit 2"#,
            "",
        )
    },
    Row {
        prompt: "blocked, holds A hook said no and did not say why., says A hook said no and did not say why.",
        before: UNSAID,
        after: "blocked, holds A hook said no and did not say why., tells A hook said no and did not say why., says A hook said no and did not say why.",
        notice: "failed, says A hook said no and did not say why.",
        end: "blocked, holds A hook said no and did not say why., tells A hook said no and did not say why., says A hook said no and did not say why.",
        compact: "blocked, holds A hook said no and did not say why., says A hook said no and did not say why.",
        start: "failed, says A hook said no and did not say why.",
        ..everywhere("exit 2", "")
    },
    everywhere(
        "echo bad >&2; exit 1",
        "failed, says It ended with exit code 1: bad",
    ),
    everywhere(
        "echo out; exit 3",
        "failed, says It ended with exit code 3.",
    ),
    everywhere(
        "echo '{broken'; exit 1",
        "failed, says It ended with exit code 1.",
    ),
    everywhere(
        r#"echo '{"systemMessage": "Mind."}'; exit 7"#,
        "passed, says Mind.",
    ),
    Row {
        prompt: "blocked, holds why, says why",
        before: "blocked, denies why, says why",
        after: "blocked, holds why, tells why, says why",
        notice: "failed, says why",
        end: "blocked, holds why, tells why, says why",
        compact: "blocked, holds why, says why",
        start: "failed, says why",
        ..everywhere(r#"echo '{"decision": "block", "reason": "why"}'"#, "")
    },
    Row {
        prompt: "blocked, holds why, says why",
        before: "blocked, denies why, says why",
        after: "blocked, holds why, tells why, says why",
        notice: "failed, says why",
        end: "blocked, holds why, tells why, says why",
        compact: "blocked, holds why, says why",
        start: "failed, says why",
        ..everywhere(
            r#"echo '{"decision": "block", "reason": "why"}'; exit 1"#,
            "",
        )
    },
    everywhere(
        r#"echo '{"continue": false, "stopReason": "Enough."}'"#,
        "blocked, ends Enough., says Enough.",
    ),
    everywhere(
        r#"echo '{"continue": false}'; exit 4"#,
        "blocked, ends A hook ended the turn., says A hook ended the turn.",
    ),
    Row {
        before: "blocked, denies so, says so",
        ..everywhere(
            r#"echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "so"}}'"#,
            "passed",
        )
    },
    Row {
        before: "passed, defers so",
        ..everywhere(
            r#"echo '{"hookSpecificOutput": {"permissionDecision": "defer", "permissionDecisionReason": "so"}}'"#,
            "passed",
        )
    },
    Row {
        before: "passed, asks so",
        ..everywhere(
            r#"echo '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "so"}}'"#,
            "passed",
        )
    },
    Row {
        before: "passed, allows ",
        ..everywhere(
            r#"echo '{"hookSpecificOutput": {"permissionDecision": "allow"}}'"#,
            "passed",
        )
    },
    Row {
        before: "passed, with {\"path\":\"b\"}",
        ..everywhere(
            r#"echo '{"hookSpecificOutput": {"updatedInput": {"path": "b"}}}'"#,
            "passed",
        )
    },
    Row {
        prompt: "passed, tells more",
        before: "passed, tells more",
        after: "passed, tells more",
        start: "passed, tells more",
        ..everywhere(
            r#"echo '{"hookSpecificOutput": {"additionalContext": "more"}}'"#,
            "passed",
        )
    },
    Row {
        after: "passed, shows \"less\"",
        ..everywhere(
            r#"echo '{"hookSpecificOutput": {"updatedToolOutput": "less"}}'"#,
            "passed",
        )
    },
    // No answer that anybody could read: what guards holds back.
    Row {
        prompt: "failed, holds A hook that guards this gave no answer. Its answer could not be read: it is no JSON., says Its answer could not be read: it is no JSON.",
        before: "failed, denies A hook that guards this gave no answer. Its answer could not be read: it is no JSON., says Its answer could not be read: it is no JSON.",
        ..everywhere(
            "echo '{\"decision\": '",
            "failed, says Its answer could not be read: it is no JSON.",
        )
    },
    Row {
        fail_closed: Some(false),
        ..everywhere(
            r#"echo '{"continue": "no"}'"#,
            "failed, says Its answer could not be read: a field has a value that Weir does not know.",
        )
    },
    Row {
        fail_closed: Some(true),
        prompt: "failed, holds A hook that guards this gave no answer. It ended with exit code 1., says It ended with exit code 1.",
        before: "failed, denies A hook that guards this gave no answer. It ended with exit code 1., says It ended with exit code 1.",
        after: "failed, shows \"A hook that guards this gave no answer. It ended with exit code 1.\", says It ended with exit code 1.",
        compact: "failed, holds A hook that guards this gave no answer. It ended with exit code 1., says It ended with exit code 1.",
        start: "failed, ends A hook that guards this gave no answer. It ended with exit code 1., says It ended with exit code 1.",
        ..everywhere("exit 1", "failed, says It ended with exit code 1.")
    },
    Row {
        prompt: "failed, holds A hook that guards this gave no answer. It crashed: signal: 9 (SIGKILL)., says It crashed: signal: 9 (SIGKILL).",
        before: "failed, denies A hook that guards this gave no answer. It crashed: signal: 9 (SIGKILL)., says It crashed: signal: 9 (SIGKILL).",
        ..everywhere(
            "kill -9 $$",
            "failed, says It crashed: signal: 9 (SIGKILL).",
        )
    },
];

#[tokio::test(flavor = "multi_thread")]
async fn every_end_means_the_same_everywhere_it_can() {
    let folder = TempDir::new().unwrap();
    let cases = ROWS.iter().flat_map(|row| EVENTS.map(|event| (row, event)));
    let runs = stream::iter(cases).map(|(row, event)| {
        let handler = Handler {
            fail_closed: row.fail_closed,
            ..in_shell(row.command)
        };
        let folder = &folder;
        async move { (row, event, run_one(event, handler, folder).await) }
    });
    let mut count = 0;
    let mut wrong = Vec::new();
    let mut runs = runs.buffer_unordered(8);
    while let Some((row, event, reply)) = runs.next().await {
        count += 1;
        if told(&reply) != row.cell(event) {
            let (told, cell) = (told(&reply), row.cell(event));
            wrong.push(format!("{event:?} of {}\n  {told}\n  {cell}", row.command));
        }
    }
    println!("hook ends: {count} cases, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 120);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_the_strictest_counts_and_all_reasons_are_kept() {
    let say = |word: &str, reason: &str| {
        in_shell(&format!(
            r#"echo '{{"hookSpecificOutput": {{"permissionDecision": "{word}", "permissionDecisionReason": "{reason}"}}}}'"#
        ))
    };
    type Words = &'static [(&'static str, &'static str)];
    let rows: [(Words, Option<(Permission, &str)>); 7] = [
        (&[], None),
        (&[("allow", "a")], Some((Permission::Allow, "a"))),
        (
            &[("allow", "a"), ("ask", "b")],
            Some((Permission::Ask, "b")),
        ),
        (
            &[("ask", "a"), ("defer", "b"), ("allow", "c")],
            Some((Permission::Defer, "b")),
        ),
        (
            &[("deny", "a"), ("defer", "b")],
            Some((Permission::Deny, "a")),
        ),
        (
            &[("deny", "a"), ("allow", "b"), ("deny", "c")],
            Some((Permission::Deny, "a\nc")),
        ),
        (&[("ask", "a"), ("ask", "a")], Some((Permission::Ask, "a"))),
    ];
    let folder = TempDir::new().unwrap();
    for (words, expected) in rows {
        let hooks: Vec<_> = words
            .iter()
            .map(|(word, reason)| hook(HookEvent::PreToolUse, say(word, reason)))
            .collect();
        let said = run_at(&hooks, point(HookEvent::PreToolUse), &folder).await;
        let expected = expected.map(|(permission, reason)| (permission, reason.to_owned()));
        assert_eq!(said.permission, expected, "{words:?}");
    }
}

#[tokio::test]
async fn long_words_are_cut() {
    let folder = TempDir::new().unwrap();
    let long = "printf 'ä%.0s' $(seq 12000)";
    let reply = run_one(HookEvent::SessionStart, in_shell(long), &folder).await;
    assert_eq!(reply.context.unwrap().chars().count(), 10_000);
    let json = r#"x=$(printf 'a%.0s' $(seq 12000)); echo "{\"reason\": \"$x\", \"decision\": \"block\", \"systemMessage\": \"$x\"}""#;
    let reply = run_one(HookEvent::PostToolUse, in_shell(json), &folder).await;
    assert_eq!(reply.context.unwrap().len(), 10_000);
    assert_eq!(reply.block.unwrap().len(), 10_000);
    assert_eq!(reply.message.unwrap().len(), 10_000);
    // Wherever in a result it stands.
    for (output, place) in [("$x", ""), (r#"{\"a\": [1, $x]}"#, "/a/1")] {
        let output = output.replace("$x", r#"\"$x\""#);
        let json = format!(
            r#"x=$(printf 'a%.0s' $(seq 12000)); echo "{{\"hookSpecificOutput\": {{\"updatedToolOutput\": {output}}}}}""#
        );
        let reply = run_one(HookEvent::PostToolUse, in_shell(&json), &folder).await;
        let shown = reply.updated_output.unwrap();
        let text = shown.pointer(place).and_then(Value::as_str).unwrap();
        assert_eq!(text.len(), 10_000, "{place}");
    }
}

/// No word of a hook's gets past what covers it, wherever it stands.
#[tokio::test(flavor = "multi_thread")]
async fn every_word_is_covered() {
    let json = json!({
        "continue": false, "stopReason": "river 1", "systemMessage": "river 2",
        "decision": "block", "reason": "river 3",
        "hookSpecificOutput": {
            "permissionDecision": "ask", "permissionDecisionReason": "river 4",
            "additionalContext": "river 5", "updatedToolOutput": {"a": ["river 6"]},
        },
    });
    let folder = TempDir::new().unwrap();
    let say = |command: &str| {
        let all = EVENTS.map(|event| hook(event, in_shell(command)));
        let hooks = Hooks::of_project(&all, folder.path());
        hooks.covered_by(Arc::new(|text| text.replace("river", "[WATER]")))
    };
    let commands = [
        format!("echo '{json}'"),
        "echo river >&2; exit 2".into(),
        "echo river >&2; exit 1".into(),
        "echo river".into(),
    ];
    for hooks in commands.iter().map(|command| say(command)) {
        for event in EVENTS {
            let (_stop, mut stopped) = watch::channel(false);
            let asked = input(point(event), folder.path());
            let said = hooks.run(asked, &mut stopped).await;
            let replies = said.runs.iter().map(|run| format!("{:?}", run.reply));
            let all = format!("{:?}{:?}", said.block, replies.collect::<Vec<_>>());
            assert!(!all.contains("river"), "{event:?}: {all}");
        }
    }
}
