// The traffic of an application with a service, and its answers.
import type { Mock } from '@service/mock';

export interface Answer {
  readonly call: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The private values of the requests. */
export const beneficiary = {
  beneficiary_name: 'Ottilie Krähenbühl & Söhne',
  beneficiary_bank: 'Sparkasse Hinterwald',
  beneficiary_account: 'DE89370400440532013000',
  beneficiary_country: 'DE',
  purpose: 'Rechnung INV-2024-000187',
} as const;

const order = { from_currency: 'USD', to_currency: 'EUR', beneficiary_name: 'Quentin Vandermolen' } as const;

export interface ApplicationOptions {
  readonly baseUrl: string;
  readonly mock: Mock;
}

/** Headers of one connection or of the transport. */
const transport = /^(?:connection|keep-alive|date|transfer-encoding|content-length)$/;

/** Makes the calls of an application. The clock of the mock advances between them. */
export async function runApplication({ baseUrl, mock }: ApplicationOptions): Promise<Answer[]> {
  const answers: Answer[] = [];
  const key = mock.account.testKey;
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(baseUrl + path, {
      method,
      redirect: 'manual',
      ...init,
      headers: {
        authorization: `Bearer ${key}`,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    const text = await response.text();
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !transport.test(name)));
    const own = new URL(baseUrl).origin;
    const body = (isJson(text) ? JSON.parse(text.replaceAll(own, 'http://service')) : text) as unknown;
    const answer = { call: `${method} ${path}`, status: response.status, headers, body };
    answers.push(normalizeIds(answer));
    return answer;
  };
  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    call('POST', path, { body: JSON.stringify(body), headers });
  const watch = async (body: object): Promise<void> => {
    const { body: created } = await post('/payments', body);
    const { id } = (created as { data: { id: string } }).data;
    for (let step = 0; step < 12; step += 1) {
      await call('GET', `/payments/${id}`);
      await mock.sandbox.clock.advance('400ms');
    }
  };
  await call('GET', '/balance');
  for (const amount of [101.5, 303.25, 50])
    await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount });
  await watch({ ...order, ...beneficiary, amount: 101.5 });
  await watch({ ...order, amount: 303.25 });
  await watch({ ...order, amount: 50, beneficiary_account: 'SIM-FAIL', purpose: 'Miete Zürich 77' });
  await call('GET', '/transactions?per_page=100');
  await readPages(call);
  await call('GET', '/balance', { headers: { authorization: 'Bearer service_test_unknown+key' } });
  await call('GET', '/no-such-path');
  await call('DELETE', '/quotes');
  await call('GET', `/payments/pay_test_${'0'.repeat(24)}`);
  await post('/quotes', { from_currency: 'USD', to_currency: 'XXX', amount: 5 });
  await post('/quotes', { from_currency: 'USD', to_currency: 'XXX', amount: -1 });
  await call('POST', '/quotes', { body: '{"amount": 1,}' });
  await post('/payments', { ...order, amount: 900_000 });
  const again = { 'idempotency-key': 'order-77' };
  await post('/payments', { ...order, amount: 11 }, again);
  await post('/payments', { ...order, amount: 12 }, again);
  return answers;
}

/** Replaces the random parts of ids and cursors, whose forms must be equal. */
function normalizeIds(answer: Answer): Answer {
  const replace = (_: string, prefix: string, random: string): string =>
    `${prefix}${random.replaceAll(/\d/g, '0').replaceAll(/[A-Z]/g, '0').replaceAll(/[a-z]/g, '0')}`;
  const text = JSON.stringify(answer).replaceAll(/((?:pay|txn|req)_(?:test_)?)([\w-]+)/g, replace);
  return JSON.parse(text) as Answer;
}

function isJson(text: string): boolean {
  return /^[[{]/.test(text);
}

/** Reads the history page by page, as each page says. */
async function readPages(call: (method: string, path: string) => Promise<Answer>): Promise<void> {
  let query: string | undefined = 'per_page=2';
  for (let read = 1; query !== undefined && read < 5; read += 1) {
    const { headers, body }: Answer = await call('GET', `/transactions?${query}`);
    const text = JSON.stringify(body);
    const page = Number(/"page":(\d+)/.exec(text)?.[1] ?? read) + 1;
    const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1];
    const url =
      /"next[^"]*":"[^"]*\?([^"]+)"/.exec(text)?.[1] ??
      /\?([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1];
    const isLast = (text.match(/"created_at"|"at"|"posted"/g) ?? []).length < 2;
    query = isLast
      ? undefined
      : (url ?? (cursor ? `per_page=2&cursor=${cursor}` : `per_page=2&page=${page}`));
  }
}
