//! Keys in a real keychain, and nowhere else.

use weir_tests::{Canary, Lock, Part, Reply, Sandbox, Server, sse};

#[test]
fn a_key_lives_in_the_keychain_and_in_no_file() {
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    let canary = Canary::new();
    let check_unseen = |call: &weir_tests::Outcome| {
        canary.check_absent_from_text("stdout", &call.stdout);
        canary.check_absent_from_text("stderr", &call.stderr);
    };
    let list = || {
        let call = sandbox.weir(&["keys", "list"]).run().code(0);
        check_unseen(&call);
        let line = call
            .stdout
            .lines()
            .find(|line| line.starts_with("anthropic"));
        line.unwrap().to_owned()
    };
    assert!(list().contains("no key"), "{}", list());

    let with_newline = format!("{}\n", canary.key());
    let set = sandbox.weir(&["keys", "set", "anthropic"]);
    check_unseen(&set.input(with_newline).run().code(0));
    assert!(list().contains("stored"), "{}", list());

    let reply = sse::reply("Hm.", "seal", "Yes.");
    let server = Server::start([Reply::Stream(vec![Part::Send(reply)])]);
    let url = server.url();
    let ask = ["chat", "--source", "anthropic", "--base-url", &url, "Why?"];
    let ask = sandbox.weir(&ask).env("WEIR_LOG", "trace").run();
    check_unseen(&ask.code(0));
    assert_eq!(server.requests()[0].header("x-api-key"), canary.key());

    check_unseen(&sandbox.weir(&["doctor", "--json"]).run().code(0));
    // Everything the programs have written, the keychain's own sealed file among it.
    canary.check_absent_below(sandbox.root());

    check_unseen(&sandbox.weir(&["keys", "delete", "anthropic"]).run().code(0));
    assert!(list().contains("no key"), "{}", list());
    // What is not there cannot be deleted: said, and told by the exit code.
    let again = sandbox.weir(&["keys", "delete", "anthropic"]).run().code(1);
    assert_eq!(again.sentence(), "The keychain has no key for Anthropic.");
    let call = sandbox
        .weir(&["chat", "--source", "anthropic", "Why?"])
        .run();
    call.code(1).sentence();
}

#[test]
fn what_is_no_key_is_refused() {
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    let calls: [(&[&str], &str, i32); 4] = [
        (&["keys", "set", "anthropic"], "  \n", 1),
        (&["keys", "set", "demo"], "key", 2),
        (&["keys", "set", "oracle"], "key", 2),
        (&["keys", "delete", "oracle"], "", 2),
    ];
    for (arguments, input, code) in calls {
        sandbox
            .weir(arguments)
            .input(input)
            .run()
            .code(code)
            .sentence();
    }
    let canary = Canary::new();
    sandbox
        .weir(&["keys", "set", "anthropic", canary.key()])
        .run()
        .code(2);
}
