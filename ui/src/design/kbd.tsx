// A key as it is written on the user's own keyboard.

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

export function keyName(keys: string): string {
  return apple ? keys.replace("Ctrl+", "⌘") : keys;
}

export function Kbd({ keys }: { keys: string }) {
  return <kbd className="kbd">{keyName(keys)}</kbd>;
}
