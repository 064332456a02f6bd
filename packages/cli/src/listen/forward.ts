import { type Answer, type Delivery, SIGNATURE_HEADER } from '@service/webhooks';
import type { Fetch } from '@service/sdk';
import { readBeginning } from '../body.ts';
import type { Clock } from '../clock.ts';
import { findRoot } from '../root-cause.ts';

/** Holds what an app made of an event: its answer, or one that has the event sent again, with the reason. */
export type Forwarding = {
  readonly outcome: { readonly status?: number; readonly error?: string };
  readonly answer: Answer;
};

/** Repeats raw bytes and the signature to an app; never rejects. */
export type Forward = (
  body: Uint8Array,
  headers: Delivery['headers'],
  signal: AbortSignal,
) => Promise<Forwarding>;

/** Says where events go on to, and by what means. */
export type ForwardPlan = { readonly url: URL; readonly fetch: Fetch; readonly clock: Clock };

// The service gives up at 10 s.
const patience = 8_000;
// As much as a webhook itself may have; more of an answer is of no use to its sender.
const longestAnswer = 65_536;
const repeated = ['content-type', 'user-agent', SIGNATURE_HEADER] as const;

/** Creates what repeats events to the app at an address; a redirect is passed on and not followed. */
export function createForward({ url, fetch, clock }: ForwardPlan): Forward {
  const mark = `1.1 service-cli-${crypto.randomUUID()}`;
  return async (body, source, stop) => {
    const given = source as Readonly<Record<string, string | undefined>>;
    if (given.via?.includes(mark)) return fail('it leads back here');
    const late = new AbortController();
    const done = new AbortController();
    void clock.sleep(patience, done.signal).then(() => late.abort());
    try {
      const headers = toHeaders(given, mark);
      const signal = AbortSignal.any([stop, late.signal]);
      const parcel = {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        redirect: 'manual',
        signal,
      } as const;
      const response = await fetch(new Request(url, parcel));
      const type = response.headers.get('content-type') ?? 'text/plain; charset=utf-8';
      const { bytes } = await readBeginning(response, longestAnswer);
      const { status } = response;
      return {
        outcome: { status },
        answer: { status, headers: { 'content-type': type }, body: new TextDecoder().decode(bytes) },
      };
    } catch (error) {
      return fail(late.signal.aborted ? `no whole answer in ${patience / 1_000} s` : explain(error));
    } finally {
      done.abort();
    }
  };
}

function fail(error: string): Forwarding {
  return { outcome: { error }, answer: notForwarded };
}

const notForwarded: Answer = {
  status: 502,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'not forwarded',
};

/** Repeats what the app may look at; the mark tells an event that comes back, through whatever lies between. */
function toHeaders(given: Readonly<Record<string, string | undefined>>, mark: string): Headers {
  const headers = new Headers();
  for (const name of repeated) if (given[name] !== undefined) headers.set(name, given[name]);
  headers.set('via', given.via === undefined ? mark : `${given.via}, ${mark}`);
  return headers;
}

function explain(error: unknown): string {
  return findRoot(error) ?? 'the listener was ended';
}
