import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver, type PaymentEvent, type ReceiverOptions } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ServiceOptions } from './fastify/service.ts';
import { openService, type OpenedService, order } from './support.ts';

const SECRET = 'whsec_0123456789abcdef';
const pollOptions = { timeout: 30_000, interval: 20 };

interface OpenedReceiver extends OpenedService {
  /** `status id` of every event that the handler finished. */
  readonly handled: string[];
  readonly codes: string[];
  /** The status of every response of the receiver. */
  readonly statuses: number[];
}

/** Starts a receiver on a real socket and a service that sends to it. */
async function openReceiver(
  options: Partial<ServiceOptions> & { secret?: string; onEvent?: (event: PaymentEvent) => unknown },
): Promise<OpenedReceiver> {
  const { secret = SECRET, onEvent, ...serviceOptions } = options;
  const [handled, codes, statuses]: [string[], string[], number[]] = [[], [], []];
  const handle = async (event: PaymentEvent): Promise<void> => {
    await onEvent?.(event);
    handled.push(`${event.data.status} ${event.data.id}`);
  };
  const settings: ReceiverOptions = {
    secrets: SECRET,
    mode: 'test',
    on: { 'payment.processing': handle, 'payment.completed': handle, 'payment.failed': handle },
    fallback: (event) => expect.fail(`${event.event} has a handler`),
    onError: (error) => void codes.push(error.code),
  };
  const url = await listen((request, response) => {
    response.once('finish', () => statuses.push(response.statusCode));
    void toNode(createdReceiver)(request, response);
  });
  const createdReceiver = createReceiver(settings);
  const opened = await openService({ retryDelays: [50, 100], webhook: { url, secret }, ...serviceOptions });
  return { ...opened, handled, codes, statuses };
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Waits until the outbox has no delivery left. */
async function waitForDeliveries({ service }: OpenedReceiver, payments: number): Promise<void> {
  await vi.waitFor(() => {
    const { outbox } = service.ledger;
    expect(outbox).toHaveLength(2 * payments);
    expect(outbox.every((row) => row.isDone)).toBe(true);
  }, pollOptions);
}

async function payAll({ client }: OpenedReceiver, count: number): Promise<string[]> {
  const payments = await Promise.all(Array.from({ length: count }, () => client.payments.create(order)));
  return payments.flatMap(({ id }) => [`processing ${id}`, `completed ${id}`]).toSorted();
}

describe('a receiver of the webhooks of a Fastify service', () => {
  it('handles each status of each payment once although every webhook is sent twice', async () => {
    const receiver = await openReceiver({ duplicates: true });
    const expected = await payAll(receiver, 10);
    await waitForDeliveries(receiver, 10);
    expect(receiver.handled.toSorted()).toEqual(expected);
    expect(receiver.statuses).toEqual(Array.from({ length: 40 }, () => 200));
    expect(receiver.codes).toEqual([]);
  });

  it('handles a webhook that is retried after its handler failed', async () => {
    let failures = 0;
    const onEvent = (): void => {
      if (failures < 3 && (failures += 1)) throw new Error('The database is unavailable.');
    };
    const receiver = await openReceiver({ onEvent });
    const expected = await payAll(receiver, 4);
    await waitForDeliveries(receiver, 4);
    expect(receiver.handled.toSorted()).toEqual(expected);
    expect(receiver.statuses.filter((status) => status === 500)).toHaveLength(3);
    expect(receiver.codes).toEqual(['handler_failed', 'handler_failed', 'handler_failed']);
  });

  it('responds with 401 and handles nothing if the secret differs', async () => {
    const receiver = await openReceiver({ secret: 'whsec_ffffffffffffffff' });
    await payAll(receiver, 1);
    await waitForDeliveries(receiver, 1);
    expect(receiver.handled).toEqual([]);
    expect(receiver.statuses).toEqual([401, 401, 401, 401, 401, 401]);
    expect(new Set(receiver.codes)).toEqual(new Set(['signature_mismatch']));
  });
});
