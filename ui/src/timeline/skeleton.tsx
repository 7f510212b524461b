// Shown while a session opens, but only when that takes long enough to be noticed.

import { useAfter } from "../design/clock";

export function Skeleton() {
  const late = useAfter(150);
  return (
    <div className="min-h-0 flex-1 overflow-hidden" aria-busy="true">
      {late ? (
        <div className="column pt-6" data-testid="skeleton">
          <span className="sr-only">Opening the session</span>
          <div className="bone h-9 w-72 self-end" />
          <div className="bone h-4 w-32" />
          <div className="bone h-4 w-full" />
          <div className="bone h-4 w-11/12" />
          <div className="bone h-4 w-2/3" />
        </div>
      ) : null}
    </div>
  );
}
