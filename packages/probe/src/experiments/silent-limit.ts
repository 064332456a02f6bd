import type { ProbeContext } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { readRemaining } from '../templates/limits.ts';
import { type Burst, methodOf, sendUntilLimited } from './burst.ts';
import { roundWithin, toDuration } from './durations.ts';

/** Maximum wait for the next window, in seconds. */
const MAX_WAIT = 60;

/** Time between two requests that wait for the next window, in milliseconds. */
const STEP = 1_000;

/** Measures a limit whose 429 has no `Retry-After`: uses up the next window, and waits for the one after it. */
export async function measureSilentLimit(context: ProbeContext, burst: Burst): Promise<Finding> {
  const { now } = context;
  const { sent, request } = burst;
  const evidence = `a 429 after ${sent} requests has no Retry-After`;
  const isNextAccepted = (await request()).accepted;
  const filled = await measureRefill(context, burst);
  if (filled !== undefined) return filled;
  if (isNextAccepted)
    return unknown(
      'rateLimit',
      `${evidence}, and the next request was accepted: it limits requests at the same time`,
    );
  // The readings can take longer than the window.
  if ((await request()).accepted) await sendUntilLimited(context, burst);
  const isOpen = await awaitWindow(context, request);
  const start = now();
  const next = isOpen ? await sendUntilLimited(context, burst) : undefined;
  if (next?.response.status !== 429 || !(await awaitWindow(context, request)))
    return unknown('rateLimit', `${evidence}, and no window of at most ${MAX_WAIT} s follows it`);
  const elapsed = now() - start;
  // The first request of the window was accepted before.
  const requests = next.accepted + 1;
  return found(
    'rateLimit',
    {
      requests,
      window: toDuration(roundWithin(Math.max(1, elapsed - STEP + 1), elapsed)),
      ...methodOf(burst),
    },
    `${evidence}; the next window accepted ${requests} requests and took about ${Math.round(elapsed / 1_000)} s`,
  );
}

/** Requests until one is accepted. Returns whether one was, within the longest wait. */
async function awaitWindow({ now, sleep }: ProbeContext, request: Burst['request']): Promise<boolean> {
  for (const end = now() + MAX_WAIT * 1_000; now() <= end;) {
    await sleep(STEP);
    const { accepted } = await request();
    if (accepted) return true;
  }
  return false;
}

/** Time between two readings of a limit that fills up again, in milliseconds, and the fewest increases that show it. */
const [READ_STEP, MIN_INCREASES] = [100, 3];

/** The requests that are left, as if none had been sent since the first reading, and the time of the reading. */
interface Level {
  readonly at: number;
  readonly level: number;
}

/**
 * Measures a limit that fills up again steadily from the requests that its headers state: the most are the limit, and the
 * time in which all of them return is its window. Undefined for a limit with another window.
 */
async function measureRefill(context: ProbeContext, burst: Burst): Promise<Finding | undefined> {
  const { readings, headers } = context;
  const stated = readings.flatMap((one) => readRemaining(one.headers, headers) ?? []);
  const most = Math.max(...stated);
  if (stated.length === 0) return undefined;
  const levels = await readLevels(context, burst, most);
  const [first, last] = [levels[0], levels.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const increases = levels.slice(1).filter(({ level }, index) => level > (levels[index]?.level ?? level));
  const gain = last.level - first.level;
  const largest = Math.max(
    ...levels.slice(1).map(({ level }, index) => level - (levels[index]?.level ?? level)),
  );
  // A new window returns all requests at once.
  if (increases.length < MIN_INCREASES || largest > gain / 2) return undefined;
  const requests = most + 1;
  const full = (requests * (last.at - first.at)) / gain;
  return found(
    'rateLimit',
    {
      requests,
      window: toDuration(roundWithin((full * gain) / (gain + 1), (full * gain) / (gain - 1))),
      ...methodOf(burst),
    },
    `headers state at most ${most} requests, and ${gain} return in ${Math.round(last.at - first.at)} ms`,
  );
}

/** Reads the requests that are left until nearly all have returned. */
async function readLevels(
  { now, sleep, headers }: ProbeContext,
  { request }: Burst,
  most: number,
): Promise<Level[]> {
  const levels: Level[] = [];
  let accepted = 0;
  for (const end = now() + MAX_REFILL; now() <= end;) {
    const response = await request();
    const remaining = readRemaining(response.headers, headers);
    if (remaining !== undefined && remaining >= most - 1 && levels.length > 0) return levels;
    if (response.accepted) accepted += 1;
    if (remaining !== undefined) levels.push({ at: now(), level: remaining + accepted });
    await sleep(READ_STEP);
  }
  return levels;
}

/** The longest time for readings of a limit that fills up again, in milliseconds. */
const MAX_REFILL = 5_000;
