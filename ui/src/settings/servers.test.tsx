import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { FakeHost } from "../host/fake";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

async function drawServers() {
  const host = new FakeHost();
  const drawn = await draw(host);
  await act(async () => void fireEvent.click(drawn.get("open-settings")));
  const click = (testId: string) => act(async () => drawn.get(testId).click());
  const type = (testId: string, value: string) => {
    (drawn.get(testId) as HTMLInputElement).value = value;
  };
  const save = () => act(async () => void fireEvent.submit(drawn.get("settings-server-form")));
  const rows = () => drawn.queryAllByTestId("settings-server").map((row) => row.textContent);
  return { ...drawn, host, click, type, save, rows };
}

describe("servers of one's own", () => {
  it("are added as sources and removed again", async () => {
    const { host, click, type, save, rows, find, get } = await drawServers();
    expect(rows()).toEqual([]);
    await click("settings-server-add");
    type("settings-server-name", " mine ");
    type("settings-server-address", "https://llm.example.com/v1");
    await save();
    const server = { name: "mine", kind: "openai", baseUrl: "https://llm.example.com/v1" };
    expect(host.askedOf("changeSettings")).toEqual([[{ set: "add_server", server }]]);
    expect(rows()).toEqual(["mine https://llm.example.com/v1Remove"]);
    expect(get("settings-source").textContent).toContain("mine");
    expect(find("settings-server-form")).toBeNull();
    expect(document.activeElement).toBe(get("settings-server-add"));
    await click("settings-server-remove");
    expect(rows()).toEqual([]);
  });

  it("are refused in Rust's words, and the form stays", async () => {
    const { host, click, type, save, get } = await drawServers();
    await click("settings-server-add");
    host.refuse("changeSettings", { code: "bad_input", message: "Rust says no." });
    type("settings-server-name", "anthropic");
    await save();
    expect(get("settings-server-error").textContent).toBe("Rust says no.");
    await act(expectAccessible);
  });
});
