import { describe, expect } from 'vitest';
import { it, type MockServer, runCli, startMockServer } from './support.ts';

async function pay({ env }: MockServer, account = 'SIM-OK'): Promise<string> {
  const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme', '--account', account, '--json'];
  return (await runCli(argv, { env })).document.id;
}

describe('payment get', () => {
  it('prints a payment', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const id = await pay(mockServer);
    const { code, lines } = await mockServer.run(['payment', 'get', id]);
    expect(code).toBe(0);
    expect(lines.slice(0, 2)).toEqual([`id:                  ${id}`, 'status:              pending']);
    expect((await mockServer.run(['payment', 'get', id, '--json'])).document.id).toBe(id);
  });

  it.each(['../balance', 'pay_live_abc'])('exits 2 for the id %s and sends nothing', async (id) => {
    const { code } = await runCli(['payment', 'get', id], {
      env: { SERVICE_API_KEY: 'service_test_x' },
      fetch: () => Promise.reject(new Error('must not be called')),
    });
    expect(code).toBe(2);
  });

  it('escapes control characters from the service', async () => {
    const data = { id: 'pay_test_1', status: 'pending', purpose: 'a\u001b[2Jb\u202e\nc' };
    const { stdout } = await runCli(['payment', 'get', 'pay_test_1'], {
      env: { SERVICE_API_KEY: 'service_test_x' },
      fetch: async () => Response.json({ success: true, mode: 'test', data }),
    });
    expect(stdout).toContain(String.raw`a\u001b[2Jb\u202e\u000ac`);
  });
});

describe('payment get --json', () => {
  it('escapes the characters that control a terminal as valid JSON', async () => {
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
  it('prints each status as it changes', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const id = await pay(mockServer);
    const { code, lines } = await mockServer.run(['payment', 'wait', id], {
      onStdout: (text) => void (text.includes('completed') || mockServer.mock.sandbox.payments.advance(id)),
    });
    expect(code).toBe(0);
    expect(lines).toEqual([`${id}  pending`, `${id}  processing`, `${id}  completed`]);
  });

  it.each([
    ['SIM-FAIL-EARLY', 1],
    ['SIM-INSTANT', 0],
  ])('waits for the final status of a payment of %s and exits %i', async (account, expected) => {
    await using mockServer = await startMockServer();
    const id = await pay(mockServer, account);
    expect((await mockServer.run(['payment', 'wait', id])).code).toBe(expected);
  });

  it('exits 3 on timeout', async ({ mockServer }) => {
    const id = await pay(mockServer, 'SIM-PENDING');
    const { code, documents } = await mockServer.run(['payment', 'wait', id, '--timeout', '20ms', '--json']);
    expect(code).toBe(3);
    expect(documents.at(-1)!.error).toMatchObject({ name: 'WaitTimeoutError' });
  });

  it('exits 3 on Ctrl+C', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const id = await pay(mockServer);
    const controller = new AbortController();
    const { code, stderr } = await mockServer.run(['payment', 'wait', id], {
      signal: controller.signal,
      onStdout: () => controller.abort('SIGINT'),
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: Interrupted\.\nexplain: /);
  });
});
