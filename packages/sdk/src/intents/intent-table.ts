import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Intent, type IntentFilter, type IntentState, intentStates } from './intent.ts';

/** An intent, and the id of its last write. */
export interface StoredIntent {
  readonly intent: Intent;
  readonly writeId: string;
}

/** The intents of a store in memory, compressed: a batch can have 100 000. */
export interface IntentTable {
  readonly get: (reference: string) => StoredIntent | undefined;
  readonly set: (stored: StoredIntent) => void;
  /** Returns the reference that has a payment id. */
  readonly findHolder: (paymentId: string) => string | undefined;
  /** Returns the references of the intents that a filter may select, in order. */
  readonly select: (filter: IntentFilter) => readonly string[];
  /** Returns the present intents. Later changes do not change the result. */
  readonly takeSnapshot: () => Iterable<StoredIntent>;
}

/** Creates an empty table. */
export function createIntentTable(): IntentTable {
  const rows = new Map<string, string>();
  const holders = new Map<string, string>();
  const get = (reference: string): StoredIntent | undefined => {
    const row = rows.get(reference);
    return row === undefined ? undefined : unpack(row);
  };
  return {
    get,
    set: (stored) => {
      const { reference, paymentId } = stored.intent;
      const before = get(reference)?.intent.paymentId;
      if (before !== undefined && before !== paymentId) holders.delete(before);
      if (paymentId !== undefined) holders.set(paymentId, reference);
      rows.set(reference, pack(stored));
    },
    findHolder: (paymentId) => holders.get(paymentId),
    select: ({ states, paymentIds, after = '' }) => {
      const references = paymentIds ? paymentIds.map((id) => holders.get(id) ?? '') : [...rows.keys()];
      const marks = states?.map(markOf);
      const isPossible = (reference: string): boolean => {
        const row = rows.get(reference);
        return row !== undefined && reference > after && (marks?.includes(row.charAt(0)) ?? true);
      };
      return [...new Set(references.filter(isPossible))].toSorted();
    },
    takeSnapshot: () => {
      // The rows are immutable.
      const all = [...rows.values()];
      return {
        *[Symbol.iterator]() {
          for (const row of all) yield unpack(row);
        },
      };
    },
  };
}

/** Text that most intents contain, so that it takes no memory. */
const dictionary = Buffer.from(
  '"}"beneficiary_account":"beneficiary_bank":"beneficiary_country":"beneficiary":{"name":""account":"}' +
    '"boundBy":"response","changedAt":"2026-,"paymentId":"pay_live_pay_test_","holder":{"worker":""until":"' +
    '{"intent":{"reference":"","version":3,"state":"created","planned","sending","unknown","digest":""key":"' +
    '","sends":["2026-"],"body":"{\\"from_currency\\":\\"USD\\",\\"to_currency\\":\\"EUR\\",\\"amount\\":\\"' +
    '.00\\",\\"beneficiary_name\\":\\"\\",\\"beneficiary_account\\":\\"\\",\\"purpose\\":\\"Invoice "},"writeId":"',
);
const zlibOptions = { dictionary, level: 6, memLevel: 4, windowBits: 11 };

/** Compresses an intent to a string of single bytes, after one character for its state. */
function pack(stored: StoredIntent): string {
  const { intent, writeId } = stored;
  const bytes = deflateRawSync(JSON.stringify({ intent, writeId }), zlibOptions);
  return markOf(intent.state) + bytes.toString('latin1');
}

function unpack(row: string): StoredIntent {
  const bytes = Buffer.from(row.slice(1), 'latin1');
  return JSON.parse(inflateRawSync(bytes, zlibOptions).toString()) as StoredIntent;
}

function markOf(state: IntentState): string {
  return String(intentStates.indexOf(state));
}
