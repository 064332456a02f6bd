/// <reference types="@cloudflare/workers-types" />
import type { Payout } from './payout.js';
import type { HandledEvent } from './webhook-store.js';

/** The bindings of `wrangler.jsonc` and the secrets of the worker. */
export interface Environment {
  readonly PAYOUTS: DurableObjectNamespace<Payout>;
  readonly HANDLED_EVENTS: DurableObjectNamespace<HandledEvent>;
  /** The worker that sends receipts. */
  readonly RECEIPTS: Fetcher;
  readonly SERVICE_BASE_URL: string;
  readonly SERVICE_API_KEY: string;
  readonly SERVICE_WEBHOOK_SECRET: string;
}
