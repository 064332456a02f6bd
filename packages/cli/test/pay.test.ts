import { createMock } from '@service/mock';
import { describe, expect } from 'vitest';
import { expectRefusals, failedWrite, it, openService, runCli, startMockServer, testKey } from './support.ts';

const payArgs = ['pay', 'USD', 'EUR', '1000.00', '--name', 'Acme Supplies Ltd'];

describe('pay', () => {
  it('creates one payment with every field', async ({ mockServer }) => {
    const whom = ['--bank', 'First Bank', '--account', 'DE89', '--country', 'DE', '--purpose', 'INV-42'];
    const { code, document } = await mockServer.run([...payArgs, ...whom, '--json']);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      status: 'pending',
      send_amount: 1000,
      receive_amount: 916.69,
      beneficiary: { name: 'Acme Supplies Ltd', bank: 'First Bank', account: 'DE89', country: 'DE' },
      purpose: 'INV-42',
    });
  });

  it('names its options in the cause of an unknown outcome', async () => {
    const fetch = async (): Promise<Response> => new Response(null, { status: 302 });
    const { code, stderr } = await runCli(payArgs, { env: { SERVICE_API_KEY: 'service_test_a' }, fetch });
    expect(code).toBe(3);
    expect(stderr).toContain('cause: The response has an invalid status');
    expect(stderr).toContain('Check --base-url.');
    expect(stderr).not.toContain('baseUrl');
  });

  it('sends a new idempotency key each time, or the given one', async ({ mockServer }) => {
    const keys: (string | null)[] = [];
    const fetch = (request: Request): Promise<Response> => {
      keys.push(request.headers.get('idempotency-key'));
      return globalThis.fetch(request);
    };
    for (const options of [[], [], ['--idempotency-key', 'order-42']])
      expect((await mockServer.run([...payArgs, ...options], { fetch })).code).toBe(0);
    const uuid: unknown = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(keys).toEqual([uuid, uuid, 'order-42']);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('sends the request once, also if the service rejects it for a moment', async ({ mockServer }) => {
    mockServer.mock.sandbox.faults.inject({ kind: 'rate_limit', operation: 'createPayment' });
    const { code, document } = await mockServer.run([...payArgs, '--json']);
    expect(code).toBe(1);
    expect(document.error).toMatchObject({ name: 'RateLimitError', attempts: 1, outcome: 'rejected' });
  });

  it('prints each status with --wait, and exits 1 if the payment fails', async ({ mockServer }) => {
    const argv = [...payArgs, '--account', 'SIM-FAIL', '--wait', '--json'];
    const { code, documents, stderr } = await mockServer.run(argv);
    expect(code).toBe(1);
    const statuses = documents.map(({ status }) => status);
    expect([statuses[0], statuses.at(-1)]).toEqual(['pending', 'failed']);
    expect(new Set(statuses).size).toBe(statuses.length);
    expect(stderr).toBe('The final status of the payment is failed.\n');
  });

  it('exits 3 without a warning about a payment if nothing was sent', async () => {
    const mock = createMock();
    const { code, stderr } = await runCli(payArgs, {
      env: { SERVICE_API_KEY: mock.account.testKey },
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
    });
    expect(code).toBe(3);
    expect(stderr).not.toContain('MAY EXIST');
  });
});

describe('pay with an unknown outcome', () => {
  it('does not take the payment of somebody else for the created one', async () => {
    await using service = await openService((_, response) => {
      const beneficiary = { name: 'Zeta KK', bank: null, account: 'JP1', country: 'JP' };
      const sent = { from_currency: 'GBP', to_currency: 'JPY', send_amount: 5 };
      const data = { id: 'pay_test_stranger', status: 'failed', ...sent, beneficiary, purpose: null };
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, mode: 'test', data }));
    });
    const argv = ['pay', 'USD', 'EUR', '5', '--name', 'Acme Ltd'];
    const { code, stdout, stderr } = await runCli(argv, { env: service.env });
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain('shows the payment of another create');
    expect(stderr).toContain('payment reconcile USD EUR 5');
    expect(stderr).not.toMatch(/Zeta|JP1|payment get/);
    const json = await runCli([...argv, '--json'], { env: service.env });
    expect(json.document).toMatchObject({
      error: { code: 'other_payment', otherPaymentId: 'pay_test_stranger', outcome: 'unknown' },
    });
  });

  it('exits 3 and prints the command that checks for the payment', async ({ mockServer }) => {
    const argv = [...payArgs, '--account', 'SIM-DROP', '--purpose', `O'Neil "7"`];
    const { code, stdout, stderr } = await mockServer.run(argv);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('THE PAYMENT MAY EXIST. Do not repeat this command');
    expect(stderr).toMatch(
      /^ {2}service-cli payment reconcile USD EUR 1000\.00 --since=20\S+Z --purpose='O'\\''Neil "7"' --name='Acme Supplies Ltd' --account=SIM-DROP --exclude=none$/m,
    );
    expect(stderr).toContain('1,000.00 USD to EUR, sent at 20');
    const { stdout: rows } = await mockServer.run(['transactions', '--all', '--json']);
    expect(rows).toContain(String.raw`O'Neil \"7\"`);
  });

  it('prints the outcome as a JSON document', async ({ mockServer }) => {
    const argv = [...payArgs, '--account', 'SIM-500', '--purpose', 'P-1', '--json'];
    const { code, document } = await mockServer.run(argv);
    expect(code).toBe(3);
    expect(document.error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      status: 500,
      sent: { purpose: 'P-1', amount: '1000.00' },
    });
  });

  it('exits 3 if Ctrl+C comes after the request was sent', async () => {
    const controller = new AbortController();
    await using service = await openService(() => controller.abort('SIGINT'));
    const { code, stderr } = await runCli(payArgs, { env: service.env, signal: controller.signal });
    expect(code).toBe(3);
    expect(stderr).toContain('THE PAYMENT MAY EXIST');
    expect(stderr).toMatch(
      /^ {2}service-cli payment reconcile USD EUR 1000\.00 --since=20\S+Z --name='Acme Supplies Ltd' --exclude=none$/m,
    );
    expect(stderr).toContain('has no purpose, so the command only lists payments of this amount');
  });
});

describe('pay after the payment was created', () => {
  /** Creates a `fetch` that changes the responses to GET requests. */
  const retrieving =
    (change: (response: Response) => Response) =>
    async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      return request.method === 'GET' ? change(response) : response;
    };

  it.each([401, 403, 410])(
    'exits 3 and prints the payment id if the service rejects the wait with %i',
    async (status) => {
      await using mockServer = await startMockServer();
      const refused = { success: false, error: { type: 'some_error', message: 'No.' } };
      const { code, stdout, stderr } = await mockServer.run([...payArgs, '--wait'], {
        fetch: retrieving(() => Response.json(refused, { status })),
      });
      const id = /pay_test_\w+/.exec(stdout)?.[0];
      expect(code).toBe(3);
      expect(stderr).toContain(`cause: No. (some_error, HTTP ${status})`);
      expect(stderr).toContain('THE PAYMENT EXISTS. Do not repeat this command');
      expect(stderr).toContain(`  service-cli payment get ${id}\n`);
    },
  );

  it('exits 3 on --wait-timeout and on Ctrl+C', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const late = await mockServer.run([...payArgs, '--wait', '--wait-timeout', '20ms']);
    expect(late.code).toBe(3);
    expect(late.stderr).toMatch(
      /THE PAYMENT EXISTS.*\n {2}service-cli payment get pay_test_\w+\nexplain: service-cli explain payment_exists\n$/,
    );
    const controller = new AbortController();
    const interrupted = await mockServer.run([...payArgs, '--wait'], {
      signal: controller.signal,
      onStdout: () => controller.abort('SIGINT'),
    });
    expect(interrupted.code).toBe(3);
    expect(interrupted.stderr).toContain('THE PAYMENT EXISTS');
  });

  it('refuses an idempotency key such as that of an unset variable, and --wait-timeout without --wait', async () => {
    const empty = 'The value of --idempotency-key is empty. Is a variable of the shell not set?';
    const invalid = '--idempotency-key must be 1 to 255 visible ASCII characters.';
    await expectRefusals({ env: { SERVICE_API_KEY: testKey } }, [
      [[...payArgs, '--idempotency-key', ''], empty],
      [[...payArgs, '--idempotency-key', 'a b\nc'], invalid],
      [[...payArgs, '--wait-timeout', '5s'], '--wait-timeout needs --wait'],
    ]);
  });

  it.each(['ENOSPC', 'EPIPE'])('exits 3 if the output is lost by %s', async (reason) => {
    await using mockServer = await startMockServer();
    const { code, stderr } = await mockServer.run([...payArgs, '--json'], {
      onStdout: failedWrite(reason),
    });
    const { documents } = await mockServer.run(['transactions', '--type', 'payment', '--json']);
    expect(code).toBe(3);
    expect(stderr).toContain(`cause: The output cannot be written (${reason}).`);
    expect(stderr).toContain(`  service-cli payment get ${documents[0]!.payment_id}\n`);
  });
});
