import { invalidOptions } from '../options.ts';
import { claimOrRead, pollOutcome } from './polling.ts';
import type { ReadState } from './polling.ts';
import { DEFAULT_LEASE, parseSharedStoreOptions, withTimeout } from './shared-store.ts';
import type { SharedStoreOptions } from './shared-store.ts';
import type { DedupeStore } from './store.ts';

export type { SharedStoreOptions };

/** Sends one command of Redis, word by word. */
type SendCommand = (words: string[]) => Promise<unknown>;

/** Describes a client of ioredis, as far as it is needed. */
export interface IoredisLike {
  call(command: string, ...words: string[]): Promise<unknown>;
}

/** Describes a client of node-redis, or anything that sends a command word by word. */
export interface NodeRedisLike {
  sendCommand(words: string[]): Promise<unknown>;
}

/** Describes a client with methods in place of commands, such as one over HTTP. */
export interface RedisMethodsLike {
  set(key: string, value: string, options: { nx: true; px: number }): Promise<unknown>;
  get(key: string): Promise<unknown>;
  eval(script: string, keys: string[], words: string[]): Promise<unknown>;
}

/** Describes any client that a Redis store works over. */
export type RedisLike = IoredisLike | NodeRedisLike | RedisMethodsLike;

/** Configures a Redis store. */
export interface RedisStoreOptions extends SharedStoreOptions {
  /**
   * Begins every key.
   * @default 'webhook:'
   */
  readonly prefix?: string | undefined;
}

const CONFIRMED = 'confirmed';
// Each script reads and writes in one step: between two commands, another process could take the key.
// Writes ARGV[2] over a free key, over the owner ARGV[1], and over itself: a client may send a command twice.
const HOLD =
  "local v = redis.call('GET', KEYS[1]) if v and v ~= ARGV[1] and v ~= ARGV[2] then return 0 end redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1";
const RELEASE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * Creates a dedupe store over a Redis client that you already have: ioredis, node-redis, or anything with `set`, `get`
 * and `eval`. Throws `invalid_options`.
 */
export function redisStore(client: RedisLike, options: RedisStoreOptions = {}): DedupeStore {
  const { ttl, pollInterval, commandTimeout } = parseSharedStoreOptions(options, ['prefix'], 'redisStore');
  const { prefix = 'webhook:' } = options;
  const sendCommand = toSendCommand(client);
  const send: SendCommand = (words) => withTimeout(sendCommand(words), commandTimeout);
  const keyOf = (key: string): string => prefix + key;

  const readState = (key: string) => async (): ReturnType<ReadState> =>
    toState(await send(['GET', keyOf(key)]));

  const hold = async (key: string, owner: string, [value, duration]: [string, number]): Promise<boolean> => {
    const words = [toOwner(owner), value, String(duration)];
    return String(await send(['EVAL', HOLD, '1', keyOf(key), ...words])) !== '0';
  };

  return {
    ttl,
    claim: (key, owner, lease = DEFAULT_LEASE) =>
      claimOrRead(
        async () => isSet(await send(['SET', keyOf(key), toOwner(owner), 'NX', 'PX', String(lease)])),
        async () => {
          const value = await send(['GET', keyOf(key)]);
          // A client that lost the answer to its SET sends it again, and finds the key taken: by itself.
          return toText(value) === toOwner(owner) ? 'claimed' : toState(value);
        },
      ),
    renew: async (key, owner, lease) =>
      (await hold(key, owner, [toOwner(owner), lease])) ? 'renewed' : 'lost',
    confirm: async (key, owner) =>
      (await hold(key, owner, [`${CONFIRMED}:${owner}`, ttl])) ? 'confirmed' : 'lost',
    release: async (key, owner) => {
      await send(['EVAL', RELEASE, '1', keyOf(key), toOwner(owner)]);
    },
    wait: (key, signal) => pollOutcome({ read: readState(key), pollInterval }, signal),
  };
}

function toState(value: unknown): 'in_progress' | 'confirmed' | undefined {
  if (value === null || value === undefined) return undefined;
  return toText(value).startsWith(CONFIRMED) ? CONFIRMED : 'in_progress';
}

/** Tells whether a SET took effect. Throws at an answer that Redis does not give: to guess would lose the event. */
function isSet(answer: unknown): boolean {
  if (answer === null || answer === undefined) return false;
  if (toText(answer) === 'OK') return true;
  throw new TypeError('The client of Redis answered SET by neither OK nor null.');
}

/** Converts a response to text; a client may be configured to return bytes. */
function toText(response: unknown): string {
  return response instanceof Uint8Array ? new TextDecoder().decode(response) : String(response);
}

/** Marks an owner, so that none is taken for the word of a confirmed key. */
function toOwner(owner: string): string {
  return `owner:${owner}`;
}

function toSendCommand(client: RedisLike): SendCommand {
  const has = (method: string): boolean =>
    typeof (client as unknown as Record<string, unknown> | null)?.[method] === 'function';
  // First, since a client of ioredis has a sendCommand of another kind.
  if (has('call')) return ([command = '', ...words]) => (client as IoredisLike).call(command, ...words);
  if (has('sendCommand')) return (words) => (client as NodeRedisLike).sendCommand(words);
  if (has('set') && has('get') && has('eval')) return toMethods(client as RedisMethodsLike);
  throw invalidOptions(
    'redisStore takes a client of ioredis or node-redis, or one with set, get and eval: redisStore(client).',
  );
}

function toMethods(client: RedisMethodsLike): SendCommand {
  return ([command = '', first = '', ...words]) => {
    if (command === 'GET') return client.get(first);
    if (command === 'SET') return client.set(first, words[0] ?? '', { nx: true, px: Number(words[3]) });
    return client.eval(first, [words[1] ?? ''], words.slice(2));
  };
}
