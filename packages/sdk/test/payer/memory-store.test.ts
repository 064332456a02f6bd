import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/entries/payer.ts';
import { describeBoundStore, describeIntentStore } from './store-contract.ts';

describe('memoryStore', () => {
  describeIntentStore(memoryStore);
  describeBoundStore(memoryStore);

  it('has its own fingerprint key', () => {
    const [one, other] = [memoryStore(), memoryStore()];
    expect(one.fingerprintKey).toMatch(/^.{32,}$/);
    expect(one.fingerprintKey).not.toBe(other.fingerprintKey);
  });
});
