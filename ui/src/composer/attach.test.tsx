import { act, fireEvent, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { FakeHost, fakeSession } from "../host/fake";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";
import { pictureData, pictureFile, transfer } from "../testing/picture";

async function drawOpen() {
  const host = new FakeHost();
  const session = fakeSession("s");
  host.startup.sessions = [session];
  host.snapshots.set("s", { session, watch: 1, events: [], growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  const { get, queryAllByTestId } = drawn;
  const count = () => queryAllByTestId("picture").length;
  const until = (pictures: number) => waitFor(() => expect(count()).toBe(pictures));
  const paste = (...files: File[]) =>
    fireEvent.paste(get("composer"), { clipboardData: transfer(files) });
  const names = () => queryAllByTestId("picture").map((li) => li.querySelector("img")?.alt);
  const write = (value: string) => fireEvent.change(get("composer"), { target: { value } });
  const send = () => act(async () => get("send").click());
  return { ...drawn, count, until, paste, names, write, send };
}

const png = { mediaType: "image/png", data: pictureData("image/png") };
const gif = { mediaType: "image/gif", data: pictureData("image/gif") };

it.each(["paste", "drop", "choose"])("takes pictures one can %s", async (way) => {
  const { get, until, names, queryAllByTestId } = await drawOpen();
  const files = [pictureFile("a.png"), pictureFile("b.gif", "image/gif")];
  if (way === "paste") {
    expect(fireEvent.paste(get("composer"), { clipboardData: transfer(files) })).toBe(false);
  } else if (way === "drop") {
    const dataTransfer = transfer(files);
    expect(fireEvent.dragOver(get("composer-box"), { dataTransfer })).toBe(false);
    expect(get("composer-box").dataset.dropping).toBe("true");
    expect(fireEvent.drop(get("composer-box"), { dataTransfer })).toBe(false);
    expect(get("composer-box").dataset.dropping).toBe("false");
  } else {
    const input = get("attach-input") as HTMLInputElement;
    const opened = vi.spyOn(input, "click");
    fireEvent.click(get("attach"));
    expect(opened).toHaveBeenCalledOnce();
    Object.defineProperty(input, "files", { value: files, configurable: true });
    fireEvent.change(input);
  }
  await until(2);
  expect(names()).toEqual(["Picture 1 of 2", "Picture 2 of 2"]);
  expect(queryAllByTestId("picture")[1]?.querySelector("img")?.src).toBe(
    `data:image/gif;base64,${gif.data}`,
  );
});

it("leaves pasted and dropped text alone", async () => {
  const { get, count } = await drawOpen();
  const text = transfer([], ["text/plain"]);
  expect(fireEvent.paste(get("composer"), { clipboardData: text })).toBe(true);
  expect(fireEvent.dragOver(get("composer-box"), { dataTransfer: text })).toBe(true);
  expect(fireEvent.drop(get("composer-box"), { dataTransfer: text })).toBe(true);
  expect(count()).toBe(0);
});

it("sends them with the prompt, and begins the next one without", async () => {
  const { host, find, paste, until, write, send } = await drawOpen();
  paste(pictureFile("a.png"), pictureFile("b.gif", "image/gif"));
  await until(2);
  write("What is this?");
  await send();
  expect(host.askedOf("send")).toEqual([["s", "What is this?", [png, gif]]]);
  expect(find("pictures")).toBeNull();
});

it("does not send pictures without a word", async () => {
  const { get, paste, until } = await drawOpen();
  paste(pictureFile("a.png"));
  await until(1);
  expect((get("composer") as HTMLTextAreaElement).placeholder).toBe("Ask about the picture");
  expect((get("send") as HTMLButtonElement).disabled).toBe(true);
});

it("keeps them when the prompt was refused", async () => {
  const { host, get, paste, until, names, write, send } = await drawOpen();
  host.refuse("send", { code: "bad_input", message: "Too long." });
  paste(pictureFile("a.png"));
  await until(1);
  write("What is this?");
  await send();
  expect(get("composer-error").textContent).toContain("Too long.");
  expect(names()).toEqual(["Picture"]);
  await send();
  expect(host.askedOf("send").at(-1)).toEqual(["s", "What is this?", [png]]);
});

it("sends those that are still being read", async () => {
  const { host, paste, write, send, count } = await drawOpen();
  write("What is this?");
  paste(pictureFile("a.png"));
  expect(count()).toBe(0);
  await send();
  await waitFor(() => expect(host.askedOf("send")).toEqual([["s", "What is this?", [png]]]));
});

it("sends to the session it was written for, whatever is open by then", async () => {
  const { host, store, paste, write, send, names, get } = await drawOpen();
  write("What is this?");
  paste(pictureFile("a.png"));
  await send();
  await act(() => store.open(null));
  await waitFor(() => expect(host.askedOf("send")).toEqual([["s", "What is this?", [png]]]));
  await act(() => store.open("s"));
  expect((get("composer") as HTMLTextAreaElement).value).toBe("");
  expect(names()).toEqual([]);
});

it("come to their session when one has left and come back meanwhile", async () => {
  const { store, paste, write, until, get } = await drawOpen();
  paste(pictureFile("a.png"));
  await act(() => store.open(null));
  await act(() => store.open("s"));
  write("Still here");
  await until(1);
  expect((get("composer") as HTMLTextAreaElement).value).toBe("Still here");
});

it("keeps them with the draft of their session", async () => {
  const { store, paste, until, names } = await drawOpen();
  paste(pictureFile("a.png"));
  await until(1);
  await act(() => store.open(null));
  expect(names()).toEqual([]);
  await act(() => store.open("s"));
  expect(names()).toEqual(["Picture"]);
});

it("says what cannot be sent, until it is of no matter", async () => {
  const { get, find, paste, until, getAllByTestId } = await drawOpen();
  paste(pictureFile("a.png"), pictureFile("notes.pdf", "application/pdf"));
  await until(1);
  expect(get("picture-error").textContent).toContain("“notes.pdf” cannot be sent");
  expect(get("picture-error").getAttribute("role")).toBe("alert");
  fireEvent.click(getAllByTestId("picture-remove")[0] as Element);
  expect(find("picture-error")).toBeNull();
});

it("takes no more than go with one prompt", async () => {
  const { get, paste, until } = await drawOpen();
  paste(...Array.from({ length: 21 }, (_, at) => pictureFile(`${at}.png`)));
  await until(20);
  expect(get("picture-error").textContent).toContain("At most 20 pictures");
});

it("gives the keyboard on to the next picture, and back to the prompt after the last", async () => {
  const { get, paste, until, getAllByTestId } = await drawOpen();
  paste(pictureFile("a.png"), pictureFile("b.png"), pictureFile("c.png"));
  await until(3);
  const buttons = () => getAllByTestId("picture-remove");
  const remove = (at: number) => {
    buttons()[at]?.focus();
    fireEvent.click(buttons()[at] as Element);
  };
  expect(buttons().map((button) => button.getAttribute("aria-label"))).toEqual([
    "Remove picture 1 of 3",
    "Remove picture 2 of 3",
    "Remove picture 3 of 3",
  ]);
  remove(0);
  expect(document.activeElement).toBe(buttons()[0]);
  remove(1);
  expect(document.activeElement).toBe(buttons()[0]);
  remove(0);
  expect(document.activeElement).toBe(get("composer"));
});

it("is read well", async () => {
  const { paste, until } = await drawOpen();
  paste(pictureFile("a.png"), pictureFile("b.png"), pictureFile("c.pdf", "application/pdf"));
  await until(2);
  await act(expectAccessible);
});
