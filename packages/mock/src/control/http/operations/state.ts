import * as z from 'zod/mini';
import type { Sandbox } from '../../sandbox.ts';
import type { ClockMode } from '../../../state/clock.ts';
import type { Snapshot } from '../../../state/snapshot.ts';
import { duration, fields, time } from '../fields.ts';
import { type ControlOperation, defineOperation, defineEmptyOperation } from '../operation.ts';
import { clock, clockMode } from '../shapes.ts';
import { snapshot, snapshotFields } from '../snapshot-shape.ts';

const MAX_SNAPSHOT_BYTES = 256 * 2 ** 20;

/** Operations on the health, clock and state of the sandbox. */
export const stateOperations: readonly ControlOperation[] = [
  defineOperation({
    id: 'getHealth',
    method: 'GET',
    path: '/health',
    summary: 'Say that the sandbox is up; needs no token and answers under any host',
    input: fields({}),
    output: z.object({
      status: z.literal('ok'),
      now: z.string(),
      clock: clockMode,
      version: z.string(),
    }),
    isOpen: true,
    run: (sandbox, _, { version }) => ({ status: 'ok' as const, ...toClockView(sandbox), version }),
  }),
  defineOperation({
    id: 'getDocument',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Show this document',
    input: fields({}),
    output: z.looseObject({ openapi: z.string() }),
    run: (_, __, { createDocument: describe }) => describe() as { openapi: string },
  }),
  defineOperation({
    id: 'getClock',
    method: 'GET',
    path: '/clock',
    summary: 'Show the time of the sandbox, and how it passes',
    input: fields({}),
    output: clock,
    run: toClockView,
  }),
  defineOperation({
    id: 'advanceClock',
    method: 'POST',
    path: '/clock/advance',
    summary: 'Move a manual clock on; answers when all that fell due has happened, deliveries included',
    input: fields({ by: duration }),
    output: clock,
    async run(sandbox, { by }) {
      await sandbox.clock.advance(by);
      return toClockView(sandbox);
    },
  }),
  defineOperation({
    id: 'setClock',
    method: 'POST',
    path: '/clock/set',
    summary: 'Move a manual clock on to a time; a clock never goes back',
    input: fields({ time }),
    output: clock,
    async run(sandbox, { time: target }) {
      await sandbox.clock.set(target);
      return toClockView(sandbox);
    },
  }),
  defineEmptyOperation({
    id: 'waitUntilIdle',
    method: 'POST',
    path: '/idle',
    summary: 'Wait until every delivery that is due has been tried',
    input: fields({}),
    run: (sandbox) => sandbox.idle(),
  }),
  defineOperation({
    id: 'takeSnapshot',
    method: 'GET',
    path: '/snapshot',
    summary: "Take a snapshot; it holds the sandbox's own keys and signing secrets",
    input: fields({}),
    output: snapshot,
    run: (sandbox) => sandbox.snapshot(),
  }),
  defineEmptyOperation({
    id: 'restoreSnapshot',
    method: 'POST',
    path: '/restore',
    summary: 'Put everything back to a snapshot',
    input: snapshotFields,
    maxBody: MAX_SNAPSHOT_BYTES,
    run: (sandbox, input) => sandbox.restore(input as unknown as Snapshot),
  }),
  defineEmptyOperation({
    id: 'reset',
    method: 'POST',
    path: '/reset',
    summary: 'Put everything back to how the sandbox was created, or to the last baseline',
    input: fields({}),
    run: (sandbox) => sandbox.reset(),
  }),
  defineEmptyOperation({
    id: 'setBaseline',
    method: 'POST',
    path: '/baseline',
    summary: 'Make what the sandbox is now what a reset goes back to',
    input: fields({}),
    run: (sandbox) => sandbox.baseline(),
  }),
  defineOperation({
    id: 'getStateHash',
    method: 'GET',
    path: '/state-hash',
    summary: 'Compute a digest of all that the sandbox knows; equal digests mean that nothing has changed',
    input: fields({}),
    output: z.object({ stateHash: z.string() }),
    run: async (sandbox) => ({ stateHash: await sandbox.stateHash() }),
  }),
];

function toClockView({ clock: { now, mode } }: Sandbox): { now: string; clock: ClockMode } {
  return { now: now().toISOString(), clock: mode };
}
