// Draws the window, or a part of it, on the fake host for a test.

import { act, cleanup, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { AppWindow } from "../app";
import { FakeHost } from "../host/fake";
import { Store } from "../state/store";
import { StoreProvider } from "../state/use";

export async function draw(host = new FakeHost(), element: ReactElement = <AppWindow />) {
  cleanup();
  const store = new Store(host);
  const drawn = render(<StoreProvider value={store}>{element}</StoreProvider>);
  await act(() => store.start());
  const get = (testId: string) => drawn.getByTestId(testId);
  const find = (testId: string) => drawn.queryByTestId(testId);
  return { host, store, get, find, ...drawn };
}
