import { createHash, timingSafeEqual } from 'node:crypto';
import { Ledger } from './ledger.ts';
import type { Payment } from './payment.ts';
import { sourceCurrencies } from './pricing.ts';

export type Mode = 'test' | 'live';

interface IdempotencyRecord {
  /** Request with normalized values. */
  readonly request: string;
  readonly payment: Payment;
}

/** An account in one mode: its wallets, payments and idempotency keys. */
export interface Tenant {
  readonly mode: Mode;
  readonly apiKey: string;
  /** Webhook endpoint, if the account has one. */
  readonly webhookUrl: string | undefined;
  readonly ledger: Ledger;
  readonly payments: Map<string, Payment>;
  readonly idempotency: Map<string, IdempotencyRecord>;
}

interface TenantOptions extends Pick<Tenant, 'mode' | 'apiKey' | 'webhookUrl'> {
  /** Opening balances of the source currencies, in hundredths. */
  readonly funds: Readonly<Record<string, bigint>>;
  readonly now: () => number;
  readonly nextUlid: (time: number) => string;
}

export function createTenant({ funds, now, nextUlid, ...tenant }: TenantOptions): Tenant {
  const ledger = new Ledger({ now, nextUlid });
  for (const currency of sourceCurrencies) ledger.deposit(currency, funds[currency] ?? 0n);
  return { ...tenant, ledger, payments: new Map(), idempotency: new Map() };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export function findTenant(tenants: readonly Tenant[], key: string): Tenant | undefined {
  return tenants.find(({ apiKey }) => timingSafeEqual(digest(apiKey), digest(key)));
}
