import { expect } from 'vitest';
import { createApi } from '@service/sdk/api';
import { type Behavior, errorOf, order } from './context.ts';

/** Behaviors of every call. */
export const calls: readonly Behavior[] = [
  {
    name: 'withResponse returns the response of the call without a second request',
    async run({ service, mock }) {
      const call = service.balance.retrieve();
      const result = await call.withResponse();
      expect(result.data).toBe(await call);
      expect(result).toMatchObject({ mode: 'test', attempts: 1, warnings: [] });
      expect(result.requestId).toBe(result.response.headers.get('x-request-id'));
      expect(mock.sandbox.requests.list({ operation: 'getBalance' })).toHaveLength(1);
    },
  },
  {
    name: 'hooks receive each request, response and retry, without the API key',
    async run({ open, mock }) {
      const hookCalls: string[] = [];
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
          hookCalls.push(`request ${operation} ${attempt} ${headers.has('authorization')}`);
          headers.set('traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
        },
        onResponse: ({ status, attempt }: { status: number; attempt: number }) =>
          hookCalls.push(`response ${status} ${attempt}`),
      });
      mock.sandbox.faults.inject({ operation: 'getBalance', kind: 'status', status: 500 });
      await service.balance.retrieve();
      expect(hookCalls).toEqual([
        'request getBalance 1 false',
        'response 500 1',
        'request getBalance 2 false',
        'response 200 2',
      ]);
      const [sent] = mock.sandbox.requests.list({ operation: 'getBalance' });
      expect(JSON.stringify(sent)).toContain('4bf92f3577b34da6a3ce929d0e0e4736');
    },
  },
  {
    name: 'a hook that throws rejects the call before a request is sent',
    async run({ open, posts }) {
      const onRequest = (): never => {
        throw new Error('The hook failed.');
      };
      expect(await errorOf(open({ onRequest }).payments.create(order))).toMatchObject({
        name: 'ConfigurationError',
        outcome: 'not_sent',
      });
      expect(posts()).toBe(0);
    },
  },
  {
    name: 'a call that is already aborted sends no request',
    async run({ service, posts }) {
      const error = await errorOf(service.payments.create(order, { signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ name: 'AbortError', outcome: 'not_sent', attempts: 0 });
      expect(posts()).toBe(0);
    },
  },
  {
    name: 'a create that is aborted in flight has an unknown outcome',
    async run({ open, posts, fetch: originalFetch }) {
      const controller = new AbortController();
      const fetch = async (request: Request): Promise<Response> => {
        await originalFetch(request);
        controller.abort();
        return new Promise<never>(() => {});
      };
      const error = await errorOf(open({ fetch }).payments.create(order, { signal: controller.signal }));
      expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', cause: { name: 'AbortError' } });
      expect(posts()).toBe(1);
    },
  },
  {
    name: 'live and test mode of an account are separate',
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
    name: 'createApi calls operations by path on the transport of the client',
    async run({ service }) {
      const { data, response } = await createApi(service).GET('/balance');
      expect(response.status).toBe(200);
      expect(data?.data.balances).toHaveLength(3);
      const { error } = await createApi(service).GET('/payments/{payment_id}', {
        params: { path: { payment_id: `pay_test_${'0'.repeat(24)}` } },
      });
      expect(error === undefined).toBe(false);
    },
  },
];
