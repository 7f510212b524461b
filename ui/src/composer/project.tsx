// Which folder the next turn is about. A session keeps the one it began with; choosing and
// trusting a folder happens in windows of their own, which the page only asks for.

import type { ChangeEvent } from "react";
import { useApp, useStore } from "../state/use";

/** No path is empty, so neither of these can be one. */
const none = "";
const open = " ";

export function ProjectChip({ session }: { session: string | null }) {
  const { kept } = useApp("projects");
  if (session === null) return <ProjectChoice />;
  if (!kept) return null;
  return (
    <span className="chip" data-testid="session-project" title={kept.path}>
      <span className="sr-only">Project</span>
      {kept.name}
    </span>
  );
}

function ProjectChoice() {
  const store = useStore();
  const { known, chosen } = useApp("projects");

  function choose(event: ChangeEvent<HTMLSelectElement>) {
    const { value } = event.target;
    if (value === open) void store.openProject();
    else store.chooseProject(value === none ? null : value);
  }

  return (
    <label className="chip chip-select" title={chosen?.path ?? "The folder this is about"}>
      <span className="sr-only">Project</span>
      <select data-testid="composer-project" value={chosen?.path ?? none} onChange={choose}>
        <option value={none}>No project</option>
        {known.map(({ path, name }) => (
          <option key={path} value={path} title={path}>
            {name}
          </option>
        ))}
        <option value={open}>Open folder…</option>
      </select>
    </label>
  );
}
