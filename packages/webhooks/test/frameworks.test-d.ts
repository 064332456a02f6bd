// The types of frameworks and of clients of databases.
import type { RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import type { FastifyPluginAsync } from 'fastify';
import type { Handler as HonoRoute } from 'hono';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient } from 'pg';
import type { createClient } from 'redis';
import { describe, expectTypeOf, it } from 'vitest';
import * as webhooks from '@service/webhooks';
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

declare const receive: webhooks.Receiver;

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
