import { type RunClock, findRootCause } from '@service/internal';
import { type WebhookResponse, type WebhookRequest, SIGNATURE_HEADER } from '@service/webhooks';
import { readBodyStart } from '../input.ts';

/** The result of forwarding an event: the response of the app, or 502 and the reason. */
export interface ForwardResult {
  readonly outcome: { readonly status?: number; readonly error?: string };
  readonly response: WebhookResponse;
}

/** Forwards the raw bytes and the signature to an app. Never rejects. */
export type Forward = (
  body: Uint8Array,
  headers: WebhookRequest['headers'],
  signal: AbortSignal,
) => Promise<ForwardResult>;

/** The options of `createForward`. */
export interface ForwardOptions {
  readonly url: URL;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: RunClock;
}

/** Maximum time of the app in milliseconds, below the 10 s of the service. */
const FORWARD_TIMEOUT = 8_000;
/** Maximum size of the forwarded response, equal to the maximum size of a webhook. */
const MAX_RESPONSE_BYTES = 65_536;
const FORWARDED_HEADERS = ['content-type', 'user-agent', SIGNATURE_HEADER] as const;

/** Creates a function that forwards events to an app. Redirects are returned, not followed. */
export function createForward({ url, fetch, clock }: ForwardOptions): Forward {
  const via = `1.1 service-cli-${crypto.randomUUID()}`;
  return async (body, source, stop) => {
    const given = source as Readonly<Record<string, string | undefined>>;
    if (given.via?.includes(via)) return fail('--forward leads back to this listener');
    const late = new AbortController();
    const done = new AbortController();
    void clock.sleep(FORWARD_TIMEOUT, done.signal).then(() => late.abort());
    try {
      const headers = toHeaders(given, via);
      const signal = AbortSignal.any([stop, late.signal]);
      const init = {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        redirect: 'manual',
        signal,
      } as const;
      const response = await fetch(new Request(url, init));
      const type = response.headers.get('content-type') ?? 'text/plain; charset=utf-8';
      const { bytes, error } = await readBodyStart(response, MAX_RESPONSE_BYTES);
      if (error !== undefined) throw error;
      const { status } = response;
      return {
        outcome: { status },
        response: { status, headers: { 'content-type': type }, body: new TextDecoder().decode(bytes) },
      };
    } catch (error) {
      return fail(
        late.signal.aborted ? `no complete response within ${FORWARD_TIMEOUT / 1_000} s` : explain(error),
      );
    } finally {
      done.abort();
    }
  };
}

function fail(error: string): ForwardResult {
  return { outcome: { error }, response: notForwarded };
}

const notForwarded: WebhookResponse = {
  status: 502,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'not forwarded',
};

/** Copies the headers that an app needs. `Via` detects an event that returns through a proxy (RFC 9110, section 7.6.3). */
function toHeaders(given: Readonly<Record<string, string | undefined>>, via: string): Headers {
  const headers = new Headers();
  for (const name of FORWARDED_HEADERS) if (given[name] !== undefined) headers.set(name, given[name]);
  headers.set('via', given.via === undefined ? via : `${given.via}, ${via}`);
  return headers;
}

function explain(error: unknown): string {
  return findRootCause(error) ?? 'the listener was stopped';
}
