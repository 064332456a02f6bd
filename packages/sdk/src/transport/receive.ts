import type { Stage } from './progress.ts';

/** Limits the body of an answer, in bytes as they are after decompression: 8 MiB. A page of 100 rows takes some 40 KiB. */
const largestAnswer = 8 * 1024 * 1024;

/**
 * Reads a body into the record of its request: piece by piece where it may be large, or where one that breaks off must not be
 * lost. Returns whether it was read to its end: one beyond 8 MiB is let go.
 */
export async function receive(
  response: Response,
  stage: Stage,
  { signal, piecewise }: { signal: AbortSignal; piecewise: boolean },
): Promise<boolean> {
  // React Native has no streams.
  if (!response.body || (!piecewise && isSmall(response))) {
    stage.received = await response.text();
    return stage.received.length <= largestAnswer;
  }
  const reader = response.body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    size += step.value.byteLength;
    if (size > largestAnswer) {
      cancel();
      return false;
    }
    stage.received += decoder.decode(step.value, { stream: true });
  }
  stage.received += decoder.decode();
  return true;
}

/** Tells whether an answer says that it is small enough to take at once, or was made within the process. */
function isSmall(response: Response): boolean {
  const length = response.headers.get('content-length');
  // Last, since its address is written anew each time.
  if (length === null) return response.url === '';
  return Number(length) <= largestAnswer && !response.headers.has('content-encoding');
}
