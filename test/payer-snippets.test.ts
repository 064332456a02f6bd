// Runs the examples of the guide on operating payment runs.
import {
  type BatchObservableCallback,
  createNoopMeter,
  metrics,
  type Observable,
  type ObservableGauge,
} from '@opentelemetry/api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMock } from '@service/mock';
import { createClient } from '@service/sdk';
import { createPayer, memoryStore } from '@service/sdk/payer';
import { reportIntents } from '../examples/snippets/src/payer-metrics.ts';

/** Collects the values of all gauges: the part of a meter provider that the example uses. */
function createCollector() {
  const callbacks: BatchObservableCallback[] = [];
  const names = new Map<Observable, string>();
  const meter = {
    ...createNoopMeter(),
    createObservableGauge: (name: string) => {
      const gauge: ObservableGauge = { addCallback: () => {}, removeCallback: () => {} };
      names.set(gauge, name);
      return gauge;
    },
    addBatchObservableCallback: (callback: BatchObservableCallback) => void callbacks.push(callback),
  };
  const collect = async (): Promise<Record<string, number>> => {
    const values: Record<string, number> = {};
    for (const callback of callbacks)
      await callback({
        observe: (gauge, value) => {
          values[String(names.get(gauge))] = value;
        },
      });
    return values;
  };
  return { provider: { getMeter: () => meter }, collect };
}

const bodyOf = (index: number) => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '10.00',
  beneficiary_name: `Supplier ${index}`,
});

describe('the examples of the guide on operating payment runs', () => {
  afterEach(() => {
    metrics.disable();
    vi.useRealTimers();
  });

  it('report the conflicts, and the age of the oldest unknown intent', async () => {
    await using mock = createMock();
    const client = createClient({
      apiKey: mock.account.testKey,
      baseUrl: mock.baseUrl,
      fetch: mock.fetch,
      maxRetries: 0,
    });
    const store = memoryStore();
    const payer = createPayer(client, { store });
    const { provider, collect } = createCollector();
    metrics.setGlobalMeterProvider(provider);
    reportIntents(store);
    await payer.plan('a', bodyOf(0));
    expect(await collect()).toEqual({
      'payments.intents.conflicts': 0,
      'payments.intents.unresolved.age': 0,
    });
    mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'reset_before_commit' });
    await payer.plan('b', bodyOf(1));
    for await (const _ of payer.run());
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });
    const values = await collect();
    expect(values['payments.intents.unresolved.age']).toBeGreaterThan(3_599);
    expect(values['payments.intents.unresolved.age']).toBeLessThan(3_700);
  });
});
