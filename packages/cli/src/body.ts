/** Holds the beginning of a body, and whether that is all of it. */
export type Beginning = { readonly bytes: Uint8Array; readonly isWhole: boolean };

/** Reads no more than the first so many bytes of an answer, and lets the rest go. Rejects where the body breaks off before. */
export async function readBeginning({ body }: Response, most: number): Promise<Beginning> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > most) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), isWhole: length <= most };
}
