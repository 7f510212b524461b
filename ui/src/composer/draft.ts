// A prompt that is not sent yet. It outlives the composer that shows it: what is being read or
// sent when one goes to another session still comes to where it belongs.

import type { ErrorBody, Image } from "../host/protocol";
import { shown } from "../state/declined";
import { addPictures, inOne, readPictures } from "./pictures";

export type Draft = {
  readonly text: string;
  readonly images: readonly Image[];
  /** What was wrong with pictures. */
  readonly trouble?: string;
  /** Why the prompt was refused. */
  readonly refusal?: ErrorBody;
  readonly sending: boolean;
};

/** Answers why the prompt was refused, or nothing when it is saved. */
export type Deliver = (text: string, images: readonly Image[]) => Promise<ErrorBody | undefined>;

export class DraftKeeper {
  #now: Draft = { text: "", images: [], sending: false };
  /** Pictures on their way here; it answers what was wrong with them. */
  #reading: Promise<string | undefined> | undefined;
  readonly #listeners = new Set<() => void>();

  get now(): Draft {
    return this.#now;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  write(text: string): void {
    // Why a prompt was refused is of no use once nothing is left of it.
    const gone = text.trim() === "" && this.#now.images.length === 0;
    this.#change(gone ? { text, refusal: undefined } : { text });
  }

  /** The user goes on writing: what stood above it is read. */
  dismiss(): void {
    this.#change({ refusal: undefined });
  }

  /** Pictures come in the order they were given, however long each takes to read. */
  attach(files: readonly File[]): Promise<string | undefined> {
    const reading = this.#add(this.#reading, readPictures(files));
    this.#reading = reading;
    return reading.finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
  }

  async #add(
    before: Promise<string | undefined> | undefined,
    read: ReturnType<typeof readPictures>,
  ): Promise<string | undefined> {
    const earlier = await before;
    const taken = await read;
    // Reading took a while: what is held is looked at only now.
    const added = addPictures(this.#now.images, taken);
    const trouble = inOne([earlier, added.trouble]);
    this.#change({ images: added.images, trouble });
    return trouble;
  }

  remove(at: number): void {
    this.#change({ images: this.#now.images.toSpliced(at, 1), trouble: undefined });
  }

  /**
   * Sends what is written now with every picture that was given until now, those included that
   * are still being read. Nothing goes when one of those cannot: its prompt was meant for it.
   */
  async send(deliver: Deliver): Promise<void> {
    if (this.#now.sending) return;
    const { text } = this.#now;
    this.#change({ sending: true, refusal: undefined, trouble: undefined });
    if ((await this.#reading) !== undefined) {
      this.#change({ sending: false });
      return;
    }
    const { images } = this.#now;
    const refusal = await deliver(text, images);
    this.#change({ sending: false, refusal: shown(refusal) });
    if (!refusal) this.#forget(text, images);
  }

  /** What was added while a prompt was on its way is the next one. */
  #forget(text: string, images: readonly Image[]): void {
    this.#change({
      text: this.#now.text === text ? "" : this.#now.text,
      images: this.#now.images.filter((image) => !images.includes(image)),
    });
  }

  #change(change: Partial<Draft>): void {
    this.#now = { ...this.#now, ...change };
    for (const listener of [...this.#listeners]) listener();
  }
}
