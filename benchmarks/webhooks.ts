// Compares the verification of a signature by @service/webhooks with the bare hash, and measures malformed signatures.
import { createHmac, createSecretKey } from 'node:crypto';
import { createVerifier, isValidSignature, sign } from '@service/webhooks';
import { printFigures, ratios, runRounds, type Subject } from './figures.ts';

const ROUNDS = 25;
const secret = 'a signing secret';
const key = createSecretKey(Buffer.from(secret));
const { verify } = createVerifier({ secrets: secret });

/** Returns a subject that times calls that must all return `expected`, in microseconds per call. */
function time(calls: number, expected: boolean, call: () => boolean): Subject {
  return async () => {
    const start = performance.now();
    for (let index = 0; index < calls; index += 1)
      if (call() !== expected) throw new Error(`A call did not return ${expected}.`);
    return ((performance.now() - start) * 1_000) / calls;
  };
}

for (const [title, size, calls] of [
  ['300 B', 300, 20_000],
  ['64 KiB', 65_536, 300],
] as const) {
  const start = '{"event":"note","text":"';
  const body = Buffer.from(`${start.padEnd(size - 2, 'x')}"}`);
  const signature = sign(body, secret);
  const times = await runRounds(
    {
      verify: time(calls, true, () => verify(body, signature).kind === 'unknown'),
      signature: time(calls, true, () => isValidSignature(body, signature, secret)),
      bare: time(calls, true, () => createHmac('sha256', key).update(body).digest('hex') === signature),
    },
    ROUNDS,
  );
  printFigures(`An event of ${title}`, {
    'speed, verify / bare hash': ratios(times.bare, times.verify),
    'speed, isValidSignature / bare hash': ratios(times.bare, times.signature),
    'time of verify, µs': times.verify,
    'time of the bare hash, µs': times.bare,
  });
}

const body = Buffer.from('x'.repeat(300));
const rejection = { rejection: time(200_000, false, () => isValidSignature(body, 'a'.repeat(63), secret)) };
printFigures('A signature of 63 characters', {
  'time of the rejection, µs': (await runRounds(rejection, ROUNDS)).rejection,
});
