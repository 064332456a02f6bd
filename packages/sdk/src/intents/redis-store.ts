import { boolean, type Field } from '@service/internal';
import { ConfigurationError, createUsageError } from '../errors/error-classes.ts';
import { redactCause } from '../errors/redact.ts';
import {
  type Intent,
  type IntentFilter,
  type IntentStore,
  isSelected,
  type StoreAccount,
  type SwapResult,
} from './intent.ts';
import { fingerprintKeyField, hasFunction, parseStoreOptions } from './store-options.ts';

/** A client of ioredis or node-redis. */
export type RedisConnection =
  | {
      /** Sends a command, in ioredis. */
      call(command: string, ...words: string[]): Promise<unknown>;
    }
  | {
      /** Sends a command, in node-redis. */
      sendCommand(words: string[]): Promise<unknown>;
    };

/** The options of `createRedisStore`. */
export interface RedisIntentStoreOptions {
  /**
   * The secret key of the stored HMACs of bodies and beneficiaries: at least 32 characters, the same in all
   * processes.
   *
   * @default none: the digest of a body is a plain SHA-256
   */
  readonly fingerprintKey?: string | undefined;
  /**
   * The prefix of all keys.
   *
   * @default '{payment_intents}:'
   */
  readonly prefix?: string | undefined;
  /**
   * Whether to use a server that can lose acknowledged writes. A lost intent can be paid twice.
   *
   * @default false: the store is rejected
   */
  readonly allowDataLoss?: boolean | undefined;
}

/** The format of the keys. A later format converts those of earlier ones. */
const FORMAT = 1;

/**
 * Opens a store of intents in Redis. All processes that reach the server can use it. A write is durable when it
 * returns. The durability settings of the server are checked now and before each run.
 *
 * @throws {ConfigurationError} when the client or an option is invalid, when the server can lose acknowledged
 * writes, or when the keys have a later format.
 * @example
 * const store = await createRedisStore(new Redis('redis://localhost:6379'));
 */
export async function createRedisStore(
  client: RedisConnection,
  options: RedisIntentStoreOptions = {},
): Promise<IntentStore> {
  const fields = { fingerprintKey: fingerprintKeyField, prefix: prefixField, allowDataLoss: boolean };
  const parsed = parseStoreOptions('createRedisStore', options, fields);
  const { prefix = '{payment_intents}:', fingerprintKey, allowDataLoss = false } = parsed;
  const send = toSendCommand(client);
  const keys = ['intents', 'payments', 'references'].map((name) => prefix + name);
  const run: RunScript = (script, ...words) => send(['EVAL', script, String(keys.length), ...keys, ...words]);
  const checkServer = async (): Promise<void> => {
    if (!allowDataLoss) await checkDurability(send);
  };
  await checkConnection(send);
  await checkServer();
  await checkFormat(send, prefix);
  return {
    fingerprintKey,
    read: async (reference) => {
      const [intent] = toIntents(await run(READ, reference));
      return intent;
    },
    swap: async (next, { fromVersion, writeId }) => {
      const { reference, version, state, paymentId, conflicts = [] } = next;
      const header = { version, writeId, state, paymentId, hasConflicts: conflicts.length > 0 };
      const words = [reference, String(fromVersion), JSON.stringify(header), JSON.stringify(next)];
      return toText(await run(SWAP, ...words)) as SwapResult;
    },
    list: (filter) => listIntents(run, filter),
    bindAccount: async (account) => {
      // A server that is down is called again, unlike one whose settings are wrong.
      await send(['PING']);
      await checkServer();
      await send(['SET', `${prefix}account`, JSON.stringify(account), 'NX']);
      return JSON.parse(toText(await send(['GET', `${prefix}account`]))) as StoreAccount;
    },
    now: () => readTime(send),
  };
}

const prefixField: Field<string> = {
  expected: 'a string',
  parse: (value) => (typeof value === 'string' ? value : undefined),
};

// KEYS: 1 a hash of the intents, each after a line with the fields that the scripts need; 2 a hash of the references by
// payment id; 3 a sorted set of the references. Scripts are atomic, and the append-only file has all of a script or nothing.
const READ_HEADER = `local function header(row) return cjson.decode(string.match(row, '^[^\\n]*')) end
local function intent(row) return string.sub(row, string.find(row, '\\n', 1, true) + 1) end
`;
const READ = `${READ_HEADER}local row = redis.call('HGET', KEYS[1], ARGV[1])
return row and { intent(row) } or {}`;
const SWAP = `${READ_HEADER}local row = redis.call('HGET', KEYS[1], ARGV[1])
local before, after = row and header(row) or {}, cjson.decode(ARGV[3])
if before.writeId == after.writeId then return 'done' end
if (before.version or 0) ~= tonumber(ARGV[2]) then return 'lost' end
if after.paymentId then
  local holder = redis.call('HGET', KEYS[2], after.paymentId)
  if holder and holder ~= ARGV[1] then return 'id_taken' end
  redis.call('HSET', KEYS[2], after.paymentId, ARGV[1])
end
if before.paymentId and before.paymentId ~= after.paymentId then redis.call('HDEL', KEYS[2], before.paymentId) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3] .. '\\n' .. ARGV[4])
redis.call('ZADD', KEYS[3], 0, ARGV[1])
return 'done'`;
const FIND = `${READ_HEADER}local found = {}
for _, id in ipairs(ARGV) do
  local reference = redis.call('HGET', KEYS[2], id)
  if reference then found[#found + 1] = intent(redis.call('HGET', KEYS[1], reference)) end
end
return found`;
/** Returns the last reference of a page, and its selected intents. */
const LIST = `${READ_HEADER}local filter, states = cjson.decode(ARGV[2]), {}
for _, state in ipairs(filter.states or {}) do states[state] = true end
local references = redis.call('ZRANGEBYLEX', KEYS[3], '(' .. ARGV[1], '+', 'LIMIT', 0, 500)
local page = { references[#references] or '' }
for _, reference in ipairs(references) do
  local row = redis.call('HGET', KEYS[1], reference)
  local facts = header(row)
  if (not filter.states or states[facts.state]) and (not filter.hasConflicts or facts.hasConflicts) then
    page[#page + 1] = intent(row)
  end
end
return page`;

type RunScript = (script: string, ...words: string[]) => Promise<unknown>;

async function* listIntents(run: RunScript, filter: IntentFilter): AsyncGenerator<Intent> {
  if (filter.paymentIds) {
    const found = toIntents(await run(FIND, ...filter.paymentIds));
    const selected = found.filter((intent) => isSelected(intent, filter));
    yield* selected.toSorted((a, b) => (a.reference < b.reference ? -1 : 1));
    return;
  }
  const { states, hasConflicts, after = '' } = filter;
  for (let last = after; ;) {
    const page = (await run(LIST, last, JSON.stringify({ states, hasConflicts }))) as readonly unknown[];
    yield* toIntents(page.slice(1));
    last = toText(page[0]);
    if (last === '') return;
  }
}

async function readTime(send: SendCommand): Promise<Date> {
  const [seconds, micros] = (await send(['TIME'])) as readonly unknown[];
  return new Date(Number(toText(seconds)) * 1_000 + Math.floor(Number(toText(micros)) / 1_000));
}

/** Sends a command as a list of words. */
type SendCommand = (words: string[]) => Promise<unknown>;

function toSendCommand(client: RedisConnection): SendCommand {
  const given: unknown = client;
  // Checked first: the `sendCommand` of ioredis has other parameters.
  if (hasFunction(given, 'call')) return async (words) => given.call(...words);
  if (hasFunction(given, 'sendCommand')) return async (words) => given.sendCommand(words);
  throw createUsageError(
    'A Redis store requires a client of ioredis or node-redis: createRedisStore(client).',
  );
}

/** @throws {ConfigurationError} when the server does not respond, or requires a password. */
async function checkConnection(send: SendCommand): Promise<void> {
  try {
    await send(['PING']);
  } catch (cause) {
    throw new ConfigurationError(
      'The Redis server of the intent store cannot be reached; see `cause`. Check its URL and password, and that it is running.',
      { cause: redactCause(cause) },
    );
  }
}

/** The settings with which Redis loses no acknowledged write. */
const settings: readonly (readonly [name: string, isSafe: (value: string) => boolean, safe: string])[] = [
  ['appendonly', (value) => value === 'yes', 'yes'],
  ['appendfsync', (value) => value === 'always', 'always'],
  ['no-appendfsync-on-rewrite', (value) => value === 'no', 'no'],
  ['maxmemory-policy', (value) => !value.startsWith('allkeys'), 'noeviction'],
];

/**
 * Checks the settings of the server, and that it has no replica: a failover to one loses acknowledged writes.
 *
 * @throws {ConfigurationError} when it can lose acknowledged writes, or when its settings cannot be read.
 */
async function checkDurability(send: SendCommand): Promise<void> {
  const problems: string[] = [];
  try {
    for (const [name, isSafe, safe] of settings) {
      const value = readSetting(await send(['CONFIG', 'GET', name]), name);
      if (!isSafe(value)) problems.push(`${name} is '${value}' and must be '${safe}'`);
    }
    const replication = toText(await send(['INFO', 'replication']));
    if (!/^role:master\r?$/m.test(replication)) problems.push('it is a replica');
    if (!/^connected_slaves:0\r?$/m.test(replication))
      problems.push('it has replicas, to which it can fail over');
  } catch (cause) {
    throw new ConfigurationError(
      'The durability settings of Redis cannot be read; see `cause`. Allow CONFIG GET and INFO, or accept that lost intents can be paid twice with allowDataLoss: true.',
      { cause: redactCause(cause) },
    );
  }
  if (problems.length === 0) return;
  throw new ConfigurationError(
    `Redis can lose acknowledged writes: ${problems.join(', ')}. Change its settings, use another store, or accept that lost intents can be paid twice with allowDataLoss: true.`,
  );
}

/** Reads the response to CONFIG GET: a list of names and values, or a map in RESP3. */
function readSetting(response: unknown, name: string): string {
  if (Array.isArray(response))
    return toText(response[response.findIndex((word) => toText(word) === name) + 1]);
  const entries = response instanceof Map ? [...response] : Object.entries(response as object);
  return toText(entries.find(([key]) => toText(key) === name)?.[1]);
}

async function checkFormat(send: SendCommand, prefix: string): Promise<void> {
  await send(['SET', `${prefix}format`, String(FORMAT), 'NX']);
  const format = toText(await send(['GET', `${prefix}format`]));
  if (format === String(FORMAT)) return;
  throw new ConfigurationError(
    `The keys ${prefix}* have format ${format} of intents; this release reads format ${FORMAT}. Use the release that wrote them.`,
  );
}

/** Converts a response to text: a client may be configured to return bytes. */
function toText(response: unknown): string {
  return response instanceof Uint8Array ? new TextDecoder().decode(response) : String(response);
}

function toIntents(responses: unknown): readonly Intent[] {
  return (responses as readonly unknown[]).map((text) => JSON.parse(toText(text)) as Intent);
}
