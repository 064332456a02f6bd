import { runClock } from '@service/internal';
import { CLAIM_OUTCOMES, CLAIM_STATES, type DedupeStore, withTimeout } from './store.ts';

/** The options of stores that several processes share. */
export interface SharedStoreOptions {
  /**
   * Time for which handled events are remembered, in milliseconds. Longer than a payment stays open, if you pass
   * payments to `handleRetrieved`.
   *
   * @default 604_800_000
   */
  readonly ttl?: number | undefined;
}

/** The default lease of a claim, in milliseconds. */
const DEFAULT_LEASE = 60_000;

/** Time between two reads while a duplicate waits, in milliseconds. */
const POLL_INTERVAL = 50;

/**
 * Sends a command of a store that several processes share, and resolves to a word as its client returns it:
 *
 * - `claim` claims a free or expired key: `claimed`, `in_progress` or `confirmed`.
 * - `read`: `in_progress`, or `confirmed` or `released` for an ended claim.
 * - `renew`: `renewed`, or `lost` if another owner has the key or it was confirmed.
 * - `confirm`: `confirmed`, or `lost` if another owner has or had the key. Renews the time of a confirmed key.
 * - `release` deletes a claim: any value.
 */
export type SendCommand = (
  command: 'claim' | 'read' | 'renew' | 'confirm' | 'release',
  key: string,
  owner: string,
  duration: number,
) => Promise<unknown>;

/** Resolves to the word of a reply, also in bytes. A guess at any other reply would lose an event or handle it twice. */
export async function readWord<const Word extends string>(
  reply: Promise<unknown>,
  allowed: readonly Word[],
): Promise<Word> {
  const value = await reply;
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  const word = allowed.find((each) => each === text);
  if (word !== undefined) return word;
  const found = value === null ? 'null' : `another ${typeof value}`;
  throw new TypeError(
    `The store expects ${allowed.join(' or ')} from its client, which returned ${found}. Pass a client that does not convert replies.`,
  );
}

/** Creates a store from the function that sends its commands. */
export function createSharedStore(
  send: SendCommand,
  { ttl = 604_800_000 }: SharedStoreOptions,
): DedupeStore & { readonly ttl: number } {
  const sendInTime: SendCommand = (...words) => withTimeout(send(...words));
  return {
    ttl,
    claim: (key, owner, lease = DEFAULT_LEASE) =>
      readWord(sendInTime('claim', key, owner, lease), CLAIM_STATES),
    renew: (key, owner, lease) => readWord(sendInTime('renew', key, owner, lease), ['renewed', 'lost']),
    confirm: (key, owner) => readWord(sendInTime('confirm', key, owner, ttl), ['confirmed', 'lost']),
    release: async (key, owner) => void (await sendInTime('release', key, owner, 0)),
    wait: async (key, signal) => {
      while (!signal.aborted) {
        const state = await readWord(sendInTime('read', key, '', 0), ['in_progress', ...CLAIM_OUTCOMES]);
        if (signal.aborted) break;
        if (state !== 'in_progress') return state;
        await runClock.sleep(POLL_INTERVAL, signal);
      }
      return new Promise(() => {});
    },
  };
}
