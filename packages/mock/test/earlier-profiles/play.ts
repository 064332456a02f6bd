// Plays requests against a mock, and lists the answers and webhooks as text.
import type { Mock, ProfileChoice } from '@service/mock';
import { order, START } from '../support.ts';

/** Creates a mock with a profile. */
export type CreateMock = (options: {
  readonly clock: 'manual';
  readonly start: string;
  readonly seed: number;
  readonly profile: ProfileChoice;
}) => Mock;

const json = { 'content-type': 'application/json' };
const quote = { from_currency: 'USD', to_currency: 'EUR', amount: 1000 };

/** Plays the requests whose answers a profile can change. */
export async function playProfile(create: CreateMock, profile: ProfileChoice): Promise<string[]> {
  const mock = create({ clock: 'manual', start: START, seed: 42, profile });
  const { sandbox } = mock;
  const lines: string[] = [];
  const key = { authorization: `Bearer ${mock.account.testKey}` };
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<string> => {
    const response = await mock.fetch(`${mock.baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...key, ...(body !== undefined && json), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const shown = [...response.headers].map(([name, value]) => `${name}: ${value}`).toSorted();
    lines.push(`${method} ${path} ${response.status} ${shown.join(' | ')} ${text}`);
    return text;
  };
  const pay = async (
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<string> => {
    const text = await ask('POST', '/payments', order(fields), headers);
    return /pay_test_[A-Za-z0-9]+/.exec(text)?.[0] ?? 'none';
  };
  let failures = 2;
  sandbox.webhooks.collect({
    async receive(request) {
      const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`).toSorted();
      lines.push(`webhook ${headers.join(' | ')} ${await request.text()}`);
      failures -= 1;
      return new Response(null, { status: failures >= 0 ? 204 : 200 });
    },
  });

  await ask('POST', '/quotes', quote);
  for (const change of [
    { amount: 1.009 },
    { amount: '12.50' },
    { amount: 'x' },
    { amount: 0.001 },
    { amount: 5_000_000_000 },
    { amount: -1 },
    { to_currency: 'USD' },
    { to_currency: 'XYZ' },
    { from_currency: 'usd' },
    { to_currency: 'JPY', amount: 10.55 },
    { from_currency: 'JPY', to_currency: 'USD', amount: 10_000.5 },
    { extra: 1 },
  ])
    await ask('POST', '/quotes', { ...quote, ...change });
  for (const body of ['{', '', '[]', '"text"']) await ask('POST', '/quotes', body);
  await ask('POST', '/quotes', JSON.stringify(quote), { 'content-type': 'text/plain' });

  const paid = await pay({ amount: 100 }, { 'idempotency-key': 'one' });
  await pay({ amount: 100 }, { 'idempotency-key': 'one' });
  await pay({ amount: 200 }, { 'idempotency-key': 'one' });
  await pay({ amount: 50, purpose: ' ', beneficiary_bank: '' });
  await pay({ amount: 50, beneficiary_name: 'x'.repeat(200) });
  await pay({ amount: 999_999 });
  await pay({ amount: 1.009 });
  const failed = await pay({ amount: 20, beneficiary_account: 'SIM-FAIL' });
  const returned = await pay({ amount: 30, beneficiary_account: 'SIM-RETURN' });
  for (const by of ['0s', '1s', '1s', '2s', '3s', '5s', '10s', '10m'] as const) {
    await sandbox.clock.advance(by);
    for (const id of [paid, failed, returned]) await ask('GET', `/payments/${id}`);
    await ask('GET', '/balance');
  }

  for (const query of [
    '',
    'per_page=2',
    'page=2&per_page=2',
    'page=99',
    'page=0',
    'page=x',
    'per_page=0',
    'per_page=101',
    'status=completed',
    'status=under_review',
    'status=lost',
    'type=refund',
    'type=lost',
    'per_page=3&type=payment',
  ])
    await ask('GET', `/transactions?${query}`);
  for (const path of ['/nowhere', '/balance/', '/payments/pay_test_unknown', '/payments/x'])
    await ask('GET', path);
  await ask('DELETE', '/balance');
  await ask('HEAD', '/balance');

  const foreign = { authorization: `Bearer ${sandbox.accounts.create({ name: 'other' }).testKey}` };
  await ask('GET', `/payments/${paid}`, undefined, foreign);
  for (const authorization of ['Bearer service_test_x', 'Bearer service_live_x', 'Basic x', '']) {
    await ask('GET', '/balance', undefined, { authorization });
    await ask('GET', '/nowhere', undefined, { authorization });
  }
  await ask('POST', '/quotes', '{', { authorization: 'Bearer x' });
  await ask('GET', '/balance', undefined, { 'x-api-key': mock.account.liveKey });

  for (const status of [401, 405, 429, 500, 503]) {
    sandbox.faults.inject({ kind: 'status', status });
    await ask('GET', '/balance');
  }
  sandbox.profile.set({ rateLimit: { requests: 1, window: '1m' } });
  await ask('GET', '/balance');
  await ask('GET', '/balance');
  return lines;
}
