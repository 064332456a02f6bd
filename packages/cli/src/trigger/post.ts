import { findRootCause } from '@service/internal';
import type { Environment } from '../session.ts';
import type { SignedEvent } from './event.ts';

/** The result of one delivery. `failed` means that there was no response; `cause` is the reason. */
export interface PostResult {
  readonly outcome: 'acknowledged' | 'refused' | 'failed';
  readonly status: number | null;
  readonly duration_ms: number;
  /** The start of the response body. */
  readonly answer: string | null;
  readonly cause?: string;
}

/** The URL and the timeout of a delivery, in milliseconds. */
export interface Route {
  readonly url: string;
  readonly timeout: number;
}

/**
 * Posts a signed event once, as the service does: only status 200 acknowledges it, and redirects are not
 * followed. Never throws. A response counts once its status has arrived, even if its body does not.
 */
export async function post(
  event: SignedEvent,
  { url, timeout }: Route,
  { fetch = globalThis.fetch, signal }: Environment,
): Promise<PostResult> {
  const limit = AbortSignal.timeout(timeout);
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    const ended = AbortSignal.any([signal, limit]);
    const response = await fetch(
      new Request(url, { method: 'POST', ...event, redirect: 'manual', signal: ended }),
    );
    const { status } = response;
    const duration_ms = since();
    const outcome = status === 200 ? 'acknowledged' : 'refused';
    return { outcome, status, duration_ms, answer: await readExcerpt(response) };
  } catch (error) {
    const cause = limit.aborted ? `timed out after ${timeout} ms` : (findRootCause(error) ?? 'interrupted');
    return { outcome: 'failed', status: null, duration_ms: since(), answer: null, cause };
  }
}

const MAX_EXCERPT_BYTES = 2_048;

/** Reads the start of a body. If the body is interrupted, returns the part that arrived. */
async function readExcerpt({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > MAX_EXCERPT_BYTES) break;
    }
  } catch {
    // The status has arrived; the body is only shown.
  }
  return new TextDecoder().decode(Buffer.concat(chunks)).trim();
}
