// What a source says it is doing: a line of steps, the last of them under way while it grows,
// and its list of todos as it stands.

import { Fold, FoldChevron, useSelfFolding } from "../design/fold";
import { formatDuration } from "../design/format";
import { Icon } from "../design/icons";
import type { ProcessingBlock } from "../state/block";
import { countDone, readLines, type Todo, type TodoState, type Told } from "./todos";

export function Processing({ block }: { block: ProcessingBlock }) {
  const [open, toggle] = useSelfFolding(block.growing);
  const told = readLines(block.content);
  const steps = told.before.length + told.after.length;
  const done = block.growing && !told.endsInList ? steps - 1 : steps;
  return (
    <div data-testid="processing" data-open={open}>
      <button type="button" aria-expanded={open} className="fold-line" onClick={toggle}>
        <FoldChevron open={open} />
        <span>{block.growing ? "Processing…" : "Processed"}</span>
        <span data-testid="processing-summary" className="text-ink3 tabular-nums">
          {summary(told, steps, done, block.durationMs)}
        </span>
      </button>
      <Fold open={open}>
        <div className="pt-1 pl-6 text-[13px] text-ink2">
          <Steps lines={told.before} done={done} />
          {told.todos.length > 0 ? <Todos todos={told.todos} /> : null}
          <Steps lines={told.after} done={done - told.before.length} />
        </div>
      </Fold>
    </div>
  );
}

function summary(told: Told, steps: number, done: number, durationMs?: number): string {
  const time = durationMs === undefined ? "" : ` in ${formatDuration(durationMs)}`;
  if (told.todos.length > 0) {
    const { done: todosDone, of } = countDone(told.todos);
    return `${todosDone} of ${of} done${time}`;
  }
  if (time === "") return `${Math.max(0, done)} of ${steps} steps`;
  return `${steps === 1 ? "1 step" : `${steps} steps`}${time}`;
}

function Steps({ lines, done }: { lines: readonly string[]; done: number }) {
  if (lines.length === 0) return null;
  return (
    <ul>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end.
        <li key={index} className="flex items-center gap-2 py-px">
          {index < done ? <Icon name="check" className="text-good" /> : <UnderWay />}
          {line}
        </li>
      ))}
    </ul>
  );
}

const words: Record<TodoState, string> = {
  open: "Open",
  under_way: "Under way",
  done: "Done",
  cancelled: "Cancelled",
};

function Todos({ todos }: { todos: readonly Todo[] }) {
  return (
    <ul data-testid="todos" aria-label="Todos">
      {todos.map((todo, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a todo has no other name, and two may say the same.
          key={index}
          data-state={todo.state}
          className={`flex items-center gap-2 py-px ${todo.state === "under_way" ? "text-ink" : ""}`}
          title={words[todo.state]}
        >
          <Mark state={todo.state} />
          <span className="sr-only">{words[todo.state]}: </span>
          <span className={todo.state === "cancelled" ? "text-ink3 line-through" : ""}>
            {todo.words}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Mark({ state }: { state: TodoState }) {
  switch (state) {
    case "open":
      return <Icon name="circle" className="scale-75 text-ink3" />;
    case "under_way":
      return <UnderWay />;
    case "done":
      return <Icon name="check" className="text-good" />;
    case "cancelled":
      return <Icon name="cross" className="text-ink3" />;
  }
}

function UnderWay() {
  return <span className="mx-1 size-2 shrink-0 rounded-full bg-acc" />;
}
