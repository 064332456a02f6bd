import type { Clock } from '../../state/clock.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { END_OF_TIME, time } from '../../domain/time.ts';
import { type Context, operation, type Operations } from '../operation.ts';
import * as s from '../../domain/schema.ts';

/** The clock of a sandbox. */
export interface ClockControl {
  /** Returns the time of the sandbox. */
  readonly now: () => Date;
  /**
   * Advances a manual clock. Resolves after all due timers and deliveries. It does not wait again for an endpoint that
   * has exceeded the timeout of 10 s of real time, whose deliveries continue in the background. A second call starts after
   * the first one has ended: do not await it in a webhook receiver, which would exceed the timeout.
   *
   * @throws {SandboxError} on a running clock
   */
  readonly advance: (duration: s.Duration) => Promise<{
    /** The time of the sandbox after the move. */
    readonly now: Date;
    /** The number of due delivery attempts for which the move has not waited. */
    readonly pending: number;
  }>;
  /**
   * Advances a manual clock to a time, like `advance`.
   *
   * @throws {SandboxError} for an earlier time
   */
  readonly set: (time: Date | string) => ReturnType<ClockControl['advance']>;
}

/** The time and mode of a clock, as JSON. */
interface ClockView extends ReturnType<typeof toClockView> {}

/** Operations on the clock. */
export const clock: Operations<ClockControl> = {
  now: operation('getClock', 'GET /clock', {
    cli: { command: 'clock show' },
    input: {},
    run: ({ state }) => readNow(state.clock),
    toBody: (_, context): ClockView => toClockView(context),
  }),
  advance: operation('advanceClock', 'POST /clock/advance', {
    input: {
      duration: s.annotate(s.durationWithin(0, Infinity), s.durationWithin(0, END_OF_TIME).json),
    },
    isAsync: true,
    run: (context, { duration }) => moveClock(context, context.state.clock.now() + duration),
    toBody: toMoveView,
  }),
  set: operation('setClock', 'POST /clock/set', {
    input: { time },
    isAsync: true,
    run: (context, input) => moveClock(context, input.time),
    toBody: toMoveView,
  }),
};

/**
 * Advances a manual clock to a time and waits for due deliveries.
 *
 * @throws {SandboxError} on a running clock, and for an earlier or too late time
 */
async function moveClock({ state, deliveries }: Context, target: number) {
  const { clock: source, changes } = state;
  if (source.mode !== 'manual') {
    const message = "The clock is not manual. Create the mock with clock: 'manual' to move it.";
    throw new SandboxError('invalid_state', message);
  }
  if (target > END_OF_TIME)
    throw new SandboxError('invalid_argument', 'The clock cannot pass the year 9999.');
  if (target < source.now()) throw new SandboxError('invalid_argument', 'The clock cannot go back in time.');
  await source.moveTo(target, deliveries.settle);
  changes.recordSettings();
  return { now: new Date(source.now()), pending: deliveries.countPending() };
}

function toMoveView({ pending }: Awaited<ReturnType<typeof moveClock>>, context: Context) {
  return { ...toClockView(context), pending };
}

/** Returns the time and mode of the clock as JSON. */
export function toClockView({ state }: Context) {
  return { now: readNow(state.clock).toISOString(), clock: state.clock.mode };
}

function readNow(source: Clock): Date {
  source.catchUp();
  return new Date(source.now());
}
