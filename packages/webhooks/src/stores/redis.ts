import { matching, milliseconds } from '@service/internal';
import { invalidOptions, parseOptions } from '../options.ts';
import { createSharedStore } from './shared-store.ts';
import type { SharedStoreOptions } from './shared-store.ts';
import type { DedupeStore } from './store.ts';

export type { SharedStoreOptions };

/** The used member of an ioredis client. */
export interface IoredisLike {
  /** Sends a command and returns its reply. */
  call(command: string, ...words: string[]): Promise<unknown>;
}

/** The used member of a node-redis client. */
export interface NodeRedisLike {
  /** Sends a command and returns its reply. */
  sendCommand(words: string[]): Promise<unknown>;
}

/** A client that `redisStore` supports. */
export type RedisLike = IoredisLike | NodeRedisLike;

/** The keys and the times of a store in Redis. */
export interface RedisStoreOptions extends SharedStoreOptions {
  /**
   * The prefix of all keys.
   *
   * @default 'webhook:'
   */
  readonly prefix?: string | undefined;
}

// Scripts are atomic: between two commands, another process could claim the key. They return words, which no
// client converts. A client that lost a response may send its script again. No owner equals a mark.
const start = `local value = redis.call('GET', KEYS[1])
local claim, mark = 'owner:' .. ARGV[1], 'confirmed:' .. ARGV[1]
local isConfirmed = value and string.sub(value, 1, 9) == 'confirmed'
`;
const scripts = {
  claim: `${start} if not value then redis.call('SET', KEYS[1], claim, 'PX', ARGV[2]) end
if not value or value == claim then return 'claimed' end
return isConfirmed and 'confirmed' or 'in_progress'`,
  read: `${start} if not value then return 'released' end
return isConfirmed and 'confirmed' or 'in_progress'`,
  renew: `${start} if value and value ~= claim then return 'lost' end
redis.call('SET', KEYS[1], claim, 'PX', ARGV[2])
return 'renewed'`,
  confirm: `${start} if not value or value == claim or value == mark then
  redis.call('SET', KEYS[1], mark, 'PX', ARGV[2])
  return 'confirmed'
end
if isConfirmed then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 'lost'`,
  release: `${start} if value == claim then redis.call('DEL', KEYS[1]) end return 'released'`,
} as const;

/**
 * Creates a deduplication store over a client of ioredis or node-redis.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function redisStore(client: RedisLike, options: RedisStoreOptions = {}): DedupeStore {
  const prefixField = matching<string>('a string', (value) => typeof value === 'string');
  const fields = { ttl: milliseconds, prefix: prefixField };
  const { prefix = 'webhook:', ...shared } = parseOptions('The options of redisStore', options, fields);
  const send = toSendCommand(client);
  return createSharedStore(
    (command, key, owner, duration) => send('EVAL', scripts[command], 1, prefix + key, owner, duration),
    shared,
  );
}

/** Creates the function that sends a command of some words. */
function toSendCommand(client: RedisLike): (...words: readonly (string | number)[]) => Promise<unknown> {
  const methods = client as Partial<IoredisLike & NodeRedisLike> | null;
  // Checked first: the `sendCommand` of ioredis has other parameters.
  if (typeof methods?.call === 'function')
    return (command, ...words) => (client as IoredisLike).call(String(command), ...words.map(String));
  if (typeof methods?.sendCommand === 'function')
    return (...words) => (client as NodeRedisLike).sendCommand(words.map(String));
  throw invalidOptions('redisStore requires a client of ioredis or node-redis: redisStore(client).');
}
