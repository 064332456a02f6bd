import { checkOptions, invalidOptions, optional, wholeNumber } from '../options.ts';
import { createSharedStore } from './shared-store.ts';
import type { SharedStoreOptions, StoreCommands } from './shared-store.ts';
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

const CONFIRMED = 'confirmed';
// Scripts are atomic: between two commands, another process could claim the key.
// Writes ARGV[2] over a free key, over the owner ARGV[1] and over ARGV[2]: a client may send a command twice.
const UPDATE =
  "local v = redis.call('GET', KEYS[1]) if v and v ~= ARGV[1] and v ~= ARGV[2] then return 0 end redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1";
const RELEASE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * Creates a deduplication store over a client of ioredis or node-redis.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function redisStore(client: RedisLike, options: RedisStoreOptions = {}): DedupeStore {
  const { prefix = 'webhook:', ...shared } = checkOptions('redisStore', options, {
    ttl: wholeNumber(1),
    prefix: optional('a string', (value) => typeof value === 'string'),
  });
  const send = toSendCommand(client);
  const commands: StoreCommands = {
    claim: async (key, owner, lease) =>
      isSet(await send('SET', prefix + key, toOwner(owner), 'NX', 'PX', lease)),
    read: async (key, owner) => {
      const value = await send('GET', prefix + key);
      if (value === null || value === undefined) return undefined;
      const text = toText(value);
      // A client that lost the response to SET sends it again and finds its own claim.
      if (owner !== undefined && text === toOwner(owner)) return 'claimed';
      return text.startsWith(CONFIRMED) ? CONFIRMED : 'in_progress';
    },
    update: async (key, owner, duration, isConfirmed) => {
      const value = isConfirmed ? `${CONFIRMED}:${owner}` : toOwner(owner);
      return String(await send('EVAL', UPDATE, 1, prefix + key, toOwner(owner), value, duration)) !== '0';
    },
    release: (key, owner) => send('EVAL', RELEASE, 1, prefix + key, toOwner(owner)),
  };
  return createSharedStore(commands, shared);
}

// A guess at any other response could lose the event.
function isSet(response: unknown): boolean {
  if (response === null || response === undefined) return false;
  if (toText(response) === 'OK') return true;
  throw new TypeError('The Redis client must respond to SET with OK or null.');
}

/** Converts a response to text: a client may be configured to return bytes. */
function toText(response: unknown): string {
  return response instanceof Uint8Array ? new TextDecoder().decode(response) : String(response);
}

/** Adds a prefix, so that no owner equals the value of a confirmed key. */
function toOwner(owner: string): string {
  return `owner:${owner}`;
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
