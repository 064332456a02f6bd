import { expect } from 'vitest';
import { createQuotes } from '@service/sdk/quotes';
import { createTransactions } from '@service/sdk/transactions';
import { type Behaviour, errorOf, exchange, order } from './world.ts';

/** Lists what the client does about every call. */
export const calls: readonly Behaviour[] = [
  {
    name: 'a call can be awaited with its response, and is sent once all the same',
    async run({ service, mock }) {
      const call = service.balance.retrieve();
      const answered = await call.withResponse();
      expect(answered.data).toBe(await call);
      expect(answered).toMatchObject({ mode: 'test', attempts: 1, warnings: [] });
      expect(answered.requestId).toBe(answered.response.headers.get('x-request-id'));
      expect(mock.sandbox.requests.list({ operation: 'getBalance' })).toHaveLength(1);
    },
  },
  {
    name: 'hooks are told of each request, answer and retry, without the key',
    async run({ open, mock }) {
      const told: string[] = [];
      const service = open({
        onRequest: ({
          operation,
          attempt,
          headers,
        }: {
          operation: string;
          attempt: number;
          headers: Headers;
        }) => {
          told.push(`request ${operation} ${attempt} ${headers.has('authorization')}`);
          headers.set('traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
        },
        onResponse: ({ status, attempt }: { status: number; attempt: number }) =>
          told.push(`response ${status} ${attempt}`),
        onRetry: ({ error, attempt }: { error: Error; attempt: number }) =>
          told.push(`retry ${error.name} ${attempt}`),
      });
      mock.sandbox.faults.inject({ operation: 'getBalance', kind: 'status', status: 500 });
      await service.balance.retrieve();
      expect(told).toEqual([
        'request getBalance 1 false',
        'response 500 1',
        'retry ServerError 1',
        'request getBalance 2 false',
        'response 200 2',
      ]);
      const [sent] = mock.sandbox.requests.list({ operation: 'getBalance' });
      expect(JSON.stringify(sent)).toContain('4bf92f3577b34da6a3ce929d0e0e4736');
    },
  },
  {
    name: 'a hook that throws rejects the call before it leaves',
    async run({ open, posts }) {
      const onRequest = (): never => {
        throw new Error('the hook is broken');
      };
      expect(await errorOf(open({ onRequest }).payments.create(order))).toMatchObject({
        name: 'ConfigurationError',
        outcome: 'not_sent',
      });
      expect(posts()).toBe(0);
    },
  },
  {
    name: 'a call that was aborted before it began never leaves',
    async run({ service, posts }) {
      const error = await errorOf(service.payments.create(order, { signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ name: 'AbortError', outcome: 'not_sent', attempts: 0 });
      expect(posts()).toBe(0);
    },
  },
  {
    name: 'a create that is aborted on its way is in doubt',
    async run({ open, posts, fetch: carry }) {
      const controller = new AbortController();
      const fetch = async (request: Request): Promise<Response> => {
        await carry(request);
        controller.abort();
        return new Promise<never>(() => {});
      };
      const error = await errorOf(open({ fetch }).payments.create(order, { signal: controller.signal }));
      expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', cause: { name: 'AbortError' } });
      expect(posts()).toBe(1);
    },
  },
  {
    name: 'live and test are two worlds of one account',
    async run({ open, service, mock }) {
      const baseUrl = mock.baseUrl.replace('http:', 'https:');
      const live = open({ apiKey: mock.account.liveKey, baseUrl });
      const { mode, data } = await live.balance.retrieve().withResponse();
      expect(mode).toBe('live');
      expect(data.balances.map(({ balance }) => balance)).toEqual([0, 0, 0]);
      const { id } = await service.payments.create(order);
      expect(await errorOf(live.payments.retrieve(id))).toMatchObject({
        name: 'ValidationError',
        outcome: 'not_sent',
      });
    },
  },
  {
    name: 'the client beneath calls by path, on the same transport',
    async run({ service }) {
      const { data, response } = await service.api.GET('/balance');
      expect(response.status).toBe(200);
      expect(data?.data.balances).toHaveLength(3);
      const { error } = await service.api.GET('/payments/{payment_id}', {
        params: { path: { payment_id: `pay_test_${'0'.repeat(24)}` } },
      });
      expect(error === undefined).toBe(false);
    },
  },
  {
    name: 'a part of the client alone does the same',
    async run({ mock, service, warnings, fetch }) {
      const options = {
        apiKey: mock.account.testKey,
        baseUrl: mock.baseUrl,
        fetch,
        onWarning: () => {},
      };
      expect(await createQuotes(options).create(exchange)).toEqual(await service.quotes.create(exchange));
      const rows: (string | null)[] = [];
      for await (const { id } of createTransactions(options).list({ per_page: 2 })) rows.push(id);
      expect(rows).toHaveLength(3);
      expect(warnings).toEqual([]);
    },
  },
];
