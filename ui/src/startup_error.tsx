// Weir could not start: the whole window says why, and that nothing was touched.

import { Icon } from "./design/icons";
import type { ErrorBody } from "./host/protocol";

export function StartupError({ error }: { error: ErrorBody }) {
  return (
    <main className="grid h-full place-items-center p-6">
      <div data-testid="startup-error" role="alert" className="card w-full max-w-[460px] px-6 py-5">
        <h1 className="flex items-center gap-2.5 font-semibold text-[15px]">
          <Icon name="alert" className="text-bad" /> Weir could not start
        </h1>
        <p className="mt-2.5 break-words">{error.message}</p>
        <p className="mt-1.5 text-ink2">
          Your sessions were not changed. Mend this and open Weir again.
        </p>
        <p className="mono mt-3 text-ink3">{error.code}</p>
      </div>
    </main>
  );
}
