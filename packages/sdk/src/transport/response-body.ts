import type { AttemptState } from './call-state.ts';

/** Maximum size of a response body in bytes, after decompression. A page of 100 rows has about 40 KiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Reads a response body into the state of its request. Streams it if it can be large, or if `isStreamed` is
 * set so that an incomplete body is kept. Returns false for a body that is too large.
 */
export async function receiveBody(
  response: Response,
  attemptState: AttemptState,
  { signal, isStreamed }: { signal: AbortSignal; isStreamed: boolean },
): Promise<boolean> {
  // React Native has no streams.
  if (!response.body || (!isStreamed && isSmall(response))) {
    attemptState.received = await response.text();
    return attemptState.received.length <= MAX_BODY_BYTES;
  }
  const reader = response.body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    size += step.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      cancel();
      return false;
    }
    attemptState.received += decoder.decode(step.value, { stream: true });
  }
  attemptState.received += decoder.decode();
  return true;
}

/**
 * Returns true for a body with a small declared length, and for a response that was created in this process.
 */
function isSmall(response: Response): boolean {
  const length = response.headers.get('content-length');
  // Checked last, because reading `url` serializes it.
  if (length === null) return response.url === '';
  return Number(length) <= MAX_BODY_BYTES && !response.headers.has('content-encoding');
}
