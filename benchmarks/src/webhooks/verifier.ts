import { createHmac, createSecretKey } from 'node:crypto';
import { verify as verifyByOctokit } from '@octokit/webhooks-methods';
import { createVerifier, sign } from '../../../packages/webhooks/dist/index.js';
import { createFigure } from '../figure.ts';
import type { Figure, Goal } from '../figure.ts';
import { ratios, runRounds } from '../rounds.ts';
import type { Subject } from '../rounds.ts';
import { SECRET, writeBody } from './bodies.ts';

const ROUNDS = 25;
const malformedBody: readonly (readonly [title: string, signature: string])[] = [
  ['63 characters', 'a'.repeat(63)],
  ['64 characters in upper case', 'A'.repeat(64)],
  ['a megabyte', 'a'.repeat(1 << 20)],
];

/** Compares `isValid` with the bare hash and with another verifier, and measures the rejection of malformed signatures. */
export async function measureVerifier(): Promise<Figure[]> {
  return [
    ...(await compare('300 B', { size: 300, calls: 20_000, goal: { atLeast: 0.8 } })),
    ...(await compare('64 KiB', { size: 65_000, calls: 300, goal: { atLeast: 0.95 } })),
    ...(await measureMalformed()),
  ];
}

async function compare(
  title: string,
  { size, calls, goal }: { size: number; calls: number; goal: Goal },
): Promise<Figure[]> {
  const text = writeBody(size);
  const bytes = Buffer.from(text);
  const key = createSecretKey(Buffer.from(SECRET));
  const signature = sign(text, SECRET);
  const prefixed = `sha256=${signature}`;
  const { isValid } = createVerifier({ secrets: SECRET });
  const times = await runRounds(
    {
      isValid: timeSync(() => isValid(bytes, signature), calls),
      isValidText: timeSync(() => isValid(text, signature), calls),
      bare: timeSync(() => createHmac('sha256', key).update(bytes).digest('hex') === signature, calls),
      octokit: timeAsync(() => verifyByOctokit(SECRET, text, prefixed), calls),
    },
    ROUNDS,
  );
  const others: Figure[] = [
    createFigure(
      `isValid of ${title} as text: speed, to the bare hash of bytes`,
      ratios(times.bare, times.isValidText),
    ),
    createFigure(
      `isValid of ${title} as text: speed, to @octokit/webhooks-methods`,
      ratios(times.octokit, times.isValidText),
      size > 300 ? {} : { goal: { atLeast: 1.3 } },
    ),
    createFigure(`isValid of ${title}: time`, times.isValid, { unit: ' µs' }),
    createFigure(`the bare hash of ${title}: time`, times.bare, { unit: ' µs' }),
  ];
  return [
    createFigure(`isValid of ${title}: speed, to the bare hash`, ratios(times.bare, times.isValid), { goal }),
    ...others,
  ];
}

async function measureMalformed(): Promise<Figure[]> {
  const bytes = Buffer.from(writeBody(300));
  const { isValid } = createVerifier({ secrets: SECRET });
  const figures: Figure[] = [];
  for (const [title, signature] of malformedBody) {
    const { time } = await runRounds({ time: timeSync(() => !isValid(bytes, signature), 200_000) }, ROUNDS);
    figures.push(createFigure(`rejecting ${title}: time`, time, { unit: ' µs', goal: { atMost: 0.3 } }));
  }
  return figures;
}

/** Returns a subject that times calls that must all return true, in microseconds per call. */
export function timeSync(call: () => boolean, calls: number): Subject {
  return async () => {
    let count = 0;
    const start = performance.now();
    for (let index = 0; index < calls; index += 1) if (call()) count += 1;
    const time = ((performance.now() - start) * 1_000) / calls;
    if (count !== calls) throw new Error('A call returned false.');
    return time;
  };
}

/** Returns a subject that times calls that must all resolve to true, in microseconds per call. */
function timeAsync(call: () => Promise<boolean>, calls: number): Subject {
  return async () => {
    const start = performance.now();
    for (let index = 0; index < calls; index += 1)
      if (!(await call())) throw new Error('A valid signature was rejected.');
    return ((performance.now() - start) * 1_000) / calls;
  };
}
