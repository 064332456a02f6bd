import { hide } from '../errors/service-error.ts';
import type { Settings } from '../options/settings.ts';
import type { CallOptions } from '../transport/request.ts';
import type { Mode, Payment, PaymentInput } from '../values/models.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';

/** A lease that permits sending one create. */
export interface SendLease {
  readonly reference: string;
  /** The idempotency key of the reference. */
  readonly key: string;
  /** Returns whether the lease has ended. Nothing is sent after that. */
  readonly isExpired: () => boolean;
  /** Checks the mode of the API key before each request. */
  readonly checkMode: (mode: Mode) => void;
}

/** The operations of a client that `createPayer` uses. They contain no API key. */
export interface PaymentAccess {
  readonly settings: Pick<
    Settings,
    'baseUrl' | 'timeout' | 'keyRetention' | 'idempotencyKeys' | 'maxDecimals' | 'warn'
  >;
  /** The reads of a search for payments. */
  readonly search: Omit<ReconcileContext, 'others'>;
  /** Creates a payment under a lease. */
  readonly create: (input: PaymentInput, options: CallOptions, lease: SendLease) => Promise<Payment>;
  /** Returns the mode of the API key. */
  readonly getMode: () => Promise<Mode>;
}

/** The property of `payments` with these operations. Global, because `./intents` may be of another copy of the package than the client. */
const PAYMENT_ACCESS: unique symbol = Symbol.for('@service/sdk/payment-access');

/** Adds the operations to the payments of a client, as a property that is not enumerable. */
export function addPaymentAccess(payments: object, { settings, ...operations }: PaymentAccess): void {
  const { baseUrl, timeout, keyRetention, idempotencyKeys, maxDecimals, warn } = settings;
  const access: PaymentAccess = {
    ...operations,
    settings: { baseUrl, timeout, keyRetention, idempotencyKeys, maxDecimals, warn },
  };
  hide(payments, PAYMENT_ACCESS, access);
}

/** Returns the operations of the payments of a client, or undefined for any other value. */
export function findPaymentAccess(payments: unknown): PaymentAccess | undefined {
  return (payments as { readonly [PAYMENT_ACCESS]?: PaymentAccess } | null | undefined)?.[PAYMENT_ACCESS];
}
