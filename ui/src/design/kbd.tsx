// A key as it is written on the user's own keyboard.

const apple = /Mac|iPhone|iPad/.test(navigator.platform);

export function Kbd({ keys }: { keys: string }) {
  return <kbd className="kbd">{apple ? keys.replace("Ctrl+", "⌘") : keys}</kbd>;
}
