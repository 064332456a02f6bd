import { UnreadableResponseError } from '../errors/answer-errors.ts';
import { pickFacts } from './answer.ts';
import type { Progress } from './progress.ts';

/** Limits the body of an answer, in bytes as they are after decompression: 8 MiB. A page of 100 rows takes some 40 KiB. */
const largestAnswer = 8 * 1024 * 1024;

/**
 * Reads a body piece by piece into the record of the call, so that one that breaks off is not lost. Returns whether it
 * was read to its end: one beyond 8 MiB is let go.
 */
export async function receive(response: Response, progress: Progress, signal: AbortSignal): Promise<boolean> {
  if (response.body === null) return true;
  // React Native has no streams.
  if (response.body === undefined) {
    progress.received = await response.text();
    return progress.received.length <= largestAnswer;
  }
  const reader = response.body.getReader();
  const cancel = (): void => void reader.cancel().catch(ignore);
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    size += step.value.byteLength;
    if (size > largestAnswer) {
      cancel();
      return false;
    }
    progress.received += decoder.decode(step.value, { stream: true });
  }
  progress.received += decoder.decode();
  return true;
}

/** Makes the error of an answer that was let go; what came of it is too much to keep. */
export function toOversized(progress: Progress): UnreadableResponseError {
  const facts = { ...pickFacts(progress), outcome: 'unknown' } as const;
  return new UnreadableResponseError('The answer cannot be read: it is larger than 8 MiB.', facts);
}

function ignore(): void {}
