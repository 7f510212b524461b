// Files as a person drops and pastes them.

/** The beginning of a picture of each kind in base64, which is all that is looked at. */
const data: Readonly<Record<string, string>> = {
  "image/png": "iVBORw0KGgoAAAANSUhEUg==",
  "image/jpeg": "/9j/4AAQSkZJRgABAQAAAQ==",
  "image/gif": "R0lGODlhAQABAIAAAAAAAA==",
  "image/webp": "UklGRiQAAABXRUJQVlA4IA==",
};

export const pictureData = (type: string): string => data[type] ?? HI;

export const bytesOf = (base64: string) =>
  Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));

/** A file that holds what it says it is. */
export function pictureFile(
  name: string,
  type = "image/png",
  content: BlobPart = bytesOf(pictureData(type)),
): File {
  return new File([content], name, { type });
}

/** What is dragged or copied. Test environments cannot make a real one with files. */
export function transfer(files: readonly File[], types: readonly string[] = ["Files"]) {
  return { files, types, items: [] } as unknown as DataTransfer;
}

/** The base64 of "hi", which is no picture. */
export const HI = "aGk=";
