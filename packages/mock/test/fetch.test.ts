import { describe, expect, it } from 'vitest';
import type { MockOptions } from '@service/mock';
import { createStillMock, order } from './support.ts';

const json = { 'content-type': 'application/json' };

function setUp(options: MockOptions = {}) {
  const defects: unknown[] = [];
  const { mock } = createStillMock({ onDefect: (error) => defects.push(error), ...options });
  const headers = { ...json, 'x-api-key': mock.account.testKey };
  const pay = (body: BodyInit, signal: AbortSignal | null = null): Promise<Response> => {
    const init = { method: 'POST', headers, body, duplex: 'half', signal };
    return mock.fetch(`${mock.baseUrl}/payments`, init);
  };
  return { mock, defects, pay };
}

describe('mock.fetch', () => {
  it('sends nothing for an aborted signal', async () => {
    const { mock, pay } = setUp();
    const before = await mock.sandbox.stateHash();
    await expect(pay(JSON.stringify(order()), AbortSignal.abort('no'))).rejects.toBe('no');
    expect(await mock.sandbox.stateHash()).toBe(before);
  });

  it('adds no Content-Type to a response without a body', async () => {
    const { mock } = setUp({ profile: { refusals: { missing_key: { body: '' } } } });
    const response = await mock.fetch(`${mock.baseUrl}/balance`);
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([
      401,
      '',
      null,
    ]);
  });

  it('rejects when it is aborted during the body, and does not process half a body', async () => {
    const { mock, pay, defects } = setUp();
    const before = await mock.sandbox.stateHash();
    const controller = new AbortController();
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new TextEncoder().encode(JSON.stringify(order()))),
      pull: () => controller.abort(new Error('enough')),
      cancel: () => resolve(),
    });
    await expect(pay(body, controller.signal)).rejects.toThrow('enough');
    await cancelled;
    await mock.sandbox.idle();
    expect(await mock.sandbox.stateHash()).toBe(before);
    expect(defects).toEqual([]);
  });

  it('rejects when it is aborted while a receiver delays the response', async () => {
    const controller = new AbortController();
    const { promise: answered, resolve } = Promise.withResolvers<Response>();
    const { mock, pay } = setUp({
      fetch: () => {
        controller.abort(new Error('enough'));
        return answered;
      },
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/' });
    const call = pay(JSON.stringify(order({ beneficiary_account: 'SIM-HOOK-FIRST' })), controller.signal);
    await expect(call).rejects.toThrow('enough');
    resolve(new Response());
    await mock.sandbox.idle();
  });

  it('rejects like a network when the body fails, without a defect', async () => {
    const { mock, pay, defects } = setUp();
    const before = await mock.sandbox.stateHash();
    const body = new ReadableStream({ start: (stream) => stream.error(new Error('the disk is gone')) });
    await expect(pay(body)).rejects.toThrow(TypeError);
    expect(defects).toEqual([]);
    expect(await mock.sandbox.stateHash()).toBe(before);
  });
});
