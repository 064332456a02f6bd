// Uses the public API of @service/webhooks. Compiled with every supported version of TypeScript.
import * as webhooks from '@service/webhooks';
import * as edge from '@service/webhooks/edge';
import { type ExpressHandler, toExpress } from '@service/webhooks/express';
import { type FastifyPlugin, toFastify } from '@service/webhooks/fastify';
import { type HonoHandler, toHono } from '@service/webhooks/hono';
import { type LambdaResult, toLambda } from '@service/webhooks/lambda';
import { toAppRouter, toPagesRouter } from '@service/webhooks/next';
import { type NodeHandler, toNode } from '@service/webhooks/node';
import {
  type PostgresLike,
  type PostgresStore,
  postgresMigration,
  postgresStore,
} from '@service/webhooks/postgres';
import { type RedisLike, redisStore } from '@service/webhooks/redis';
import { events, explain, signedRequest } from '@service/webhooks/testing';

declare const redis: RedisLike;
declare const pool: PostgresLike;

export const options: webhooks.VerifierOptions = {
  secrets: [{ id: 'new', value: 'a secret', notAfter: new Date(0) }, new Uint8Array(32)],
  mode: 'live',
  maxEventAge: 300_000,
  now: () => 0,
  onWarning: ({ code, secretId }: webhooks.WebhookWarning) => void [code, secretId],
};

export function verifyEvent(verifier: webhooks.Verifier, body: webhooks.RawBody, headers: Headers): string {
  const result: webhooks.VerificationResult = verifier.safeVerify(body, headers);
  if (!result.ok) return result.code;
  const event: webhooks.WebhookEvent = result.event;
  if (event.kind === 'unknown') return `${event.event} ${String(event.data)}`;
  const name: webhooks.PaymentEventName = event.event;
  if (event.event === 'payment.failed') {
    const status: 'failed' = event.data.status;
    return `${status} ${name} ${result.secretId}`;
  }
  return event.data.id;
}

export const receive: webhooks.Receiver = webhooks.createReceiver({
  ...options,
  on: { 'payment.completed': async ({ data }) => data.receive_amount },
  fallback: () => {},
  onError: (error, event) => `${error.code} ${event?.event}`,
  store: webhooks.memoryStore({ maxEntries: 1_000 }),
  dedupeBy: 'body',
});
export const misspelled = webhooks.createReceiver({
  ...options,
  // @ts-expect-error the event is payment.completed
  on: { 'payment.complete': () => {} },
  fallback: () => {},
});

export const isValid: boolean =
  webhooks.createVerifier(options).isValid('{}', 'ab') &&
  webhooks.isValidSignature('{}', webhooks.sign('{}', 'a secret'), 'a secret');
export const isValidOnEdge = async (request: Request): Promise<boolean> =>
  (await edge.isValidSignature('{}', request.headers.get(edge.SIGNATURE_HEADER), 'a secret')) &&
  (await edge.createVerifier(options).safeVerify(await request.arrayBuffer(), request.headers)).ok;
export const onEdge = edge.createReceiver({ secrets: 'a secret', on: {}, fallback: () => {} });
export const codeOf = (error: unknown): webhooks.WebhookErrorCode | undefined =>
  webhooks.isWebhookError(error) ? error.code : undefined;

export const express: ExpressHandler = toExpress(receive);
export const fastify: FastifyPlugin = toFastify(receive);
export const hono: HonoHandler = toHono(receive);
export const lambda = async (): Promise<LambdaResult> => toLambda(receive)({ body: '{}' });
export const routes = [toAppRouter(receive), toPagesRouter(receive)] as const;
export const node: NodeHandler = toNode(receive);
export const stores: readonly webhooks.DedupeStore[] = [
  redisStore(redis, { prefix: 'w:' }),
  postgresStore(pool),
];
export const claim = async (postgres: PostgresStore, event: webhooks.PaymentEvent): Promise<boolean> =>
  postgres.claimIn(pool, event);
export const migration: string = postgresMigration('webhook_deliveries');
export const isOld = (event: webhooks.PaymentEvent): boolean => webhooks.isStale('completed', event);
export const request = async (): Promise<Request> =>
  signedRequest(events.completed({ data: { send_amount: '100.00' } }), { secret: 'a secret' });
export const countHints = async (): Promise<number> =>
  (await explain('{}', 'ab', { secrets: 'a secret' })).hints.length;
