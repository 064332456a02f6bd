/** The first bytes of a body, and whether the body has no more. */
export interface BodyStart {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** Reads at most `maxBytes` bytes of a response and cancels the rest. Rejects if the connection breaks before that. */
export async function readBodyStart({ body }: Response, maxBytes: number): Promise<BodyStart> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: length <= maxBytes };
}
