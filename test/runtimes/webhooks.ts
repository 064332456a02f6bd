import type { VerifierOptions } from '@service/webhooks';
import * as edge from '@service/webhooks/edge';
import { events, signedRequest } from '@service/webhooks/testing';
import vectorFile from '../../packages/webhooks/vectors/signatures.json' with { type: 'json' };
import { assertMatch, type Case } from './case.ts';

/** The functions of both entries: those of Node return no promises. */
interface Entry extends Pick<typeof edge, 'createReceiver' | 'memoryStore'> {
  readonly sign: (...values: Parameters<typeof edge.signAsync>) => MaybePromise<string>;
  readonly createVerifier: (options: VerifierOptions) => {
    readonly verify: (...values: RequestParts) => MaybePromise<edge.WebhookEvent>;
    readonly safeVerify: (...values: RequestParts) => MaybePromise<edge.VerificationResult>;
  };
}

type MaybePromise<Value> = Value | Promise<Value>;
type RequestParts = Parameters<edge.AsyncVerifier['verifyAsync']>;

const secret = '9f2c61d0a1b34e7788c05d6e4f3a2b1c';
const other = 'another-signing-secret-of-the-same-account';
const now = (): number => Date.parse('2026-01-31T12:00:00Z');
const body = JSON.stringify(events.completed());
const toBytes = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

interface EntryCase {
  readonly name: string;
  readonly run: (entry: Entry) => Promise<void>;
}

/** A request that a verifier refuses. */
interface Refused {
  readonly code: string;
  readonly options?: Partial<VerifierOptions>;
  readonly body?: unknown;
  readonly signature?: string | null | string[];
  readonly signedBy?: string;
}

const refused: readonly Refused[] = [
  { code: 'body_not_raw', body: JSON.parse(body) },
  { code: 'missing_signature', signature: null },
  { code: 'malformed_signature', signature: 'sha256=00' },
  { code: 'ambiguous_signature', signature: ['0'.repeat(64), '1'.repeat(64)] },
  { code: 'signature_mismatch', signature: '0'.repeat(64) },
  { code: 'signature_mismatch', signedBy: other },
  {
    code: 'secret_expired',
    options: { secrets: { id: 'old', value: secret, notAfter: '2026-01-01T00:00:00Z' } },
  },
  { code: 'invalid_utf8', body: new Uint8Array([0x22, 0xff, 0x22]) },
  { code: 'invalid_json', body: '{' },
  { code: 'invalid_event', body: '{}' },
  { code: 'unreadable_event', body: body.replace('"completed"', '"lost"') },
  { code: 'mode_mismatch', options: { mode: 'live' } },
  { code: 'stale_event', options: { maxEventAge: 200_000_000, now: () => now() + 300_000_000 } },
  { code: 'event_from_future', options: { maxEventAge: 200_000_000, now: () => now() - 300_000_000 } },
];

interface Deliveries {
  readonly handled: string[];
  readonly receive: (request: Request) => Promise<Response>;
}

/** Creates a receiver that records the ids of handled events. */
function createRecorder(
  entry: Entry,
  options: Partial<Parameters<Entry['createReceiver']>[0]> = {},
): Deliveries {
  const handled: string[] = [];
  const receive = entry.createReceiver({
    secrets: secret,
    on: { 'payment.completed': ({ data }) => void handled.push(data.id) },
    fallback: ({ event }) => void handled.push(event),
    onError: () => {},
    ...options,
  });
  return { handled, receive };
}

async function deliver(
  { receive }: Pick<Deliveries, 'receive'>,
  event: Parameters<typeof signedRequest>[0] = body,
  signer: string = secret,
): Promise<number> {
  return (await receive(await signedRequest(event, { secret: signer }))).status;
}

/** Whether a verifier accepts a signature, also of a body that is no event. */
async function isSigned(
  { createVerifier }: Entry,
  raw: edge.RawBody,
  signature: string,
  key: edge.Secret,
): Promise<boolean> {
  const { safeVerify } = createVerifier({ secrets: key, onWarning: () => {} });
  const result = await safeVerify(raw, signature);
  return result.ok || /^invalid_|^unreadable_/.test(result.code);
}

const entryCases: readonly EntryCase[] = [
  {
    name: 'the valid and malformed signatures of vectors.json',
    async run(entry) {
      const { sign } = entry;
      const differences: string[] = [];
      for (const { id, valid, secret: key, body: signed, signatures } of vectorFile.vectors) {
        const [bytes, keyBytes] = [toBytes(signed), toBytes(key)];
        const [signature = ''] = signatures;
        const isValid = signatures.length === 1 && (await isSigned(entry, bytes, signature, keyBytes));
        if (isValid !== valid || (valid && (await sign(bytes, keyBytes)) !== signature)) differences.push(id);
      }
      assertMatch([vectorFile.vectors.length, differences], [vectorFile.count, []]);
    },
  },
  ...(['pending', 'processing', 'completed', 'failed'] as const).map((status): EntryCase => ({
    name: `an event of the status ${status}, verified as text and as bytes`,
    async run({ sign, createVerifier }) {
      const text = JSON.stringify(events[status]());
      const signature = await sign(text, secret);
      const { verify } = createVerifier({ secrets: secret });
      for (const raw of [text, new TextEncoder().encode(text), new TextEncoder().encode(text).buffer])
        assertMatch(await verify(raw, signature), { event: `payment.${status}`, data: { status } });
    },
  })),
  ...refused.map(({ code, options, body: raw = body, signature, signedBy = secret }, index): EntryCase => ({
    name: `a request refused with ${code}, case ${index}`,
    async run({ sign, createVerifier }) {
      const text = typeof raw === 'string' || raw instanceof Uint8Array ? raw : body;
      const header = signature === undefined ? await sign(text as string, signedBy) : signature;
      const { safeVerify } = createVerifier({ secrets: secret, now, onWarning: () => {}, ...options });
      const headers = { 'x-service-signature': header ?? undefined };
      const source = Array.isArray(header)
        ? headers
        : new Headers(header === null ? {} : ({ ...headers } as never));
      assertMatch(await safeVerify(raw as string, source as Headers), { ok: false, code });
    },
  })),
  {
    name: 'a changed body or signature is refused',
    async run(entry) {
      const signature = await entry.sign(body, secret);
      const results = [signature, signature.toUpperCase(), ` ${signature}`, signature.slice(1)].map(
        async (each) => isSigned(entry, body, each, secret),
      );
      assertMatch(await Promise.all(results), [true, false, false, false]);
      assertMatch(await isSigned(entry, `${body} `, signature, secret), false);
    },
  },
  {
    name: 'a receiver handles duplicates once',
    async run(entry) {
      const recorder = createRecorder(entry);
      const together = await Promise.all([deliver(recorder), deliver(recorder), deliver(recorder)]);
      assertMatch([...together, await deliver(recorder)], [200, 200, 200, 200]);
      assertMatch(recorder.handled.length, 1);
    },
  },
  {
    name: 'receivers with one memory store handle an event once',
    async run(entry) {
      const store = entry.memoryStore();
      const recorders = [createRecorder(entry, { store }), createRecorder(entry, { store })];
      for (const recorder of recorders) assertMatch(await deliver(recorder), 200);
      assertMatch(
        recorders.map(({ handled }) => handled.length),
        [1, 0],
      );
    },
  },
  {
    name: 'a receiver runs a handler that failed again',
    async run(entry) {
      let calls = 0;
      const failOnce = (): void => {
        calls += 1;
        if (calls === 1) throw new Error('The database is down.');
      };
      const recorder = createRecorder(entry, { on: { 'payment.completed': failOnce } });
      assertMatch(
        [await deliver(recorder), await deliver(recorder), await deliver(recorder)],
        [500, 200, 200],
      );
      assertMatch(calls, 2);
    },
  },
  {
    name: 'a receiver refuses a forged event and another method',
    async run(entry) {
      const recorder = createRecorder(entry);
      assertMatch(await deliver(recorder, body, other), 401);
      assertMatch((await recorder.receive(new Request('http://localhost/'))).status, 405);
      assertMatch(recorder.handled, []);
    },
  },
  {
    name: 'a receiver stops at maxBodyBytes',
    async run(entry) {
      const recorder = createRecorder(entry, { maxBodyBytes: 1_000 });
      assertMatch(await deliver(recorder, 'x'.repeat(1_001)), 413);
    },
  },
  {
    name: 'a receiver calls a function for its secrets',
    async run(entry) {
      const recorder = createRecorder(entry, { secrets: async () => [other, secret] });
      assertMatch([await deliver(recorder), await deliver(recorder, body, other)], [200, 200]);
    },
  },
];

const entries: Readonly<Record<string, () => Entry | Promise<Entry>>> = {
  '@service/webhooks/edge': () => ({
    ...edge,
    sign: edge.signAsync,
    createVerifier: (options) => {
      const { verifyAsync, safeVerifyAsync } = edge.createAsyncVerifier(options);
      return { verify: verifyAsync, safeVerify: safeVerifyAsync };
    },
  }),
  '@service/webhooks': () => import('@service/webhooks'),
};

/** Signatures, verifiers and receivers of both entries. */
export const webhooks: readonly Case[] = Object.entries(entries).flatMap(([title, load]) =>
  entryCases.map(({ name, run }) => ({
    name: `${title}: ${name}`,
    run: async () => run(await load()),
  })),
);
