import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Intent, IntentStore, IntentWrite } from '../../src/entries/payer.ts';
import { intentOf } from './store-contract.ts';

const sends = ['2026-01-31T12:00:00.000Z'];
const holder = { worker: 'w.1', until: '2026-01-31T12:05:00.000Z' };
const conflict = { paymentId: 'pay_test_2', at: '2026-01-31T12:01:00.000Z', problem: 'p' };

/** The intents in the fixtures of stored formats, in order. */
export const storedIntents: readonly Intent[] = [
  { ...intentOf('a'), body: '{"beneficiary_name":"Zoë \u{1f511}"}', changedAt: '2026-01-31T12:00:00.000Z' },
  { ...intentOf('b', 2), state: 'sending', sends, holder },
  { ...intentOf('c', 2), state: 'created', sends, paymentId: 'pay_test_1', boundBy: 'response' },
  { ...intentOf('d'), state: 'unknown', sends, holder, reason: 'r', conflicts: [conflict] },
];

/** The account in the fixtures. */
export const storedAccount = {
  mode: 'test',
  baseUrl: 'https://api.example.test/api/v1',
  label: 'a',
} as const;

/** Returns the text of a fixture: a store as the first release with its format wrote it. Never change a fixture. */
export function readFixture(name: string): string {
  return readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');
}

/** The write of a version of a fixture. */
function writeOf({ reference, version }: Intent): IntentWrite {
  return { fromVersion: version - 1, writeId: `${reference}-${version}` };
}

/** Writes the content of the fixtures to an empty store. */
export async function writeStoredIntents(store: IntentStore): Promise<void> {
  await store.bindAccount?.(storedAccount);
  for (const intent of storedIntents) {
    const first = intentOf(intent.reference);
    if (intent.version > 1) await store.swap(first, writeOf(first));
    await store.swap(intent, writeOf(intent));
  }
}

/** Checks that a store reads everything of a fixture, and continues with it. */
export async function expectStoredIntents(store: IntentStore): Promise<void> {
  const listed: Intent[] = [];
  for (const intent of await store.list({})) listed.push(intent);
  expect(listed).toEqual(storedIntents);
  expect(await store.bindAccount?.({ ...storedAccount, label: 'b' })).toEqual(storedAccount);
  const conflicts: string[] = [];
  for (const { reference } of await store.list({ hasConflicts: true })) conflicts.push(reference);
  expect(conflicts).toEqual(['d']);
  for (const intent of storedIntents) expect(await store.swap(intent, writeOf(intent))).toBe('done');
  const paid: Intent = { ...intentOf('a', 2), state: 'created', paymentId: 'pay_test_1' };
  expect(await store.swap(paid, writeOf(paid))).toBe('id_taken');
  expect(await store.swap({ ...paid, paymentId: 'pay_test_3' }, writeOf(paid))).toBe('done');
  expect((await store.read('a'))?.paymentId).toBe('pay_test_3');
}
