import { createMock } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { failedWrite, openService, openWorld, runCli } from './support.ts';

const order = ['pay', 'USD', 'EUR', '1000.00', '--name', 'Acme Supplies Ltd'];

describe('pay', () => {
  it('creates one payment with every field that is given', async () => {
    await using world = await openWorld();
    const whom = ['--bank', 'First Bank', '--account', 'DE89', '--country', 'DE', '--purpose', 'INV-42'];
    const { code, document } = await runCli([...order, ...whom, '--json'], { env: world.env });
    expect(code).toBe(0);
    expect(document).toMatchObject({
      status: 'pending',
      send_amount: 1000,
      receive_amount: 916.69,
      beneficiary: { name: 'Acme Supplies Ltd', bank: 'First Bank', account: 'DE89', country: 'DE' },
      purpose: 'INV-42',
    });
  });

  it('shows a person the payment in the order of its document', async () => {
    await using world = await openWorld();
    const { lines } = await runCli([...order, '--purpose', 'INV-42'], { env: world.env });
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      'id',
      'status',
      'from_currency',
      'to_currency',
      'send_amount',
      'rate',
      'receive_amount',
      'beneficiary.name',
      'beneficiary.bank',
      'beneficiary.account',
      'beneficiary.country',
      'purpose',
      'created_at',
    ]);
    expect(lines).toContain('beneficiary.bank:    -');
  });

  it('sends the idempotency key', async () => {
    await using world = await openWorld();
    const argv = [...order, '--idempotency-key', 'order-42', '--json'];
    const first = await runCli(argv, { env: world.env });
    const second = await runCli(argv, { env: world.env });
    expect(second.document.id).toBe(first.document.id);
  });

  it('sends a new idempotency key each time, or none on request', async () => {
    await using world = await openWorld();
    const keys: (string | null)[] = [];
    const fetch = (request: Request): Promise<Response> => {
      keys.push(request.headers.get('idempotency-key'));
      return globalThis.fetch(request);
    };
    for (const flags of [[], [], ['--no-idempotency-key']]) {
      expect((await runCli([...order, ...flags], { env: world.env, fetch })).code).toBe(0);
    }
    const uuid: unknown = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(keys).toEqual([uuid, uuid, null]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('refuses an empty idempotency key', async () => {
    await using world = await openWorld();
    const { code, stderr } = await runCli([...order, '--idempotency-key', ''], { env: world.env });
    expect(code).toBe(2);
    expect(stderr).toContain('idempotencyKey must be 1 to 255 visible ASCII characters');
  });

  it('shows each status with --wait and exits 0 when the payment completes', async () => {
    await using world = await openWorld();
    const { code, documents } = await runCli([...order, '--wait', '--json'], { env: world.env });
    expect(code).toBe(0);
    const statuses = documents.map(({ status }) => status);
    expect(statuses[0]).toBe('pending');
    expect(statuses.at(-1)).toBe('completed');
    expect(new Set(statuses).size).toBe(statuses.length);
  });

  it('exits 1 when the payment that it waits for fails', async () => {
    await using world = await openWorld();
    const { code, lines, stderr } = await runCli([...order, '--account', 'SIM-FAIL', '--wait'], {
      env: world.env,
    });
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(/^pay_test_\w+ {2}failed$/);
    expect(stderr).toBe('The payment ended as failed.\n');
  });

  it('exits 1 when the wallet holds too little', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(['pay', 'USD', 'EUR', '100000.01', '--name', 'Acme', '--json'], {
      env: world.env,
    });
    expect(code).toBe(1);
    expect(document.error).toMatchObject({ name: 'InsufficientFundsError', outcome: 'rejected' });
  });

  it('exits 2 for a limit of a waiting that there is not, and sends nothing', async () => {
    await using world = await openWorld();
    const { code, stderr } = await runCli([...order, '--wait-timeout', '5s'], { env: world.env });
    expect(code).toBe(2);
    expect(stderr).toContain('--wait-timeout limits the waiting of --wait');
    expect(world.mock.sandbox.requests.list()).toEqual([]);
  });

  it('exits 2 for an empty name and sends nothing', async () => {
    await using world = await openWorld();
    const { code } = await runCli(['pay', 'USD', 'EUR', '1', '--name', ' '], { env: world.env });
    expect(code).toBe(2);
    const { documents } = await runCli(['transactions', '--type', 'payment', '--json'], { env: world.env });
    expect(documents).toEqual([]);
  });

  it('exits 3 when nothing was sent, without alarm', async () => {
    const mock = createMock();
    const { code, stderr } = await runCli(order, {
      env: { SERVICE_API_KEY: mock.account.testKey },
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
    });
    expect(code).toBe(3);
    expect(stderr).not.toContain('MAY EXIST');
  });
});

describe('pay whose outcome is unknown', () => {
  it('says that the payment may exist, how to check, and not to repeat it', async () => {
    await using world = await openWorld();
    const argv = [...order, '--account', 'SIM-DROP', '--purpose', `O'Neil "7"`];
    const { code, stdout, stderr } = await runCli(argv, { env: world.env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('THE PAYMENT MAY EXIST. Do not repeat this command');
    expect(stderr).toMatch(
      /^ {2}service-cli payment reconcile USD EUR 1000\.00 --since 20\S+Z --purpose='O'\\''Neil "7"'$/m,
    );
    expect(stderr).toContain('Add --name and --account as they were given to pay');
    expect(stderr).not.toContain('Acme');
    expect(stderr).toContain('1000.00 USD to EUR, sent at 20');
    const { stdout: rows } = await runCli(['transactions', '--all', '--json'], { env: world.env });
    expect(rows).toContain(String.raw`O'Neil \"7\"`);
  });

  it('is told as a JSON document with its outcome', async () => {
    await using world = await openWorld();
    const { code, document } = await runCli(
      [...order, '--account', 'SIM-500', '--purpose', 'P-1', '--json'],
      {
        env: world.env,
      },
    );
    expect(code).toBe(3);
    expect(document.error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      status: 500,
      purpose: 'P-1',
      amount: '1000.00',
    });
  });

  it('points at the payment when the broken answer still shows its id', async () => {
    await using service = await openService((_, response) => {
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': '999' });
      response.write('{"success":true,"mode":"test","data":{"id":"pay_test_abc123","status":"pend');
      response.socket?.end();
    });
    const { code, stderr } = await runCli(order, { env: service.env });
    expect(code).toBe(3);
    expect(stderr).toContain('  service-cli payment get pay_test_abc123\n');
  });

  it('ends so when Ctrl+C comes after the request was sent', async () => {
    const controller = new AbortController();
    await using service = await openService(() => controller.abort('SIGINT'));
    const { code, stderr } = await runCli(order, { env: service.env, signal: controller.signal });
    expect(code).toBe(3);
    expect(stderr).toContain('THE PAYMENT MAY EXIST');
    expect(stderr).toMatch(/^ {2}service-cli payment reconcile USD EUR 1000\.00 --since 20\S+Z$/m);
    expect(stderr).toContain('without a purpose, so payments of this amount are only listed');
  });

  it('ends so when no answer comes in time', async () => {
    await using service = await openService(() => {});
    const { code, document } = await runCli([...order, '--timeout', '50ms', '--json'], { env: service.env });
    expect(code).toBe(3);
    expect(document.error).toMatchObject({ outcome: 'unknown', phase: 'waiting' });
  });
});

describe('pay once the payment exists', () => {
  /** A sandbox whose answers about one payment are those of `change`. */
  const retrieving =
    (change: (response: Response) => Response) =>
    async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      return request.method === 'GET' ? change(response) : response;
    };

  it.each([401, 403, 410])('exits 3 and names it when the waiting is refused with %i', async (status) => {
    await using world = await openWorld();
    const refused = { success: false, error: { type: 'some_error', message: 'No.' } };
    const { code, stdout, stderr } = await runCli([...order, '--wait'], {
      env: world.env,
      fetch: retrieving(() => Response.json(refused, { status })),
    });
    const id = /pay_test_\w+/.exec(stdout)?.[0];
    expect(code).toBe(3);
    expect(stderr).toContain(`cause: No. (some_error, HTTP ${status})`);
    expect(stderr).toContain('THE PAYMENT EXISTS. Do not repeat this command');
    expect(stderr).toContain(`  service-cli payment get ${id}\n`);
  });

  it('tells so as the last JSON document', async () => {
    await using world = await openWorld();
    const { code, documents } = await runCli([...order, '--wait', '--json'], {
      env: world.env,
      fetch: retrieving(() => Response.json({ message: 'No.' }, { status: 403 })),
    });
    const [created, last] = documents;
    expect(code).toBe(3);
    expect(documents).toHaveLength(2);
    expect(last).toEqual({
      error: {
        name: 'PaymentExistsError',
        message: `The payment ${created!.id} was created, and what came after it failed.`,
        id: created!.id,
        cause: 'No. (HTTP 403)',
      },
    });
  });

  it.each(['42', 'pay_live_1', '../balance'])('exits 3 when its id is %s', async (id) => {
    await using world = await openWorld();
    const { code, stderr } = await runCli([...order, '--wait'], {
      env: world.env,
      fetch: async () => Response.json({ success: true, mode: 'test', data: { id, status: 'pending' } }),
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/THE PAYMENT (EXISTS|MAY EXIST)/);
  });

  it('exits 3 when the time to wait is up, and on Ctrl+C', async () => {
    await using world = await openWorld({ clock: 'manual' });
    const late = await runCli([...order, '--wait', '--wait-timeout', '20ms'], { env: world.env });
    expect(late.code).toBe(3);
    expect(late.stderr).toMatch(/THE PAYMENT EXISTS.*\n {2}service-cli payment get pay_test_\w+\n$/);
    const controller = new AbortController();
    const interrupted = await runCli([...order, '--wait'], {
      env: world.env,
      signal: controller.signal,
      onStdout: () => controller.abort('SIGINT'),
    });
    expect(interrupted.code).toBe(3);
    expect(interrupted.stderr).toContain('THE PAYMENT EXISTS');
  });

  it.each(['ENOSPC', 'EPIPE'])('exits 3 when its output is lost by %s', async (why) => {
    await using world = await openWorld();
    const { code, stderr } = await runCli([...order, '--json'], {
      env: world.env,
      onStdout: failedWrite(why),
    });
    const { documents } = await runCli(['transactions', '--type', 'payment', '--json'], { env: world.env });
    expect(code).toBe(3);
    expect(stderr).toContain(`cause: The output cannot be written (${why}).`);
    expect(stderr).toContain(`  service-cli payment get ${documents[0]!.payment_id}\n`);
  });

  it('exits 3 when it cannot be shown', async () => {
    const depth = 20_000;
    const data = `{"id":"pay_test_1","status":"pending","note":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const { code, stderr } = await runCli(order, {
      env: { SERVICE_API_KEY: createMock().account.testKey },
      fetch: async () => new Response(`{"success":true,"mode":"test","data":${data}}`, { status: 201 }),
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/THE PAYMENT (EXISTS|MAY EXIST)[^\n]*\n {2}service-cli payment get pay_test_1\n/);
  });
});
