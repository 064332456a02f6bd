import { type Agenda, type Appointment, createAgenda } from './agenda.ts';
import type { Instant } from '../domain/wire.ts';

/** Says how time passes: by the system, faster than the system by a factor, or only when it is told to. */
export type ClockMode = 'real' | 'manual' | { readonly speed: number };

/** Tells the time of the sandbox and makes things happen on it; it never runs backwards. */
export interface Clock {
  readonly mode: ClockMode;
  readonly now: () => Instant;
  /** Makes something happen at a time; at once, within this call, when that time has come. */
  readonly schedule: (appointment: Appointment) => void;
  /** Moves a manual clock to a time, running all that falls due, each at its own time. `settle` waits for its consequences. */
  readonly moveTo: (target: Instant, settle: () => Promise<void>) => Promise<void>;
  /** Stops the clock; what has not happened yet never will. */
  readonly stop: () => void;
}

// Kept from load time, so that fake timers installed later cannot freeze the sandbox.
const { setTimeout, clearTimeout } = globalThis;
const systemNow = Date.now;
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Creates a clock that starts at `start` (a manual one stands there) or, without it, at the system's time. */
export function createClock(mode: ClockMode, start: Instant | undefined): Clock {
  return mode === 'manual'
    ? createManualClock(start ?? systemNow())
    : createRunningClock(mode, start ?? systemNow());
}

function createManualClock(start: Instant): Clock {
  const agenda = createAgenda();
  let now = start;
  let moving = 0;
  return {
    mode: 'manual',
    now: () => now,
    schedule: (appointment) => addOrRun(agenda, appointment, now),
    async moveTo(target, settle) {
      // Whoever moves the clock from within a consequence of a move must not wait for that consequence: it waits for them.
      const wait = moving === 0 ? settle : async (): Promise<void> => {};
      moving += 1;
      try {
        await wait();
        for (let due = agenda.takeDue(target); due !== undefined; due = agenda.takeDue(target)) {
          now = Math.max(now, due.at);
          due.run();
          await wait();
        }
        now = Math.max(now, target);
      } finally {
        moving -= 1;
      }
    },
    stop: () => drain(agenda),
  };
}

function createRunningClock(mode: Exclude<ClockMode, 'manual'>, start: Instant): Clock {
  const agenda = createAgenda();
  const speed = mode === 'real' ? 1 : mode.speed;
  const startedAt = systemNow();
  let latest = start;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const now = (): Instant => {
    latest = Math.max(latest, Math.floor(start + (systemNow() - startedAt) * speed));
    return latest;
  };
  const arm = (): void => {
    clearTimeout(timer);
    const at = agenda.nextAt();
    if (at === undefined) return;
    const wait = Math.min(Math.max(0, (at - now()) / speed), LONGEST_TIMEOUT);
    timer = setTimeout(runDue, Math.ceil(wait));
    if (typeof timer === 'object') timer.unref();
  };
  const runDue = (): void => {
    for (let due = agenda.takeDue(now()); due !== undefined; due = agenda.takeDue(now())) due.run();
    arm();
  };
  return {
    mode,
    now,
    schedule(appointment) {
      addOrRun(agenda, appointment, now());
      arm();
    },
    moveTo: () => Promise.reject(new Error('only a manual clock is moved')),
    stop() {
      drain(agenda);
      clearTimeout(timer);
    },
  };
}

function addOrRun(agenda: Agenda, appointment: Appointment, now: Instant): void {
  if (appointment.at <= now) appointment.run();
  else agenda.add(appointment);
}

function drain(agenda: Agenda): void {
  while (agenda.takeDue(Number.POSITIVE_INFINITY) !== undefined);
}
