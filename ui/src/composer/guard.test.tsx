import { act, fireEvent } from "@testing-library/react";
import { expect, it } from "vitest";
import { FakeHost } from "../host/fake";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";

const asks = { code: "guard_asks", message: "A guard found email and asks before it is sent." };

async function asked() {
  const host = new FakeHost();
  const drawn = await draw(host);
  const area = () => drawn.get("composer") as HTMLTextAreaElement;
  host.refuse("send", asks);
  fireEvent.change(area(), { target: { value: "to a@b.c" } });
  await act(async () => void fireEvent.keyDown(area(), { key: "Enter" }));
  const press = (testId: string) => act(async () => void fireEvent.click(drawn.get(testId)));
  return { ...drawn, area, press };
}

it("offers to take it out, with the focus on that", async () => {
  const { host, get, find, area, press } = await asked();
  expect(get("guard-question").textContent).toContain(asks.message);
  expect(find("composer-error")).toBeNull();
  expect(document.activeElement).toBe(get("guard-redact"));
  await expectAccessible();
  await press("guard-redact");
  expect(host.askedOf("send").at(-1)).toEqual([null, "to a@b.c", [], "redact"]);
  expect(area().value).toBe("");
  expect(find("guard-question")).toBeNull();
});

it("sends it as it is only when that is chosen", async () => {
  const { host, get, press } = await asked();
  fireEvent.keyDown(get("guard-redact"), { key: "ArrowRight" });
  expect(document.activeElement).toBe(get("guard-as-it-is"));
  await press("guard-as-it-is");
  expect(host.askedOf("send").at(-1)).toEqual([null, "to a@b.c", [], "as_it_is"]);
});

it("goes back to the words, with the button and with Escape", async () => {
  for (const leave of ["button", "Escape"]) {
    const { host, get, find, area, press } = await asked();
    if (leave === "button") await press("guard-edit");
    else fireEvent.keyDown(get("guard-redact"), { key: "Escape" });
    expect(find("guard-question")).toBeNull();
    expect(area().value).toBe("to a@b.c");
    expect(document.activeElement).toBe(area());
    expect(host.askedOf("send")).toHaveLength(1);
  }
});

it("keeps a prompt that a guard blocks, with the reason above it", async () => {
  const host = new FakeHost();
  const { get } = await draw(host);
  host.refuse("send", { code: "blocked", message: "A guard holds this back: it found word." });
  const area = get("composer") as HTMLTextAreaElement;
  fireEvent.change(area, { target: { value: "secret plan" } });
  await act(async () => void fireEvent.keyDown(area, { key: "Enter" }));
  expect(area.value).toBe("secret plan");
  expect(get("composer-error").textContent).toContain("it found word");
});
