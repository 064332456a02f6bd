// Invariants of docs/contract.md#money under random interleavings of several clients. A counterexample is a
// list of commands, whose steps always have the same order.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '@service/mock';
import { Clients } from './interleaving/clients.ts';
import { type Command, command, terms, ticks } from './interleaving/command.ts';
import { endAll } from './interleaving/ending.ts';
import { continueEra } from './interleaving/era.ts';
import type { StageOptions, Wait } from './interleaving/stage.ts';
import { Timeline } from './interleaving/timeline.ts';
import { runs } from '../../../test/support/runs.ts';

describe('interleaved clients', () => {
  /** The commands of one client, each a number of ticks after the previous one. */
  type Life = { after: number; command: Command }[];

  const life: fc.Arbitrary<Life> = fc.array(fc.record({ after: ticks, command }), {
    minLength: 1,
    maxLength: 12,
    size: 'medium',
  });
  const story = fc.array(life, { minLength: 1, maxLength: 4, size: 'medium' });

  /** The behavior of receivers and faults, and the page size of the final reads. */
  const circumstances = fc.record({
    profile: terms,
    failures: fc.nat(3),
    receiving: ticks,
    leaving: ticks,
    perPage: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100 })),
  });

  it('every invariant holds under every interleaving of clients', async () => {
    await fc.assert(
      fc.asyncProperty(story, circumstances, async (lives, { profile, perPage, ...options }) => {
        const timeline = new Timeline();
        const wait: Wait = (count) => timeline.wait(count);
        const clients = new Clients({ ...options, wait, seed: 'x' });
        clients.mock.sandbox.profile.set(profile);
        const live = async (steps: Life): Promise<void> => {
          for (const { after, command: step } of steps) {
            await wait(after);
            await clients.run(step);
          }
        };
        await timeline.runUntil(Promise.all(lives.map(live)));
        await timeline.runUntil(endAll(clients, perPage));
        expect(clients.defects).toEqual([]);
        await clients.mock.close();
      }),
      { numRuns: runs(40) },
    );
  });

  const past = fc.array(command, { maxLength: 20, size: 'medium' });
  const future = past.map((steps) =>
    steps.filter(({ kind }) => !['snapshot', 'restore', 'reset'].includes(kind)),
  );

  /** All visible results of some commands. */
  async function observe(clients: Clients, steps: Command[]): Promise<unknown> {
    const known = clients.seen.length;
    for (const hooks of clients.received.values()) hooks.splice(0);
    for (const step of steps) {
      await clients.run(step);
      await clients.mock.sandbox.idle();
    }
    const events = Array.from(clients.received, ([who, hooks]) => [who, [...hooks]]);
    return { answers: clients.seen.slice(known), events, state: await clients.mock.sandbox.stateHash() };
  }

  const atOnce: Omit<StageOptions, 'seed'> = { wait: async () => {}, failures: 0, receiving: 0, leaving: 0 };

  it('a restored sandbox continues like the original, in the same mock and in another', async () => {
    await fc.assert(
      fc.asyncProperty(past, future, async (before, after) => {
        const clients = new Clients({ ...atOnce, seed: 'x' });
        const { sandbox } = clients.mock;
        await observe(clients, before);
        sandbox.faults.clear();
        const [hash, snapshot] = [await sandbox.stateHash(), JSON.stringify(sandbox.snapshot())];
        const { creates, firstKeys } = clients;
        const era = continueEra(clients.era);
        const without = await observe(clients, after);
        for (const each of [clients, new Clients({ ...atOnce, seed: 'y' })]) {
          Object.assign(each, { creates, firstKeys });
          each.restore({ snapshot: JSON.parse(snapshot) as Snapshot, era });
          expect(await each.mock.sandbox.stateHash()).toBe(hash);
          expect(await observe(each, after)).toEqual(without);
          await each.mock.close();
        }
      }),
      { numRuns: runs(15) },
    );
  });
});
