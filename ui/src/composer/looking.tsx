// The hooks that look at a prompt before it is sent. They may take their time, and can be stopped.

type Props = { hooks: readonly string[] };

export function Looking({ hooks }: Props) {
  const [first] = hooks;
  if (first === undefined) return null;
  const who = hooks.length === 1 ? "A hook is" : `${hooks.length} hooks are`;
  return (
    <p role="status" data-testid="composer-looking" className="composer-looking">
      {who} looking at your prompt, and nothing is sent yet:{" "}
      <span className="mono">{hooks.join(", ")}</span>. Esc stops it.
    </p>
  );
}
