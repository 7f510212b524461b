// What the user should know that belongs to no session: a quiet bar on top, until dismissed.

import { Button, IconButton } from "./design/button";
import { Icon } from "./design/icons";
import { useApp, useStore } from "./state/use";

export function Notices() {
  const store = useStore();
  const notices = useApp("notices");
  return notices.map((notice, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two notices may say the same.
    <div key={index} role="status" data-testid="notice" data-code={notice.code} className="notice">
      <Icon name="info" className="text-acc" />
      <span className="min-w-0 flex-1 break-words">{notice.message}</span>
      {notice.code === "database_lost" && (
        <Button data-testid="save-copy" onClick={() => void store.saveCopy()}>
          Save a copy
        </Button>
      )}
      <IconButton icon="cross" label="Dismiss" onClick={() => store.dismiss(notice)} />
    </div>
  ));
}
