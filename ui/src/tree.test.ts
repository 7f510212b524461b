import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, ".");
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({
    path: path.replaceAll("\\", "/"),
    text: readFileSync(join(root, path), "utf8"),
  }));

it("imports Tauri in one place only", () => {
  const importing = files.filter(({ text }) => /(from|import\()\s*["']@tauri-apps/.test(text));
  expect(importing.map(({ path }) => path)).toEqual(["host/tauri.ts"]);
});

it("sets HTML in one place only", () => {
  const setting = files.filter(
    ({ path, text }) =>
      !path.endsWith(".test.ts") && /dangerouslySetInnerHTML=|\.innerHTML\s*=/.test(text),
  );
  expect(setting.map(({ path }) => path)).toEqual(["timeline/html.tsx"]);
});

it("keeps the fake out of what is shipped", () => {
  const importing = files.filter(
    ({ path, text }) =>
      !path.includes(".test.") &&
      !/^(host|testing)\//.test(path) &&
      /["'].*host\/(fake|scenes)["']/.test(text),
  );
  expect(importing.map(({ path }) => path)).toEqual(["main.tsx"]);
  expect(importing[0]?.text).toMatch(
    /if \(import\.meta\.env\.DEV &&.*\n.*import\("\.\/host\/scenes"\)/,
  );
});
