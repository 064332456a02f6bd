import { describe, expect, it } from 'vitest';
import { failedWrite, openWorld, runCli, type World } from './support.ts';

async function pay({ env }: World, account = 'SIM-OK'): Promise<string> {
  const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--account', account, '--json'];
  return (await runCli(argv, { env })).document.id;
}

describe('payment get', () => {
  it('shows a payment', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const id = await pay(world);
    const { code, lines } = await runCli(['payment', 'get', id], { env: world.env });
    expect(code).toBe(0);
    expect(lines.slice(0, 2)).toEqual([`id:                  ${id}`, 'status:              pending']);
    expect((await runCli(['payment', 'get', id, '--json'], { env: world.env })).document.id).toBe(id);
  });

  it('exits 1 for a payment that does not exist', async () => {
    await using world = await openWorld();
    const { code, stderr } = await runCli(['payment', 'get', 'pay_test_nobody'], { env: world.env });
    expect(code).toBe(1);
    expect(stderr).toContain('not_found, HTTP 404');
  });

  it.each(['../balance', 'pay_live_abc', '42'])('exits 2 for the id %s and sends nothing', async (id) => {
    const { code } = await runCli(['payment', 'get', id], {
      env: { SERVICE_API_KEY: 'service_test_x' },
      fetch: () => Promise.reject(new Error('must not be called')),
    });
    expect(code).toBe(2);
  });

  it('shows control characters of the service in writing', async () => {
    const data = { id: 'pay_test_1', status: 'pending', purpose: 'a\u001b[2Jb\u202e\nc' };
    const { stdout } = await runCli(['payment', 'get', 'pay_test_1'], {
      env: { SERVICE_API_KEY: 'service_test_x' },
      fetch: async () => Response.json({ success: true, mode: 'test', data }),
    });
    expect(stdout).toContain(String.raw`a\u001b[2Jb\u202e\u000ac`);
  });
});

describe('payment get --json', () => {
  it('writes what steers a terminal as JSON may write it', async () => {
    const data = {
      id: 'pay_test_1',
      status: 'pending',
      purpose: '\u009b2J\u007f\u202e\u2066\u200f\u2028',
      '\u202ekey': 1,
    };
    const { stdout, document } = await runCli(['payment', 'get', 'pay_test_1', '--json'], {
      env: { SERVICE_API_KEY: 'service_test_x' },
      fetch: async () => Response.json({ success: true, mode: 'test', data }),
    });
    expect(stdout).not.toMatch(/[\p{Bidi_Control}\u2028\u2029]|\p{Cc}(?!$)/u);
    expect(document).toMatchObject(data);
  });
});

describe('payment wait', () => {
  it('shows each status as it changes', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const id = await pay(world);
    const { code, lines } = await runCli(['payment', 'wait', id], {
      env: world.env,
      onStdout: (text) => void (text.includes('completed') || world.mock.sandbox.payments.advance(id)),
    });
    expect(code).toBe(0);
    expect(lines).toEqual([`${id}  pending`, `${id}  processing`, `${id}  completed`]);
  });

  it('writes a payment a line with --json', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const id = await pay(world);
    const { documents } = await runCli(['payment', 'wait', id, '--json'], {
      env: world.env,
      onStdout: (text) => void (text.includes('pending') && world.mock.sandbox.payments.complete(id)),
    });
    expect(documents.map(({ status }) => status)).toEqual(['pending', 'completed']);
  });

  it.each([
    ['final', 'SIM-INSTANT', 0],
    ['final', 'SIM-FAIL-EARLY', 1],
    ['failed', 'SIM-FAIL-EARLY', 0],
    ['failed', 'SIM-INSTANT', 1],
    ['completed', 'SIM-FAIL-EARLY', 1],
    ['processing', 'SIM-INSTANT', 0],
    ['pending', 'SIM-PENDING', 0],
  ])('waits until %s for a payment of %s and exits %i', async (until, account, expected) => {
    await using world = await openWorld();
    const id = await pay(world, account);
    expect((await runCli(['payment', 'wait', id, '--until', until], { env: world.env })).code).toBe(expected);
  });

  it('refuses a status that is misspelt, and lists those there are', async () => {
    const { code, stderr } = await runCli(['payment', 'wait', 'pay_test_1', '--until', 'procesing'], {});
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are final, pending, processing, completed, failed');
  });

  it('exits 3 when the time is up', async () => {
    await using world = await openWorld();
    const id = await pay(world, 'SIM-PENDING');
    const { code, documents } = await runCli(['payment', 'wait', id, '--timeout', '20ms', '--json'], {
      env: world.env,
    });
    expect(code).toBe(3);
    expect(documents.at(-1)!.error).toMatchObject({ name: 'WaitTimeoutError' });
  });

  it('exits 3 on Ctrl+C', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const id = await pay(world);
    const controller = new AbortController();
    const { code, stderr } = await runCli(['payment', 'wait', id], {
      env: world.env,
      signal: controller.signal,
      onStdout: () => controller.abort('SIGINT'),
    });
    expect(code).toBe(3);
    expect(stderr).toContain('aborted');
  });

  it('ends in silence when nobody reads any more', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const id = await pay(world);
    const { code, stderr } = await runCli(['payment', 'wait', id], {
      env: world.env,
      onStdout: failedWrite('EPIPE'),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
