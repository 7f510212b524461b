// Deleting a session is asked about once, since nothing brings it back.

import { Button } from "../design/button";
import { Dialog } from "../design/dialog";
import type { SessionSummary } from "../host/protocol";
import { useStore } from "../state/use";

export function DeleteDialog({
  session,
  onClose,
}: {
  session: SessionSummary;
  onClose: () => void;
}) {
  const store = useStore();
  function remove() {
    onClose();
    void store.remove(session.id);
  }
  return (
    <Dialog title="Delete this session?" testId="delete-dialog" width="w-[400px]" onClose={onClose}>
      <div className="px-5 pb-5">
        <p className="break-words text-ink2">
          “{session.title}” and its {session.turns === 1 ? "turn" : `${session.turns} turns`} leave
          this machine for good.
        </p>
        <div className="mt-4 flex justify-end gap-2">
          <Button data-first-focus onClick={onClose}>
            Keep
          </Button>
          <Button look="danger" data-testid="confirm-delete" onClick={remove}>
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
