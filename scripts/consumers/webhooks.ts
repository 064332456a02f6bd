// Uses @service/webhooks as a program does. Compiled with every supported version of TypeScript.
import * as webhooks from '@service/webhooks';
import * as edge from '@service/webhooks/edge';
import { toExpress } from '@service/webhooks/express';
import { toFastify } from '@service/webhooks/fastify';
import { toHono } from '@service/webhooks/hono';
import { toLambda } from '@service/webhooks/lambda';
import { toAppRouter, toPagesRouter } from '@service/webhooks/next';
import { toNode } from '@service/webhooks/node';
import { type PostgresLike, postgresStore } from '@service/webhooks/postgres';
import { events, signedRequest } from '@service/webhooks/testing';

declare const pool: PostgresLike;

export const options: webhooks.VerifierOptions = {
  secrets: [{ id: 'new', value: 'a secret', notAfter: new Date(0) }, new Uint8Array(32)],
  mode: 'live',
  now: () => 0,
  onWarning: ({ code, message }) => void [code, message],
};

export function verifyEvent(verifier: webhooks.Verifier, body: webhooks.RawBody, headers: Headers): string {
  const result = verifier.safeVerify(body, headers);
  if (!result.ok) return result.code;
  if (result.event.kind === 'unknown') return `${result.event.event} ${String(result.event.data)}`;
  if (result.event.event !== 'payment.failed') return result.event.data.id;
  const status: 'failed' = result.event.data.status;
  return `${status} ${result.secretId}`;
}

export const receive: webhooks.Receiver = webhooks.createReceiver({
  ...options,
  on: { 'payment.completed': async ({ data }) => data.receive_amount },
  fallback: () => {},
  onError: (error, event) => `${error.code} ${event?.event}`,
  store: postgresStore(pool),
});
export const misspelled = webhooks.createReceiver({
  ...options,
  // @ts-expect-error the event is payment.completed
  on: { 'payment.complete': () => {} },
  fallback: () => {},
});
export const isValidOnEdge = async (request: Request): Promise<boolean> =>
  (await edge.createAsyncVerifier(options).safeVerifyAsync(await request.arrayBuffer(), request.headers)).ok;
export const routes = [toAppRouter(receive), toPagesRouter(receive), toExpress(receive)] as const;
export const handlers = [toFastify(receive), toHono(receive), toLambda(receive), toNode(receive)] as const;
export const request = async (): Promise<Request> =>
  signedRequest(events.completed({ data: { send_amount: '100.00' } }), { secret: 'a secret' });
