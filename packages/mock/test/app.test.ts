import { describe, expect, it } from 'vitest';
import { createApp } from '../src/http/app.ts';
import { createFaults } from '../src/state/faults.ts';
import { createRequestLog } from '../src/state/request-log.ts';
import { createRateLimiter } from '../src/state/rate-limit.ts';
import { openState } from './state-support.ts';

describe('the service', () => {
  it('responds 500 without details after an internal error', async () => {
    const { state, clock, account } = openState();
    Object.defineProperty(account.byMode.test, 'ledger', { value: undefined });
    const received: unknown[] = [];
    const handle = createApp({
      state,
      rateLimiter: createRateLimiter(clock),
      faults: createFaults('flt', 'x'),
      requestLog: createRequestLog({ requests: 1, characters: 1_000 }),
      cors: 'off',
      onDefect: (error) => received.push(error),
    });
    const { response: answer } = await handle({
      method: 'GET',
      path: '/api/v1/balance',
      transport: 'fetch',
      search: '',
      header: (name) => (name === 'x-api-key' ? account.keys.test : null),
      headers: () => [],
      readBody: async () => new Uint8Array(),
    });
    expect(answer).toMatchObject({
      status: 500,
      body: '{"success":false,"mode":"test","error":{"type":"server_error","message":"The sandbox failed."}}',
    });
    expect(received).toEqual([expect.any(TypeError)]);
  });
});
