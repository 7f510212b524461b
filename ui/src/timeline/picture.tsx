// A picture in the timeline, which opens as large as the window allows.

import { useState } from "react";
import { createPortal } from "react-dom";
import { Dialog } from "../design/dialog";

type Props = { url: string; name: string; testId?: string };

export function Picture({ url, name, testId }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="picture-button"
        title="Show larger"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <img data-testid={testId} src={url} alt={name} decoding="async" />
      </button>
      {open ? <Larger url={url} name={name} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** Outside its turn, which is not drawn while it is out of sight. */
function Larger({ url, name, onClose }: { url: string; name: string; onClose: () => void }) {
  return createPortal(
    <Dialog
      title={name}
      testId="picture-dialog"
      closeTestId="picture-close"
      width="w-fit"
      onClose={onClose}
    >
      <img className="picture-larger" src={url} alt={name} />
    </Dialog>,
    document.body,
  );
}
