import { UnreadableResponseError } from '../errors/answer-errors.ts';
import { pickFacts } from './answer.ts';
import { onAbort } from './abort.ts';
import type { Deadline } from './deadline.ts';
import type { Progress } from './progress.ts';
import type { Draft } from './request.ts';

/** Limits the body of an answer, in bytes as they are after decompression: 8 MiB. A page of 100 rows takes some 40 KiB. */
const largestAnswer = 8 * 1024 * 1024;

type Receiving = { readonly draft: Draft; readonly progress: Progress; readonly deadline: Deadline };

/**
 * Reads a body into the record of the call: that of a create piece by piece, so that one that breaks off is not lost. Returns
 * whether it was read to its end: one beyond 8 MiB is let go.
 */
export async function receive(
  response: Response,
  { draft, progress, deadline }: Receiving,
): Promise<boolean> {
  const { signal } = deadline;
  if (response.body === null) return true;
  // React Native has no streams.
  if (response.body === undefined || (draft.operation !== 'createPayment' && isSmall(response))) {
    const text = await response.text();
    // Nobody waits for what comes too late, and the record may be that of the next attempt by then.
    if (!signal.aborted) progress.received = text;
    return text.length <= largestAnswer;
  }
  const reader = response.body.getReader();
  const cancel = (): void => void reader.cancel().catch(ignore);
  const unwatch = onAbort(signal, cancel);
  const decoder = new TextDecoder();
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    if (signal.aborted) break;
    size += step.value.byteLength;
    if (size > largestAnswer) {
      cancel();
      return false;
    }
    progress.received += decoder.decode(step.value, { stream: true });
  }
  unwatch();
  if (!signal.aborted) progress.received += decoder.decode();
  return true;
}

/** Tells whether an answer says that it is small enough to take at once, or was made within the process. */
function isSmall({ url, headers }: Response): boolean {
  return (
    url === '' ||
    (!headers.has('content-encoding') && Number(headers.get('content-length') ?? NaN) <= largestAnswer)
  );
}

/** Makes the error of an answer that was let go; what came of it is too much to keep. */
export function toOversized(progress: Progress): UnreadableResponseError {
  const facts = { ...pickFacts(progress), outcome: 'unknown' } as const;
  return new UnreadableResponseError('The answer cannot be read: it is larger than 8 MiB.', facts);
}

function ignore(): void {}
