import {
  type Client,
  type ClientOptions,
  createClient,
  createDuplicateGuard,
  createMemoryStore,
  PaymentOutcomeUnknownError,
  type Reconciliation,
} from '@service/sdk';
import { expect, onTestFinished, vi } from 'vitest';
import type { PaymentRow } from './fastify/ledger.ts';
import { lastStatus } from './fastify/ledger.ts';
import { type Service, type ServiceOptions, startService } from './fastify/service.ts';

export const CREATE = 'POST /api/v1/payments';
const DAY = 86_400_000;
export const RETRIEVE = 'GET /api/v1/payments/:id';

/** The list styles of the service. They also differ in ids and amounts. */
export const styles = ['drf', 'fastapi'] as const;

export const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_account: 'DE89370400440532013012',
  purpose: 'INV-42',
};

export interface OpenedService {
  readonly service: Service;
  readonly client: Client;
  /** A client with a duplicate guard. */
  readonly guarded: Client;
  /** The environment variables of the command line for the service. */
  readonly env: Record<string, string>;
  readonly connect: (options?: ClientOptions) => Client;
}

/** Starts the service with a balance of 100 000 USD since yesterday, 60 ms of read lag, and payments final after 40 ms. */
export async function openService(options: ServiceOptions = {}): Promise<OpenedService> {
  const service = await startService({ readLag: 60, steps: [10, 30], ...options });
  onTestFinished(() => service.stop());
  service.ledger.topUp('USD', 100_000_00, Date.now() - DAY);
  const { apiKey, baseUrl } = service;
  const connect = (changes?: ClientOptions): Client => createClient({ apiKey, baseUrl, ...changes });
  const guarded = connect({ duplicateGuard: createDuplicateGuard(createMemoryStore()), readLag: 500 });
  return {
    service,
    client: connect(),
    guarded,
    connect,
    env: { SERVICE_API_KEY: apiKey, SERVICE_BASE_URL: baseUrl },
  };
}

/** Waits until every payment is final and every write is visible to reads. */
export async function waitUntilVisible({ ledger, readLag }: Service): Promise<void> {
  await vi.waitFor(
    () => {
      const { payments, entries, options } = ledger;
      expect(payments.map(lastStatus)).not.toContain('pending');
      expect(payments.map(lastStatus)).not.toContain('processing');
      const writes = [...entries, ...payments.flatMap((row) => row.history)].map((row) => row.at);
      expect(Math.max(...writes)).toBeLessThan(options.now() - readLag);
    },
    { timeout: 30_000, interval: 10 },
  );
}

/** Creates a payment whose response is lost. */
export async function loseCreate(
  client: Client,
  ...args: Parameters<Client['payments']['create']>
): Promise<PaymentOutcomeUnknownError> {
  const error: unknown = await client.payments.create(...args).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
  return error as PaymentOutcomeUnknownError;
}

/** Returns the payments to a beneficiary from the tables of the service. */
export function paymentsTo({ ledger }: Service, name: string): PaymentRow[] {
  return ledger.payments.filter((row) => row.beneficiary.name === name);
}

/** Returns how a result of reconcile contradicts the service. `own` is the visible payment of the lost create. */
export function findWrongResult(result: Reconciliation, own: PaymentRow | undefined): string | undefined {
  if (result.result === 'found') return result.payment.id === own?.id ? undefined : 'found another payment';
  if (result.result === 'not_found_yet') return own ? 'did not find a visible payment' : undefined;
  if (result.result === 'cannot_tell' || !own) return undefined;
  return result.payments.some(({ id }) => id === own.id)
    ? undefined
    : 'omitted the payment from the candidates';
}
