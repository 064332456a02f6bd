import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMock } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { keepSecret, makeFolder, type Ran, runCli } from './support.ts';

/** Runs probe against a plain mock, without payments, with an expected profile. */
async function probeExpecting(expected: object): Promise<Ran> {
  const mock = createMock({ clock: 'manual', seed: 42 });
  const file = join(makeFolder(), 'profile.json');
  await writeFile(file, JSON.stringify(expected));
  return await runCli(['probe', '--no-payments', '--expect', file], {
    env: { SERVICE_API_KEY: keepSecret(mock.account.testKey), SERVICE_BASE_URL: mock.baseUrl },
    fetch: mock.fetch,
  });
}

describe('probe --expect', () => {
  it.each<[object]>([
    [{ createstatus: 200 }],
    [{ successStatus: { createQuote: 200 }, toString: 1 }],
    [{ numbers: 'strin' }],
    [{ events: ['paid'] }],
  ])('exits 2 for a setting or value that no profile has: %j', async (expected) => {
    const result = await probeExpecting(expected);
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/--expect: .*(createstatus|toString|numbers|events)/);
    expect(result.stdout).toBe('');
  });

  it('exits 2 for a file without settings', async () => {
    const result = await probeExpecting({});
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('contains no settings');
  });
});
