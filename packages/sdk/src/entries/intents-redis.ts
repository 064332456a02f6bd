/**
 * A store of payment intents in Redis, for all processes that reach the server.
 *
 * @module
 */
export {
  createRedisStore,
  type RedisConnection,
  type RedisIntentStoreOptions,
} from '../intents/redis-store.ts';
