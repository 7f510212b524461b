// Files as a person drops and pastes them.

export function pictureFile(name: string, type = "image/png", content: BlobPart = "hi"): File {
  return new File([content], name, { type });
}

/** What is dragged or copied. Test environments cannot make a real one with files. */
export function transfer(files: readonly File[], types: readonly string[] = ["Files"]) {
  return { files, types, items: [] } as unknown as DataTransfer;
}

/** The base64 of "hi", which is what the files above hold. */
export const HI = "aGk=";
