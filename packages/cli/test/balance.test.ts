import { describe, expect, it } from 'vitest';
import { openWorld, runCli } from './support.ts';

describe('balance', () => {
  it('shows every wallet, the figures at the right', async () => {
    await using world = await openWorld();
    await runCli(['pay', 'USD', 'EUR', '0.05', '--name', 'Acme'], { env: world.env });
    const { code, lines, stderr } = await runCli(['balance'], { env: world.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines).toEqual([
      'currency   balance',
      'EUR         100000',
      'GBP         100000',
      'USD       99999.95',
    ]);
  });

  it('writes the document of the service with --json', async () => {
    await using world = await openWorld();
    const { document } = await runCli(['balance', '--json'], { env: world.env });
    expect(document.balances).toContainEqual({ currency: 'EUR', balance: 100_000 });
  });

  it('exits 3 when the answer cannot be believed', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['balance', '--json'], {
      env: world.env,
      fetch: async () => new Response('<html>', { status: 200 }),
    });
    expect(code).toBe(3);
    expect(document.error).toMatchObject({ name: 'UnreadableResponseError' });
  });
});
