import { act, fireEvent } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { EventWriter, FakeHost, fakeSession } from "../host/fake";
import type { EventBody } from "../host/protocol";
import { expectAccessible } from "../testing/accessible";
import { draw } from "../testing/draw";
import { HI } from "../testing/picture";

const turn = "t";

async function drawTurn(...bodies: EventBody[]) {
  const host = new FakeHost();
  const writer = new EventWriter("s");
  const session = fakeSession("s");
  host.startup.sessions = [session];
  const events = bodies.map((body, block) => writer.write(body, { turn, block }));
  host.snapshots.set("s", { session, watch: 1, events, growing: [], hasEarlier: false });
  const drawn = await draw(host);
  await act(() => drawn.store.open("s"));
  return drawn;
}

const file = (url: string, mediaType = "image/png"): EventBody => ({
  type: "file",
  url,
  mediaType,
});

describe("what a model made", () => {
  it.each(["png", "jpeg", "gif", "webp"])("is shown when it is a picture: %s", async (kind) => {
    const url = `data:image/${kind};base64,${HI}`;
    const picture = (await drawTurn(file(url))).get("file") as HTMLImageElement;
    expect([picture.tagName, picture.src, picture.alt]).toEqual(["IMG", url, "Made by the model"]);
  });

  it.each<[string, string, string]>([
    ["a drawing that can hold script", "data:image/svg+xml;base64,PHN2Zz4=", "image/svg+xml"],
    ["a sound", "data:audio/wav;base64,aGk=", "audio/wav"],
  ])("is named, not drawn, when it is %s", async (_, url, mediaType) => {
    const drawn = (await drawTurn(file(url, mediaType))).get("file");
    expect(drawn.querySelector("img, button")).toBeNull();
    expect(drawn.textContent).toBe(`${mediaType}made here`);
  });

  it("loads nothing from elsewhere, and asks before it opens it", async () => {
    const { host, get } = await drawTurn(file("https://a.example/x.png"));
    expect(get("file").querySelector("img")).toBeNull();
    await act(async () => get("file").querySelector("button")?.click());
    expect(host.askedOf("openLink")).toEqual([["https://a.example/x.png"]]);
  });
});

describe("the pictures of a prompt", () => {
  const prompt = (...mediaTypes: string[]): EventBody => ({
    type: "user_message",
    content: "What are these?",
    source: "demo",
    model: "demo",
    images: mediaTypes.map((mediaType) => ({ mediaType, data: HI })),
  });

  it("stand beside its words, each with a name", async () => {
    const { get } = await drawTurn(prompt("image/png", "image/webp"));
    const pictures = [...get("user-pictures").querySelectorAll("img")];
    expect(pictures.map(({ alt, src }) => [alt, src])).toEqual([
      ["Picture 1 of 2", `data:image/png;base64,${HI}`],
      ["Picture 2 of 2", `data:image/webp;base64,${HI}`],
    ]);
    expect(get("user-message").textContent).toBe("What are these?");
  });

  it("open larger, and close with Escape, and the keyboard is where it was before", async () => {
    const { get, find } = await drawTurn(prompt("image/png", "image/webp"));
    const second = get("user-pictures").querySelectorAll("button")[1] as HTMLButtonElement;
    second.focus();
    await act(async () => second.click());
    const dialog = get("picture-dialog") as HTMLDialogElement;
    expect(dialog.open).toBe(true);
    expect(dialog.querySelector("h2")?.textContent).toBe("Picture 2 of 2");
    expect(dialog.querySelector("img")?.src).toBe(`data:image/webp;base64,${HI}`);
    // A turn out of sight is not drawn, and its dialog would not be either.
    expect(dialog.closest("[data-turn]")).toBeNull();
    await act(expectAccessible);
    // Escape, as the element tells of it.
    fireEvent(dialog, new Event("cancel", { cancelable: true }));
    expect(find("picture-dialog")).toBeNull();
    expect(document.activeElement).toBe(second);
  });

  it("open larger when a model made them too", async () => {
    const { get, find } = await drawTurn(file(`data:image/png;base64,${HI}`));
    await act(async () => get("file").closest("button")?.click());
    expect(get("picture-dialog").textContent).toBe("Made by the model");
    await act(async () => get("picture-close").click());
    expect(find("picture-dialog")).toBeNull();
  });

  it.each<[string, string[]]>([
    ["there are none", []],
    ["they are of a kind that is not drawn", ["image/svg+xml"]],
  ])("take no room when %s", async (_, mediaTypes) => {
    expect((await drawTurn(prompt(...mediaTypes))).find("user-pictures")).toBeNull();
  });

  it("are read well, and so is what a model made", async () => {
    await drawTurn(
      prompt("image/png"),
      file(`data:image/png;base64,${HI}`),
      file("https://a.example/x.pdf", "application/pdf"),
    );
    await act(expectAccessible);
  });
});
