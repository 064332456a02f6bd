// The CLI over real HTTP, with a mock whose reads lag behind its creates. `services/services.proof.test.ts` has the client.
import { describe, expect, it } from 'vitest';
import { runCli, startMockServer } from '../packages/cli/test/support.ts';
import type { ProfileChoice } from '@service/mock';

const withProfile = (profile: ProfileChoice) => startMockServer({ clock: 'real', profile });
const withLag = (payments: '500ms' | '60s') =>
  withProfile({ readLag: { payments }, statuses: { pending: '300ms', processing: '300ms' } });

describe.concurrent('service-cli smoke', () => {
  it('passes if the first reads respond with 404', async () => {
    await using service = await withLag('500ms');
    const { code, document } = await runCli(['smoke', '--json'], service);
    expect(document.steps.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(code).toBe(0);
  });

  it('fails if the payment is not readable within --read-lag', async () => {
    await using service = await withLag('60s');
    const { code, document } = await runCli(['smoke', '--json', '--read-lag', '500ms'], service);
    const detail = expect.stringContaining('HTTP 404') as string;
    expect(document.steps.filter(({ status }) => status === 'failed')).toMatchObject([
      { name: 'retrieve', detail, cause: 'service' },
      { name: 'wait', detail, cause: 'service' },
    ]);
    expect(code).toBe(1);
  });

  it('requires a larger amount if the fee takes all of it', async () => {
    await using service = await withProfile({
      fees: { flat: '1.00' },
      rates: { pairs: { 'USD/EUR': '0.9' } },
    });
    const { code, stderr } = await runCli(['smoke', '--amount', '1.00'], service);
    expect(stderr).toContain(
      'error: 1.00 USD is too small: the fee is 1 and the rate 0.9, so receive_amount is 0. Raise --amount.',
    );
    expect(code).toBe(2);
    expect(service.mock.sandbox.requests.list({ operation: 'createPayment' })).toEqual([]);
  });
});

describe.concurrent('service-cli probe', () => {
  interface Report {
    readonly findings: readonly { setting: string; state: string; evidence: string; value?: unknown }[];
  }

  it('suggests a fix if the balance is insufficient', async () => {
    await using service = await withProfile({ wallets: { USD: '5.00' } });
    const { document } = await runCli(['probe', '--json'], service);
    const { findings } = document as unknown as Report;
    expect(findings.find(({ setting }) => setting === 'successStatus')?.evidence).toContain(
      'createPayment: the service responded to POST /payments with 422 insufficient_funds; add funds to the wallet of --from, or lower --amount',
    );
  });
});
