// Every public name that webhooks.test-d.ts does not cover, in the types of users and frameworks.
import type { RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import type { FastifyPluginAsync } from 'fastify';
import type { Handler as HonoRoute } from 'hono';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient } from 'pg';
import type { createClient } from 'redis';
import { describe, expectTypeOf, it } from 'vitest';
import * as webhooks from '@service/webhooks';
import type * as edge from '@service/webhooks/edge';
import { toExpress } from '@service/webhooks/express';
import type { ExpressHandler } from '@service/webhooks/express';
import { toFastify } from '@service/webhooks/fastify';
import type { FastifyPlugin } from '@service/webhooks/fastify';
import { toHono } from '@service/webhooks/hono';
import type { HonoContextLike, HonoHandler } from '@service/webhooks/hono';
import { toLambda } from '@service/webhooks/lambda';
import type { LambdaEventLike, LambdaResult } from '@service/webhooks/lambda';
import { toAppRouter, toPagesRouter } from '@service/webhooks/next';
import { toNode } from '@service/webhooks/node';
import type { IncomingLike, NodeHandler, OutgoingLike } from '@service/webhooks/node';
import { postgresMigration, postgresStore } from '@service/webhooks/postgres';
import type { PostgresLike, PostgresStore, PostgresStoreOptions } from '@service/webhooks/postgres';
import { redisStore } from '@service/webhooks/redis';
import type * as redis from '@service/webhooks/redis';
import { events, explain, signedRequest } from '@service/webhooks/testing';
import type * as testing from '@service/webhooks/testing';

declare const receive: webhooks.Receiver;

describe('the constants', () => {
  it('have literal types', () => {
    expectTypeOf(webhooks.MODES).toEqualTypeOf<readonly ['test', 'live']>();
    expectTypeOf<(typeof webhooks.PAYMENT_STATUSES)[number]>().toEqualTypeOf<webhooks.PaymentStatus>();
    expectTypeOf(webhooks.PAYMENT_EVENT_NAMES).items.toEqualTypeOf<webhooks.PaymentEventName>();
    expectTypeOf<typeof webhooks.SIGNATURE_HEADER>().toEqualTypeOf<'x-service-signature'>();
    expectTypeOf<(typeof webhooks.SETUP_CODES)[number]>().toExtend<webhooks.WebhookErrorCode>();
  });
});

describe('the verifier', () => {
  it('accepts bodies, secrets and signatures of every type', () => {
    expectTypeOf<webhooks.RawBody>().toEqualTypeOf<string | Uint8Array | ArrayBuffer | DataView>();
    expectTypeOf<Headers>().toExtend<webhooks.HeadersLike>();
    expectTypeOf<webhooks.HeadersLike | webhooks.SignatureValue>().toExtend<webhooks.SignatureSource>();
    expectTypeOf<webhooks.Secret | webhooks.NamedSecret | undefined>().toExtend<webhooks.Secrets>();
    expectTypeOf<webhooks.NamedSecret['notAfter']>().toEqualTypeOf<Date | number | string | undefined>();
    expectTypeOf<webhooks.EventAgeOptions>().toEqualTypeOf<{
      readonly maxEventAge?: number | undefined;
      readonly clockTolerance?: number | undefined;
    }>();
  });

  it('is synchronous, and asynchronous over WebCrypto', () => {
    expectTypeOf<webhooks.Verifier['verify']>().returns.toEqualTypeOf<webhooks.WebhookEvent>();
    expectTypeOf<edge.AsyncVerifier['verify']>().returns.toEqualTypeOf<Promise<webhooks.WebhookEvent>>();
    expectTypeOf<webhooks.VerificationResult>().toEqualTypeOf<
      ({ readonly ok: true } & webhooks.VerifiedEvent) | webhooks.VerificationFailure
    >();
  });

  it('has types for warnings and errors', () => {
    expectTypeOf<webhooks.WarningListener>().parameter(0).toEqualTypeOf<webhooks.WebhookWarning>();
    expectTypeOf<webhooks.WebhookWarning['code']>().toEqualTypeOf<webhooks.WebhookWarningCode>();
    expectTypeOf<webhooks.WebhookErrorOptions>().toExtend<ErrorOptions>();
  });

  it('has types for the parts of events', () => {
    type Completed = webhooks.EventOf<'payment.completed'>;
    expectTypeOf<Completed['data']['send_amount']>().toEqualTypeOf<webhooks.WireAmount>();
    expectTypeOf<webhooks.UnknownEvent['event']>().toEqualTypeOf<webhooks.UnknownEventName>();
    expectTypeOf(webhooks.isStale).returns.toBeBoolean();
  });
});

describe('the receiver', () => {
  it('has handlers by name and framework-independent responses', () => {
    expectTypeOf<NonNullable<webhooks.Handlers['payment.failed']>>().toEqualTypeOf<
      webhooks.Handler<webhooks.EventOf<'payment.failed'>>
    >();
    expectTypeOf<webhooks.CreateReceiver>().toEqualTypeOf<typeof webhooks.createReceiver>();
    expectTypeOf<webhooks.Receiver['deliver']>().toEqualTypeOf<
      (delivery: webhooks.WebhookRequest) => Promise<webhooks.WebhookResponse>
    >();
    expectTypeOf<webhooks.WebhookRequest['read']>().parameter(1).toEqualTypeOf<webhooks.CreateBodyError>();
    expectTypeOf<webhooks.CreateBodyError>().returns.toEqualTypeOf<webhooks.WebhookError>();
  });

  it('passes unreadable events to the fallback only with onUnreadable "fallback"', () => {
    const common = { secrets: async () => 'a secret', on: {} };
    webhooks.createReceiver({
      ...common,
      onUnreadable: 'fallback',
      fallback: (event) => {
        expectTypeOf(event).toEqualTypeOf<webhooks.WebhookEvent | webhooks.UnreadableEvent>();
      },
    });
    webhooks.createReceiver({
      ...common,
      fallback: (event) => {
        expectTypeOf(event).toEqualTypeOf<webhooks.WebhookEvent>();
      },
    });
    const fallback = (_event: webhooks.WebhookEvent): void => {};
    // @ts-expect-error the fallback does not accept unreadable events
    webhooks.createReceiver({ ...common, onUnreadable: 'fallback', fallback });
    expectTypeOf<typeof common.secrets>().toExtend<webhooks.SecretsSource>();
    expectTypeOf<webhooks.ReceiverOptions>().toExtend<
      webhooks.CommonReceiverOptions & webhooks.FallbackOptions
    >();
  });

  it('accepts a store with typed results', () => {
    expectTypeOf<webhooks.DedupeStore['claim']>().returns.toEqualTypeOf<Promise<webhooks.ClaimState>>();
    expectTypeOf<webhooks.DedupeStore['wait']>().returns.toEqualTypeOf<Promise<webhooks.ClaimOutcome>>();
    expectTypeOf<webhooks.DedupeStore['confirm']>().returns.toEqualTypeOf<
      Promise<webhooks.Confirmation | void>
    >();
    expectTypeOf<NonNullable<webhooks.DedupeStore['renew']>>().returns.toEqualTypeOf<
      Promise<webhooks.Renewal>
    >();
    expectTypeOf(webhooks.memoryStore).parameter(0).toEqualTypeOf<webhooks.MemoryStoreOptions | undefined>();
  });
});

describe('the adapters', () => {
  it('match the types of the frameworks', () => {
    expectTypeOf(toExpress(receive)).toEqualTypeOf<ExpressHandler>();
    expectTypeOf<ExpressHandler>().toExtend<RequestHandler>();
    expectTypeOf(toFastify(receive)).toEqualTypeOf<FastifyPlugin>();
    expectTypeOf<FastifyPlugin>().toExtend<FastifyPluginAsync<{ path?: string }>>();
    expectTypeOf(toHono(receive)).toEqualTypeOf<HonoHandler>();
    expectTypeOf<HonoHandler>().parameter(0).toEqualTypeOf<HonoContextLike>();
    expectTypeOf<HonoHandler>().toExtend<HonoRoute>();
    expectTypeOf(toNode(receive)).toEqualTypeOf<NodeHandler>();
    expectTypeOf<NodeHandler>().toExtend<RequestListener>();
    expectTypeOf(toPagesRouter(receive)).parameters.toEqualTypeOf<[IncomingLike, OutgoingLike]>();
    expectTypeOf(toAppRouter(receive)).toEqualTypeOf<(request: Request) => Promise<Response>>();
    expectTypeOf(toLambda(receive)).toEqualTypeOf<(event: LambdaEventLike) => Promise<LambdaResult>>();
  });
});

describe('the stores', () => {
  it('accept the clients of Redis and Postgres libraries', () => {
    expectTypeOf<Redis>().toExtend<redis.IoredisLike>();
    expectTypeOf<ReturnType<typeof createClient>>().toExtend<redis.NodeRedisLike>();
    expectTypeOf(redisStore).returns.toEqualTypeOf<webhooks.DedupeStore>();
    expectTypeOf<Pool>().toExtend<PostgresLike>();
    expectTypeOf<PoolClient>().toExtend<PostgresLike>();
    expectTypeOf(postgresStore).returns.toEqualTypeOf<PostgresStore>();
    expectTypeOf<PostgresStore>().toExtend<webhooks.DedupeStore>();
    expectTypeOf(postgresMigration).returns.toBeString();
    expectTypeOf<PostgresStoreOptions & redis.RedisStoreOptions>().toExtend<redis.SharedStoreOptions>();
  });
});

describe('the testing entry point', () => {
  it('has types for events, requests and explanations', () => {
    expectTypeOf(events.failed).parameter(0).toEqualTypeOf<testing.EventParts | undefined>();
    expectTypeOf(events.failed).returns.toEqualTypeOf<testing.WireEvent<'failed'>>();
    expectTypeOf(signedRequest).parameter(1).toEqualTypeOf<testing.SignedRequestOptions>();
    expectTypeOf(signedRequest).returns.resolves.toEqualTypeOf<Request>();
    expectTypeOf(explain).parameter(2).toEqualTypeOf<testing.ExplainOptions>();
    expectTypeOf(explain).returns.resolves.toEqualTypeOf<testing.Explanation>();
    expectTypeOf<testing.Explanation['hints']>().items.toEqualTypeOf<testing.Hint>();
    expectTypeOf<testing.Hint['code']>().toEqualTypeOf<testing.HintCode>();
  });
});
