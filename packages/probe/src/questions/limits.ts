// The rate limit, and the form of `Retry-After`.
import type { Call } from '../call.ts';
import { type Question, repeated, type Step } from '../question.ts';
import { orderOf, type Run } from '../run.ts';
import type { Seen } from '../seen.ts';
import { roundWithin, toDuration } from '../time.ts';

/** The most requests that are sent at once: more can exhaust the sockets of this machine. */
const AT_ONCE = 100;
/** The longest wait for a new window, and the time between two requests that look for it, in milliseconds. */
const [LONGEST_WINDOW, PAUSE] = [8_000, 40];

/** The labels of requests that fill a window, and of those that look for a new one. */
const [FILL, WAIT] = ['rateLimit.fill', 'rateLimit.wait'];

/** Fills a window three times, so that two of them are known from their start. */
export const burst: Step = {
  subject: 'the rate limit',
  needs: 'burst',
  send: async (run) => {
    const body = orderOf(run);
    const targets = [
      (label: string): Promise<Call> => run.sendOnce('/balance', { label }),
      (label: string): Promise<Call> => run.sendOnce('/quotes', { body, label }),
    ] as const;
    for (const [index, target] of targets.entries()) {
      if (!(await fill(run, target))) continue;
      // Whether the other method has the same limit.
      await targets[1 - index]?.(FILL);
      for (let window = 0; window < 3; window += 1)
        if (!(await awaitWindow(run, target)) || !(await fill(run, target))) return;
      return;
    }
  },
};

/** Sends requests at once until one is refused. Returns whether one was. */
async function fill(run: Run, target: (label: string) => Promise<Call>): Promise<boolean> {
  for (let sent = 0; sent < run.plan.burst; sent += AT_ONCE) {
    run.plan.signal.throwIfAborted();
    const settled = await Promise.allSettled(
      Array.from({ length: Math.min(AT_ONCE, run.plan.burst - sent) }, () => target(FILL)),
    );
    if (settled.some((one) => one.status === 'fulfilled' && one.value.response.status === 429)) return true;
  }
  return false;
}

/** Sends requests until one is accepted. Returns whether one was. */
async function awaitWindow(run: Run, target: (label: string) => Promise<Call>): Promise<boolean> {
  const start = run.now();
  while (run.now() - start < LONGEST_WINDOW) {
    await run.sleep(PAUSE);
    if ((await target(WAIT)).response.status !== 429) return true;
  }
  return false;
}

/** A window: its first accepted request, and the number of them. */
interface Window {
  readonly start: number;
  readonly count: number;
}

/** Returns the windows that began with an accepted request after a refused one, and ended with a refused one. */
function listWindows(seen: Seen): {
  readonly windows: readonly Window[];
  readonly method: string;
  readonly other: Call | undefined;
} {
  const all = [...seen.calls, ...seen.limited]
    .filter(({ label }) => label === FILL || label === WAIT)
    .toSorted((a, b) => a.start - b.start);
  const method = all.find(({ response }) => response.status === 429)?.method ?? 'GET';
  const own = all.filter((call) => call.method === method);
  const waits = own.filter(({ label }) => label === WAIT);
  const windows = waits.flatMap((call, index): Window[] => {
    if (call.response.status === 429) return [];
    const end = waits[index + 1]?.start ?? Infinity;
    const filled = own.filter(
      ({ label, start, response }) =>
        label === FILL && start >= call.start && start < end && response.status !== 429,
    );
    return [{ start: call.start, count: filled.length + 1 }];
  });
  const firstLimited = own.find(({ response }) => response.status === 429)?.start ?? Infinity;
  return { windows, method, other: all.find((call) => call.method !== method && call.start >= firstLimited) };
}

const rateLimit: Question = {
  setting: 'rateLimit',
  ask: burst,
  second: 'a second window: raise `burst`',
  read: (seen) => {
    const { windows, method, other } = listWindows(seen);
    const sent = seen.of(FILL).length;
    if (seen.limited.length === 0)
      return {
        unknown:
          sent > 0
            ? `${sent} requests were accepted: raise \`burst\``
            : 'no request was refused: pass `burst: N`',
      };
    const [first, second] = windows;
    if (first === undefined || second === undefined)
      return {
        other: 'a limit exists; its window and number of requests were not measured: pass `burst: N`',
      };
    const length = second.start - first.start;
    if (length < 4 * PAUSE)
      return { other: `a limit exists; requests were accepted again after ${length} ms` };
    const window = toDuration(roundWithin(length - PAUSE * 2, length + PAUSE * 2));
    const isOwn = other !== undefined && other.response.status !== 429;
    return {
      value: { requests: first.count, window, ...(isOwn && { method }) },
      evidence: `${first.count} requests, and more after ${length} ms`,
    };
  },
  proves: (seen, value) => {
    const { windows } = listWindows(seen);
    const { requests } = value as { readonly requests: number };
    const [first, second, third] = windows;
    if (first === undefined || second === undefined || third === undefined) return { agree: [], against: [] };
    const [one, other] = [second.start - first.start, third.start - second.start];
    const isSame = second.count === requests && Math.abs(one - other) <= PAUSE * 4;
    const text = `${second.count} requests, and more after ${other} ms`;
    return isSame ? { agree: [text], against: [] } : { agree: [], against: [text] };
  },
};

const retryAfter = repeated<Call>({
  setting: 'retryAfter',
  ask: burst,
  request: 'requests until two are refused with 429',
  second: 'a second response with 429',
  list: ({ limited }) => limited,
  keyOf: (_, index) => index,
  show: ({ response }) => {
    const text = response.headers.get('retry-after');
    if (text === null) return { text: 'no Retry-After' };
    const value = /^\d+$/.test(text) ? 'seconds' : Number.isNaN(Date.parse(text)) ? undefined : 'date';
    return { text: `Retry-After: ${text}`, ...(value !== undefined && { value }) };
  },
});

export const limitQuestions: readonly Question[] = [rateLimit, retryAfter];
