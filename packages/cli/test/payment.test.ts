import { describe, expect } from 'vitest';
import { expectRefusals, it, type MockServer, runCli, startMockServer, testKey } from './support.ts';

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

  it('exits 2 for an invalid id, and sends nothing', async () => {
    await expectRefusals({ command: 'payment get', env: { SERVICE_API_KEY: testKey } }, [
      ['../balance', 'id'],
      ['pay_live_abc', 'id'],
    ]);
  });
});

describe('the text of a service', () => {
  it('has no characters that control a terminal', async () => {
    const data = {
      id: 'pay_test_1',
      status: 'pending',
      purpose: 'a\u001b[2J\n\u009b2J\u007f\u202e\u2066\u200f\u2028',
      '\u202ekey': 1,
    };
    const show = (...options: string[]) =>
      runCli(['payment', 'get', 'pay_test_1', ...options], {
        env: { SERVICE_API_KEY: testKey },
        fetch: async () => Response.json({ success: true, mode: 'test', data }),
      });
    expect((await show()).stdout).toContain(String.raw`a\u001b[2J\u000a\u009b2J\u007f\u202e\u2066`);
    const { stdout, document } = await show('--json');
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
