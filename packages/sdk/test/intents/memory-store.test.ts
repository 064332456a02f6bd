import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/entries/intents.ts';
import { describeRace } from './race.ts';
import { describeBoundStore, describeIntentStore } from './store-contract.ts';

describe('createMemoryStore', () => {
  describeIntentStore(createMemoryStore);
  describeBoundStore(createMemoryStore);
  describeRace(createMemoryStore);

  it('has its own fingerprint key', () => {
    const [one, other] = [createMemoryStore(), createMemoryStore()];
    expect(one.fingerprintKey).toMatch(/^.{32,}$/);
    expect(one.fingerprintKey).not.toBe(other.fingerprintKey);
  });
});
