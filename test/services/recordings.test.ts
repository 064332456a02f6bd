// The client and the command line with recorded responses of services on eight frameworks (recordings/*.jsonl), whose pages,
// rows and refusals differ from those of the mock. After an intended change: run this file with `-u`, and read the golden file.
import { readdirSync, readFileSync } from 'node:fs';
import { createMock } from '@service/mock';
import { type Exchange, extendProfile, learnProfile, parseRecording } from '@service/probe/node';
import { createClient, type ServiceError } from '@service/sdk';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../packages/cli/test/support.ts';
import { findRows } from '../support/judge/observation.ts';

const apiKey = 'service_test_0123456789abcdef';
const unknownKey = 'service_test_ffffffffffffffff';
const baseUrl = 'http://localhost/api/v1';
const folder = new URL('recordings/', import.meta.url);
const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: 100,
  beneficiary_name: 'Alder Ltd',
  beneficiary_account: 'DE89370400440532013012',
  purpose: 'INV-41',
};

/** Returns the body of a recorded response. The recording has it as text if JSON would change its numbers. */
const bodyOf = ({ response }: Exchange): unknown => response?.body ?? JSON.parse(response?.text ?? '');

/** Returns the parts of a request that differ from the other requests of a recording. */
function toKey(method: string, path: string, body: unknown): string {
  const { to_currency, amount, beneficiary_name } = (body ?? {}) as Partial<typeof order>;
  const [route, query] = path.split('?');
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return JSON.stringify([method, route, String(parameters), to_currency, Number(amount), beneficiary_name]);
}

/** Returns a `fetch` that responds as the service did, and rejects requests that the service did not receive. */
function replay(exchanges: readonly Exchange[]): (request: Request) => Promise<Response> {
  return async (request) => {
    const text = await request.text();
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    const path = request.url.replace(baseUrl, '');
    const key = toKey(request.method, path, body);
    const isKnown = request.headers.get('authorization') === `Bearer ${apiKey}`;
    const find = (wanted: string): Exchange | undefined =>
      exchanges.find(
        ({ request: sent, response }) =>
          toKey(sent.method, sent.path, sent.body) === wanted && (response?.status !== 401) === isKnown,
      );
    // No page after a token was recorded: the rest of all rows is on one page.
    const rest = path.includes('page_token=') && find(toKey('GET', '/transactions?per_page=100', undefined));
    if (rest) {
      const { data, ...envelope } = bodyOf(rest) as { data: { transactions: object[] } };
      return Response.json({
        ...envelope,
        data: { transactions: data.transactions.slice(4), next_page_token: '' },
      });
    }
    const { response } = find(key) ?? {};
    if (!response) throw new Error(`The recording has no request ${key}.`);
    return new Response(response.text ?? JSON.stringify(response.body), response);
  };
}

const recordings = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => {
    const exchanges = parseRecording(readFileSync(new URL(file, folder), 'utf8'));
    const fetch = replay(exchanges);
    const connect = (options = {}) =>
      createClient({
        apiKey,
        baseUrl,
        fetch: (url, init) => fetch(new Request(url, init)),
        maxRetries: 0,
        onWarning: () => {},
        ...options,
      });
    return { name: file.replace('.jsonl', ''), exchanges, fetch, connect };
  });

describe.each(recordings)('the recorded service $name', ({ exchanges, connect }) => {
  const withBodies = exchanges.map((one) => ({ ...one, response: { ...one.response!, body: bodyOf(one) } }));
  const { profile, differences } = extendProfile({}, learnProfile(withBodies));

  it('has transactions that the client reads once', async () => {
    const rows: (string | null)[] = [];
    for await (const { id } of connect().transactions.list({ per_page: 4 })) rows.push(id);
    const all = findRows(
      bodyOf(exchanges.find(({ request }) => request.path === '/transactions?per_page=100')!),
    );
    expect([rows.length, new Set(rows).size]).toEqual([all.length, all.length]);
  });

  it('has a lost payment that reconcile finds, and never takes the equal payment of another beneficiary', async () => {
    const { at, response } = exchanges.find(({ request }) => request.path === '/payments')!;
    const result = await connect().payments.reconcile({ ...order, since: new Date(at) });
    const [payment] = 'payments' in result ? result.payments : 'payment' in result ? [result.payment] : [];
    expect(result.result).toMatch(/^(found|ambiguous)$/);
    expect(JSON.stringify(response)).toContain(payment?.id);
    expect(payment?.beneficiary.name).toBe(order.beneficiary_name);
  });

  it('gives a mock with the learned profile the same statuses of refusals', async () => {
    expect(differences).toEqual([]);
    const mock = createMock({ profile });
    for (const { request, response } of exchanges.filter((one) => one.response!.status >= 400)) {
      const key = response?.status === 401 ? unknownKey : mock.account.testKey;
      const played = await mock.fetch(mock.baseUrl + request.path, {
        method: request.method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      });
      expect([request.path, played.status]).toEqual([request.path, response?.status]);
    }
  });
});

describe('the command line and the errors of the client with recorded services', () => {
  it('have the golden output', async () => {
    const parts: string[] = [];
    for (const { name, fetch, connect } of recordings) {
      parts.push(`── ${name}`);
      for (const argv of [
        ['transactions', '--all', '--per-page', '4'],
        ['transactions', '--per-page', '4', '--type', 'no_such_type'],
        ['quote', 'USD', 'XXX', '40'],
      ]) {
        const env = { SERVICE_API_KEY: apiKey, SERVICE_BASE_URL: baseUrl };
        const { code, stdout, stderr } = await runCli(argv, { env, fetch });
        parts.push(`$ service-cli ${argv.join(' ')}\n${stdout}${stderr}[exit ${code}]`);
      }
      const { payments } = connect();
      for (const call of [
        payments.create({ ...order, amount: 9_900_000 }),
        payments.create({ ...order, to_currency: 'XXX' }),
        payments.retrieve('pay_test_0000000000000000000000'),
        connect({ apiKey: unknownKey }).balance.retrieve(),
      ]) {
        const thrown: unknown = await call.catch((error: unknown) => error);
        const { name: error, status, outcome, fields } = thrown as ServiceError & { fields?: unknown };
        parts.push(`${error} ${status} ${outcome} ${JSON.stringify(fields) ?? ''}`.trim());
      }
    }
    await expect(`${parts.join('\n')}\n`).toMatchFileSnapshot('./recordings/golden.txt');
  });
});
