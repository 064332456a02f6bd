// The client and the CLI over real HTTP, with a service whose reads lag behind its creates.
import { createClient } from '@service/sdk';
import { describe, expect, it } from 'vitest';
import { keepSecret, runCli } from '../packages/cli/test/support.ts';
import { type LaggingService, startLaggingService } from './support/lagging-service.ts';

const input = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Acme Ltd' };

describe.concurrent.each([500, 2_000])('a client of a service whose reads lag by %i ms', (lag) => {
  it('retrieves a payment that it has just created', async () => {
    await using service = await startLaggingService({ lag });
    const { payments } = createClient({ apiKey: service.key, baseUrl: service.baseUrl });
    const { id } = await payments.create(input);
    expect(await payments.retrieve(id)).toMatchObject({ id });
  });

  it('waits for a payment that it has just created', async () => {
    await using service = await startLaggingService({ lag });
    const { payments } = createClient({ apiKey: service.key, baseUrl: service.baseUrl });
    const { id } = await payments.create(input);
    expect(await payments.waitFor(id)).toMatchObject({ id, status: 'completed' });
  });

  it('waits for a payment that another process has created', async () => {
    await using service = await startLaggingService({ lag });
    const [one, other] = [1, 2].map(() => createClient({ apiKey: service.key, baseUrl: service.baseUrl }));
    const { id } = await one!.payments.create(input);
    expect(await other!.payments.waitFor(id)).toMatchObject({ id, status: 'completed' });
  });
});

describe('a client with a shorter read lag than the service', () => {
  it('reports a 404 after its read lag', async () => {
    await using service = await startLaggingService({ lag: 600_000 });
    const { payments } = createClient({ apiKey: service.key, baseUrl: service.baseUrl, readLag: 100 });
    const { id } = await payments.create(input);
    await expect(payments.retrieve(id)).rejects.toMatchObject({ name: 'NotFoundError' });
    await expect(payments.waitFor(id)).rejects.toMatchObject({ name: 'NotFoundError' });
  });
});

const envOf = ({ key, baseUrl }: LaggingService): Record<string, string> => ({
  SERVICE_API_KEY: keepSecret(key),
  SERVICE_BASE_URL: baseUrl,
});

describe('service-cli pay --wait', () => {
  it('waits for a payment that reads do not show at first', async () => {
    await using service = await startLaggingService({ lag: 500 });
    const argv = ['pay', 'USD', 'EUR', '10', '--name', 'Acme Ltd', '--wait'];
    const { code, lines } = await runCli(argv, { env: envOf(service) });
    expect(lines.at(-1)).toMatch(/^pay_test_\w+ {2}completed$/);
    expect(code).toBe(0);
  });
});

describe.concurrent('service-cli smoke', () => {
  it.each([
    [3, /^same amounts and rate, \w+; read lag \d+\.\d s$/],
    [0, /^same amounts and rate, \w+$/],
  ])(
    'passes if the first %i reads respond with 404, and reports the read lag',
    async (hiddenReads, detail) => {
      await using service = await startLaggingService({ lag: 0, hiddenReads });
      const { code, document } = await runCli(['smoke', '--json'], { env: envOf(service) });
      expect(document.steps.filter(({ status }) => status === 'failed')).toEqual([]);
      expect(document.steps.find(({ name }) => name === 'retrieve')?.detail).toMatch(detail);
      expect(code).toBe(0);
    },
  );

  it('fails with a message about --read-lag if the read lag is longer', async () => {
    await using service = await startLaggingService({ lag: 60_000 });
    const argv = ['smoke', '--json', '--read-lag', '500ms'];
    const { code, document } = await runCli(argv, { env: envOf(service) });
    const message =
      'the payment was created, but reads still respond with 404 after 0.5 s; raise --read-lag to allow a longer lag';
    expect(document.steps.filter(({ status }) => status === 'failed')).toMatchObject([
      { name: 'retrieve', detail: message, cause: 'service' },
      { name: 'wait', detail: message, cause: 'service' },
    ]);
    expect(code).toBe(1);
  });

  it('requires a larger amount if the fee takes all of it', async () => {
    await using service = await startLaggingService({ lag: 0, fee: 1 });
    const { code, stderr } = await runCli(['smoke', '--amount', '1.00'], { env: envOf(service) });
    expect(stderr).toContain(
      'error: 1.00 USD is too small: the fee is 1 and the rate 0.9, so receive_amount is 0. Raise --amount.',
    );
    expect(code).toBe(2);
    expect(service.lines).not.toContain('POST /payments');
  });
});

describe.concurrent('service-cli probe', () => {
  interface Finding {
    setting: string;
    state: string;
    evidence: string;
  }
  interface Report {
    findings: Finding[];
    read_lag_ms?: number;
  }
  const ofPayments = ['createStatus', 'absent', 'timestamps', 'transitions', 'unknownStatus', 'debitAt'];

  async function probe(service: LaggingService, argv: string[] = []) {
    const result = await runCli(['probe', '--json', ...argv], { env: envOf(service) });
    const { findings, read_lag_ms } = result.document as unknown as Report;
    const find = (name: string): Finding | undefined => findings.find(({ setting }) => setting === name);
    return { ...result, find, read_lag_ms };
  }

  it('finds payment settings despite the read lag, and reports the lag', async () => {
    await using service = await startLaggingService({ lag: 0, hiddenReads: 3 });
    const { find, read_lag_ms, stderr } = await probe(service);
    expect(
      ofPayments
        .slice(0, 5)
        .map((name) => find(name)?.evidence)
        .join(),
    ).not.toContain('404');
    expect(ofPayments.slice(0, 4).map((name) => find(name)?.state)).toEqual(Array(4).fill('found'));
    expect(read_lag_ms).toBeGreaterThan(0);
    expect(stderr).toMatch(
      /^Read lag \d\.\d s: for this long after the create, the service responded to reads with 404\.$/m,
    );
  });

  it('suggests a fix if the balance is insufficient', async () => {
    await using service = await startLaggingService({ lag: 0, balance: 5 });
    const { find } = await probe(service);
    expect(find('createStatus')?.evidence).toBe(
      'the service responded to POST /payments with 422 insufficient_funds; add funds to the wallet of --from, or lower --amount',
    );
  });
});
