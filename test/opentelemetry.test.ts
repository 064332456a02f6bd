// Runs the OpenTelemetry example of the client with the W3C propagator.
import {
  type Attributes,
  context,
  createNoopMeter,
  metrics,
  type MeterProvider,
  propagation,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createMock, type Mock } from '@service/mock';
import { listen, type MockServer } from '@service/mock/node';
import type { Client } from '@service/sdk';

const span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  traceFlags: TraceFlags.SAMPLED,
};
const traceparent = `00-${span.traceId}-${span.spanId}-01`;
const recorded: (readonly [value: number, attributes: Attributes | undefined])[] = [];

/** A provider whose histograms store their records. */
const provider: MeterProvider = {
  getMeter: () => ({
    ...createNoopMeter(),
    createHistogram: () => ({
      record: (value, attributes) => void recorded.push([value, attributes]),
    }),
  }),
};

describe('the client with OpenTelemetry hooks', () => {
  let mock: Mock;
  let server: MockServer;
  let service: Client;

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    metrics.setGlobalMeterProvider(provider);
    mock = createMock();
    server = await listen(mock, { port: 0 });
    vi.stubEnv('SERVICE_API_KEY', mock.account.testKey);
    vi.stubEnv('SERVICE_BASE_URL', server.baseUrl);
    ({ service } = await import('../examples/snippets/src/opentelemetry.ts'));
  });

  afterAll(async () => {
    for (const api of [context, propagation, metrics]) api.disable();
    await server.close();
    await mock.close();
    vi.unstubAllEnvs();
  });

  const sentTo = (operation: 'getBalance' | 'createPayment'): (string | null | undefined)[] =>
    mock.sandbox.requests.list({ operation }).map(({ headers }) => headers['traceparent']);

  it('sends the active span in every request, including retries', async () => {
    mock.sandbox.faults.inject({ operation: 'getBalance', kind: 'status', status: 429, retryAfter: 0 });
    await context.with(trace.setSpanContext(context.active(), span), () => service.balance.retrieve());
    expect(sentTo('getBalance')).toEqual([traceparent, traceparent]);
    expect(recorded.map(([, attributes]) => attributes)).toEqual([
      { operation: 'getBalance', status: 429 },
      { operation: 'getBalance', status: 200 },
    ]);
    expect(recorded.every(([value]) => value > 0)).toBe(true);
  });

  it('sends no traceparent without an active span', async () => {
    const order = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Acme' };
    await service.payments.create(order);
    expect(sentTo('createPayment')).toEqual([undefined]);
  });
});
