// Reads the lines of a processing block. A source tells its list of todos whole with every
// change, line by line among its other words; only the latest list is worth showing.

export type TodoState = "open" | "under_way" | "done" | "cancelled";
export type Todo = { readonly state: TodoState; readonly words: string };

export type Told = {
  /** What the source said before its first list, and after. */
  readonly before: readonly string[];
  readonly todos: readonly Todo[];
  readonly after: readonly string[];
  /** Whether the last line is of a list. */
  readonly endsInList: boolean;
};

const marks: Readonly<Record<string, TodoState>> = {
  "☐": "open",
  "◐": "under_way",
  "☑": "done",
  "☒": "cancelled",
};

export function readLines(content: string): Told {
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  const words = { before: [] as string[], after: [] as string[] };
  let list: readonly Todo[] = [];
  let telling: readonly Todo[] = [];
  const finishTelling = () => {
    list = settle(list, telling);
    telling = [];
  };
  for (const line of lines) {
    const todo = readTodo(line);
    if (todo) {
      if (beginsAnew(list, telling, todo)) finishTelling();
      telling = [...telling, todo];
    } else {
      finishTelling();
      words[list.length === 0 ? "before" : "after"].push(line);
    }
  }
  const endsInList = telling.length > 0;
  finishTelling();
  return { ...words, todos: list, endsInList };
}

/** How many are done, of those that still count. */
export function countDone(todos: readonly Todo[]): { done: number; of: number } {
  const counted = todos.filter(({ state }) => state !== "cancelled");
  return { done: counted.filter(({ state }) => state === "done").length, of: counted.length };
}

function readTodo(line: string): Todo | undefined {
  const state = marks[line.charAt(0)];
  return state && { state, words: line.slice(1).trim() };
}

/** Nothing parts one list from the next but that a line comes again, or an earlier one. */
function beginsAnew(list: readonly Todo[], telling: readonly Todo[], todo: Todo): boolean {
  if (telling.some(({ words }) => words === todo.words)) return true;
  const place = ({ words }: Todo) => list.findIndex((held) => held.words === words);
  const last = telling.at(-1);
  return last !== undefined && isAmendment(list, telling) && place(todo) >= 0
    ? place(todo) < place(last)
    : false;
}

/** Single todos that are told to be done, apart from their list. */
function isAmendment(list: readonly Todo[], telling: readonly Todo[]): boolean {
  return (
    telling.length < list.length &&
    telling.every(({ state, words }) => state === "done" && list.some((t) => t.words === words))
  );
}

function settle(list: readonly Todo[], telling: readonly Todo[]): readonly Todo[] {
  if (telling.length === 0) return list;
  if (!isAmendment(list, telling)) return telling;
  return list.map((todo) => telling.find(({ words }) => words === todo.words) ?? todo);
}
