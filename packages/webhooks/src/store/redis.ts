import { invalidOptions, parseOptions } from '../options.ts';
import {
  applyDefaults,
  claimOrRead,
  DEFAULT_LEASE,
  pollOutcome,
  sharedStoreFields,
  withTimeout,
} from './shared-store.ts';
import type { ReadState, SharedStoreOptions } from './shared-store.ts';
import type { DedupeStore } from './store.ts';

export type { SharedStoreOptions };

/** Sends a Redis command as a list of words. */
type SendCommand = (words: string[]) => Promise<unknown>;

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

/** A client with one method per command, for example over HTTP. */
export interface RedisMethodsLike {
  /** Sets a free key, and returns null if the key exists. */
  set(
    key: string,
    value: string,
    options: {
      /** Writes only a key that does not exist. */
      nx: true;
      /** Lifetime of the key, in milliseconds. */
      px: number;
    },
  ): Promise<unknown>;
  /** Returns the value of a key, or null. */
  get(key: string): Promise<unknown>;
  /** Runs a Lua script with `KEYS` and `ARGV`. */
  eval(script: string, keys: string[], words: string[]): Promise<unknown>;
}

/** A client that `redisStore` supports. */
export type RedisLike = IoredisLike | NodeRedisLike | RedisMethodsLike;

/** The keys and the times of a store in Redis. */
export interface RedisStoreOptions extends SharedStoreOptions {
  /**
   * The prefix of all keys.
   *
   * @default 'webhook:'
   */
  readonly prefix?: string | undefined;
}

const redisFields = {
  ...sharedStoreFields,
  prefix: {
    expected: 'a string',
    parse: (value: unknown) => (typeof value === 'string' ? value : undefined),
  },
};

const CONFIRMED = 'confirmed';
// Scripts are atomic: between two commands, another process could claim the key.
// Writes ARGV[2] over a free key, over the owner ARGV[1] and over ARGV[2]: a client may send a command twice.
const UPDATE =
  "local v = redis.call('GET', KEYS[1]) if v and v ~= ARGV[1] and v ~= ARGV[2] then return 0 end redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1";
const RELEASE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * Creates a deduplication store over a client of ioredis or node-redis, or a client with `set`, `get` and
 * `eval`.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function redisStore(client: RedisLike, options: RedisStoreOptions = {}): DedupeStore {
  const { prefix = 'webhook:', ...shared } = parseOptions('redisStore', options, redisFields);
  const { ttl, pollInterval, commandTimeout } = applyDefaults(shared);
  const sendCommand = toSendCommand(client);
  const send: SendCommand = (words) => withTimeout(sendCommand(words), commandTimeout);
  const toKey = (key: string): string => prefix + key;

  const readState = (key: string) => async (): ReturnType<ReadState> =>
    toState(await send(['GET', toKey(key)]));

  const tryUpdate = async (
    key: string,
    owner: string,
    [value, duration]: [string, number],
  ): Promise<boolean> => {
    const words = [toOwner(owner), value, String(duration)];
    return String(await send(['EVAL', UPDATE, '1', toKey(key), ...words])) !== '0';
  };

  return {
    ttl,
    claim: (key, owner, lease = DEFAULT_LEASE) =>
      claimOrRead(
        async () => isSet(await send(['SET', toKey(key), toOwner(owner), 'NX', 'PX', String(lease)])),
        async () => {
          const value = await send(['GET', toKey(key)]);
          // A client that lost the response to SET sends it again and finds its own claim.
          return toText(value) === toOwner(owner) ? 'claimed' : toState(value);
        },
      ),
    renew: async (key, owner, lease) =>
      (await tryUpdate(key, owner, [toOwner(owner), lease])) ? 'renewed' : 'lost',
    confirm: async (key, owner) =>
      (await tryUpdate(key, owner, [`${CONFIRMED}:${owner}`, ttl])) ? 'confirmed' : 'lost',
    release: async (key, owner) => {
      await send(['EVAL', RELEASE, '1', toKey(key), toOwner(owner)]);
    },
    wait: (key, signal) => pollOutcome({ read: readState(key), pollInterval }, signal),
  };
}

function toState(value: unknown): 'in_progress' | 'confirmed' | undefined {
  if (value === null || value === undefined) return undefined;
  return toText(value).startsWith(CONFIRMED) ? CONFIRMED : 'in_progress';
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

function toSendCommand(client: RedisLike): SendCommand {
  const has = (method: string): boolean =>
    typeof (client as unknown as Record<string, unknown> | null)?.[method] === 'function';
  // Checked first: the `sendCommand` of ioredis has other parameters.
  if (has('call')) return ([command = '', ...words]) => (client as IoredisLike).call(command, ...words);
  if (has('sendCommand')) return (words) => (client as NodeRedisLike).sendCommand(words);
  if (has('set') && has('get') && has('eval')) return toMethods(client as RedisMethodsLike);
  throw invalidOptions(
    'redisStore requires a client of ioredis or node-redis, or one with set, get and eval: redisStore(client).',
  );
}

function toMethods(client: RedisMethodsLike): SendCommand {
  return ([command = '', first = '', ...words]) => {
    if (command === 'GET') return client.get(first);
    if (command === 'SET') return client.set(first, words[0] ?? '', { nx: true, px: Number(words[3]) });
    return client.eval(first, [words[1] ?? ''], words.slice(2));
  };
}
