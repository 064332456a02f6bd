import { clearTimeout, createDeferred, setTimeout } from '@service/internal';
import { type Clock, type ClockMode, END_OF_TIME } from '../../state/clock.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { IO_TIMEOUT } from '../../webhooks/attempt.ts';
import { time } from '../fields.ts';
import { convertBody, defineOperation, type Group, type Routes, type SandboxParts } from '../operation.ts';
import {
  anyOf,
  type Duration,
  duration,
  number,
  object,
  oneOf,
  text,
  type Value,
} from '../../domain/schema.ts';

/** The clock of a sandbox. */
export interface ClockControl {
  /** The clock mode of `createMock`. */
  readonly mode: ClockMode;
  /** Returns the time of the sandbox. */
  readonly now: () => Date;
  /**
   * Advances a manual clock. Resolves after all due timers and deliveries, or when a receiver has not
   * responded within 10 s of real time. Nested calls, and a second call during the first, do not wait for
   * deliveries. Do not await it in a webhook receiver: the receiver would count as not responding.
   *
   * @throws {SandboxError} on a running clock
   */
  readonly advance: (duration: Duration) => Promise<void>;
  /**
   * Advances a manual clock to a time, like `advance`.
   *
   * @throws {SandboxError} for an earlier time
   */
  readonly set: (time: Date | string) => Promise<void>;
}

/** The time and mode of a clock, as JSON. */
export interface ClockView {
  readonly now: string;
  readonly clock: ClockMode;
}

/** The schema of a clock mode. */
export const clockMode: Value<ClockMode> = anyOf(
  oneOf(['real', 'manual']),
  object<{ readonly speed: number }>({ speed: number('a positive number') }),
);

const clockView: Value<ClockView> = object({ now: text(), clock: clockMode }, 'Clock');

/** Operations on the clock. */
export const clock: Group<Omit<ClockControl, 'mode'>> = {
  now: defineOperation({
    input: {},
    run: ({ state }) => readNow(state.clock),
  }),
  advance: defineOperation({
    input: { by: duration },
    args: ['by'],
    isAsync: true,
    run: (parts, { by }) => moveAndRecord(parts, parts.state.clock.now() + by),
  }),
  set: defineOperation({
    input: { time },
    args: ['time'],
    isAsync: true,
    run: (parts, input) => moveAndRecord(parts, input.time),
  }),
};

/** The routes of the operations on the clock. */
export const clockRoutes: Routes<Omit<ClockControl, 'mode'>> = {
  now: {
    id: 'getClock',
    method: 'GET',
    path: '/clock',
    output: convertBody(clockView, (_: Date, parts: SandboxParts) => toClockView(parts)),
    cli: { command: 'clock show' },
  },
  advance: {
    id: 'advanceClock',
    method: 'POST',
    path: '/clock/advance',
    output: convertBody(clockView, (_: void, parts: SandboxParts) => toClockView(parts)),
  },
  set: {
    id: 'setClock',
    method: 'POST',
    path: '/clock/set',
    output: convertBody(clockView, (_: void, parts: SandboxParts) => toClockView(parts)),
  },
};

async function moveAndRecord({ state, deliveries }: SandboxParts, target: number): Promise<void> {
  await moveClock(state.clock, target, deliveries);
  state.durability.recorder?.recordSettings();
}

/** Returns the time and mode of the clock as JSON. */
export function toClockView({ state }: SandboxParts): ClockView {
  return { now: readNow(state.clock).toISOString(), clock: state.clock.mode };
}

function readNow(source: Clock): Date {
  source.catchUp();
  return new Date(source.now());
}

/** The deliveries to wait for, and the maximum waiting time in milliseconds of real time. */
interface IdleOptions {
  readonly idle: () => Promise<void>;
  /** @default IO_TIMEOUT */
  readonly limit?: number;
}

/**
 * Advances a manual clock to a time. Waits for deliveries, but not longer than a receiver may take.
 *
 * @throws {SandboxError} on a running clock, and for an earlier or too late time
 */
export async function moveClock(
  source: Clock,
  target: number,
  { idle, limit = IO_TIMEOUT }: IdleOptions,
): Promise<void> {
  requireManual(source);
  if (target > END_OF_TIME)
    throw new SandboxError('invalid_argument', 'The clock cannot pass the year 9999.');
  if (target < source.now()) throw new SandboxError('invalid_argument', 'The clock cannot go back in time.');
  const { promise: expired, resolve } = createDeferred();
  const timer = setTimeout(resolve, limit);
  try {
    await source.moveTo(target, () => Promise.race([idle(), expired]));
  } finally {
    clearTimeout(timer);
  }
}

function requireManual({ mode }: Clock): void {
  if (mode === 'manual') return;
  const message = "The clock is not manual. Create the mock with clock: 'manual' to move it.";
  throw new SandboxError('invalid_state', message);
}
