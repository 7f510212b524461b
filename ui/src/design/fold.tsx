// A line that opens: 120 ms of height and fade, none with reduced motion. What is folded away is
// out of reach of the keyboard, and is not made before it is first opened.

import { type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "./icons";

export function Fold({ open, children }: { open: boolean; children: ReactNode }) {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  return (
    <div className="fold" data-open={open} inert={!open}>
      <div className="fold-inner">{opened ? children : null}</div>
    </div>
  );
}

export function FoldChevron({ open }: { open: boolean }) {
  return <Icon name="chevron" className={`chevron text-ink3 ${open ? "rotate-90" : ""}`} />;
}

/** How long a block stays open after it stopped growing. */
export const LINGER_MS = 500;

/** Open while it grows and a moment longer, unless the user has said otherwise. */
export function useSelfFolding(growing: boolean): [open: boolean, toggle: () => void] {
  const [choice, setChoice] = useState<boolean | null>(null);
  const [lingering, setLingering] = useState(false);
  const grew = useRef(growing);
  if (growing && !lingering) setLingering(true);
  useEffect(() => {
    if (growing) {
      grew.current = true;
      return;
    }
    if (!grew.current) return;
    const timer = setTimeout(() => setLingering(false), LINGER_MS);
    return () => clearTimeout(timer);
  }, [growing]);
  const open = choice ?? (growing || lingering);
  return [open, () => setChoice(!open)];
}
