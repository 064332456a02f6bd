import { invalidOptions } from '../options.ts';
import { parseLease } from './lease.ts';
import type { LeaseOptions } from './lease.ts';
import { claimOrRead, pollOutcome } from './polling.ts';
import type { ReadState } from './polling.ts';
import type { DedupeStore } from './store.ts';

export type { LeaseOptions };

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
export interface RedisStoreOptions extends LeaseOptions {
  /**
   * Begins every key.
   * @default 'webhook:'
   */
  readonly prefix?: string | undefined;
}

const CONFIRMED = 'confirmed';
// Each looks and acts in one step: between two, another process could take the key.
const CONFIRM =
  "local v = redis.call('GET', KEYS[1]) if not v or v == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end return 1";
const RELEASE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * Creates a dedupe store over a Redis client that you already have: ioredis, node-redis, or anything with `set`, `get`
 * and `eval`. Throws `invalid_options`.
 */
export function redisStore(client: RedisLike, options: RedisStoreOptions = {}): DedupeStore {
  const { lease, ttl, pollInterval } = parseLease(options, ['prefix'], 'redisStore');
  const { prefix = 'webhook:' } = options;
  const send = toSendCommand(client);
  const keyOf = (key: string): string => prefix + key;

  const readState = (key: string) => async (): ReturnType<ReadState> =>
    toState(await send(['GET', keyOf(key)]));

  return {
    ttl,
    claim: (key, owner) =>
      claimOrRead(
        async () => isSet(await send(['SET', keyOf(key), toOwner(owner), 'NX', 'PX', String(lease)])),
        async () => {
          const value = await send(['GET', keyOf(key)]);
          // A client that lost the answer to its SET sends it again, and finds the key taken: by itself.
          return isWord(value, toOwner(owner)) ? 'claimed' : toState(value);
        },
      ),
    confirm: async (key, owner) => {
      await send(['EVAL', CONFIRM, '1', keyOf(key), toOwner(owner), CONFIRMED, String(ttl)]);
    },
    release: async (key, owner) => {
      await send(['EVAL', RELEASE, '1', keyOf(key), toOwner(owner)]);
    },
    wait: (key, signal) => pollOutcome({ read: readState(key), pollInterval }, signal),
  };
}

function toState(value: unknown): 'in_progress' | 'confirmed' | undefined {
  if (value === null || value === undefined) return undefined;
  return isWord(value, CONFIRMED) ? CONFIRMED : 'in_progress';
}

/** Tells whether a SET took effect. Throws at an answer that Redis does not give: to guess would lose the event. */
function isSet(answer: unknown): boolean {
  if (answer === null || answer === undefined) return false;
  if (isWord(answer, 'OK')) return true;
  throw new TypeError('The client of Redis answered SET by neither OK nor null.');
}

/** Tells whether an answer is one word, also of a client that is set to answer in bytes. */
function isWord(answer: unknown, word: string): boolean {
  return answer === word || (answer instanceof Uint8Array && new TextDecoder().decode(answer) === word);
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
