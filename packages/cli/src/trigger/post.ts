import { findRoot } from '../root-cause.ts';
import type { Environment } from '../environment.ts';
import type { Envelope } from './envelope.ts';

/** Says how a receiver answered an event: `failed` is no answer, and `cause` says why. */
export type Answered = {
  readonly outcome: 'acknowledged' | 'refused' | 'failed';
  readonly status: number | null;
  readonly duration_ms: number;
  /** Holds the beginning of the body that it answered with. */
  readonly answer: string | null;
  readonly cause?: string;
};

/** Says where an envelope goes, and how long an answer may take, in milliseconds. */
export type Route = { readonly url: string; readonly timeout: number };

/**
 * Posts an envelope once, as the service does: redirects are not followed, and exactly 200 acknowledges it (spec §6).
 * Never throws; an answer whose status has come counts, also where the rest of it does not.
 */
export async function post(
  envelope: Envelope,
  { url, timeout }: Route,
  { fetch = globalThis.fetch, signal }: Environment,
): Promise<Answered> {
  const limit = AbortSignal.timeout(timeout);
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    const ended = AbortSignal.any([signal, limit]);
    const response = await fetch(
      new Request(url, { method: 'POST', ...envelope, redirect: 'manual', signal: ended }),
    );
    const { status } = response;
    const duration_ms = since();
    const outcome = status === 200 ? 'acknowledged' : 'refused';
    return { outcome, status, duration_ms, answer: await readExcerpt(response) };
  } catch (error) {
    const cause = limit.aborted ? `nothing within ${timeout} ms` : (findRoot(error) ?? 'interrupted');
    return { outcome: 'failed', status: null, duration_ms: since(), answer: null, cause };
  }
}

const MOST_BYTES = 2_048;

/** Reads little more of a body than is shown; one that breaks off is shown as far as it came. */
async function readExcerpt({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > MOST_BYTES) break;
    }
  } catch {
    // The status has come, and it alone counts.
  }
  return new TextDecoder().decode(Buffer.concat(chunks)).trim();
}
