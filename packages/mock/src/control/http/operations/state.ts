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
    summary: 'Check that the sandbox is running; needs no token and accepts any host',
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
    summary: 'Get this document',
    input: fields({}),
    output: z.looseObject({ openapi: z.string() }),
    run: (_, __, { createDocument }) => createDocument() as { openapi: string },
  }),
  defineOperation({
    id: 'getClock',
    method: 'GET',
    path: '/clock',
    summary: 'Get the time and the clock mode of the sandbox',
    input: fields({}),
    output: clock,
    run: toClockView,
  }),
  defineOperation({
    id: 'advanceClock',
    method: 'POST',
    path: '/clock/advance',
    summary: 'Advance a manual clock; responds after all due timers and deliveries',
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
    summary: 'Advance a manual clock to a time; it cannot go back',
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
    summary: 'Wait until no delivery attempt is due',
    input: fields({}),
    run: (sandbox) => sandbox.idle(),
  }),
  defineOperation({
    id: 'takeSnapshot',
    method: 'GET',
    path: '/snapshot',
    summary: "Take a snapshot; it contains the sandbox's own keys and signing secrets",
    input: fields({}),
    output: snapshot,
    run: (sandbox) => sandbox.snapshot(),
  }),
  defineEmptyOperation({
    id: 'restoreSnapshot',
    method: 'POST',
    path: '/restore',
    summary: 'Restore a snapshot',
    input: snapshotFields,
    maxBody: MAX_SNAPSHOT_BYTES,
    run: (sandbox, input) => sandbox.restore(input as unknown as Snapshot),
  }),
  defineEmptyOperation({
    id: 'reset',
    method: 'POST',
    path: '/reset',
    summary: 'Restore the state at creation, or at the last baseline',
    input: fields({}),
    run: (sandbox) => sandbox.reset(),
  }),
  defineEmptyOperation({
    id: 'setBaseline',
    method: 'POST',
    path: '/baseline',
    summary: 'Make the current state the target of a reset',
    input: fields({}),
    run: (sandbox) => sandbox.baseline(),
  }),
  defineOperation({
    id: 'getStateHash',
    method: 'GET',
    path: '/state-hash',
    summary: 'Compute a digest of the state; equal digests mean that nothing has changed',
    input: fields({}),
    output: z.object({ stateHash: z.string() }),
    run: async (sandbox) => ({ stateHash: await sandbox.stateHash() }),
  }),
];

function toClockView({ clock: { now, mode } }: Sandbox): { now: string; clock: ClockMode } {
  return { now: now().toISOString(), clock: mode };
}
