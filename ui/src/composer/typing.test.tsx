import { fireEvent, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { draw } from "../testing/draw";
import { pictureFile, transfer } from "../testing/picture";

const drawn = vi.hoisted(() => ({ models: 0, pictures: 0 }));

vi.mock("../state/offers", async (original) => {
  const offers = await original<typeof import("../state/offers")>();
  const modelLabel: typeof offers.modelLabel = (model) => {
    drawn.models += 1;
    return offers.modelLabel(model);
  };
  return { ...offers, modelLabel };
});

vi.mock("../design/picture", async (original) => {
  const picture = await original<typeof import("../design/picture")>();
  const pictureUrl: typeof picture.pictureUrl = (image) => {
    drawn.pictures += 1;
    return picture.pictureUrl(image);
  };
  return { ...picture, pictureUrl };
});

it("draws neither the models nor the pictures anew with every letter", async () => {
  const { get } = await draw();
  const files = [pictureFile("a.png"), pictureFile("b.png")];
  fireEvent.paste(get("composer"), { clipboardData: transfer(files) });
  await waitFor(() => expect(drawn.pictures).toBeGreaterThan(0));
  expect(drawn.models).toBeGreaterThan(0);
  Object.assign(drawn, { models: 0, pictures: 0 });
  for (const value of ["h", "he", "hey"]) fireEvent.change(get("composer"), { target: { value } });
  expect(drawn).toEqual({ models: 0, pictures: 0 });
});
