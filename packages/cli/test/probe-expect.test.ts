import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock } from '@service/mock';
import { expect, it } from 'vitest';
import { keepSecret, type Ran, runCli } from './support.ts';

/** Probes a plain mock without payments and holds it to a file. */
async function probeExpecting(expected: object): Promise<Ran> {
  const mock = createMock({ clock: 'manual', seed: 42 });
  const folder = await mkdtemp(join(tmpdir(), 'probe-'));
  try {
    const file = join(folder, 'profile.json');
    await writeFile(file, JSON.stringify(expected));
    return await runCli(['probe', '--no-payments', '--expect', file], {
      env: { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: mock.baseUrl },
      fetch: mock.fetch,
      clock: {
        now: () => mock.sandbox.clock.now().getTime(),
        sleep: (milliseconds) => mock.sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
      },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

it.each<[object]>([
  [{ createstatus: 200 }],
  [{ quoteStatus: 200, toString: 1 }],
  [{ numbers: 'strin' }],
  [{ events: ['paid'] }],
])('refuses to expect what no profile has: %j', async (expected) => {
  const ran = await probeExpecting(expected);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/--expect: .*(createstatus|toString|numbers|events)/);
  expect(ran.stdout).toBe('');
});

it('refuses to expect nothing', async () => {
  const ran = await probeExpecting({});
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('holds no setting');
});
