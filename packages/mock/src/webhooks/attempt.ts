import { type AttemptResult, type Delivery, recordAttempt, stopDelivery } from '../domain/delivery.ts';
import { writeEvent } from '../domain/payment.ts';
import type { Instant } from '../domain/json.ts';
import type { AccountState, Endpoint } from '../state/account-state.ts';
import type { Clock } from '../state/clock.ts';
import { deriveHex } from '../state/ids.ts';
import type { AddressPolicy } from './address.ts';
import { COLLECT, type InProcessEndpoints } from './in-process-endpoint.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { WebhookSender, OutgoingWebhook, Send } from './send.ts';

/** The clock, sender and address policy of delivery attempts. */
export interface AttemptOptions {
  readonly clock: Clock;
  readonly send: Send;
  /** Sends webhooks to URLs. */
  readonly sender: WebhookSender;
  readonly addresses: AddressPolicy;
}

/** The parts of the sandbox that an attempt uses. */
interface AttemptParts extends AttemptOptions {
  readonly inProcessEndpoints: InProcessEndpoints;
  readonly store: DeliveryStore;
}

/** Attempts a delivery and records the result. */
export type AttemptDelivery = (accountState: AccountState, id: string) => Promise<void>;

/** Creates the function that attempts a delivery. It uses the current endpoint and secret. */
export function createAttempt(parts: AttemptParts): AttemptDelivery {
  const { clock, store } = parts;
  return async (accountState, id) => {
    const { endpoint } = accountState;
    const delivery = accountState.deliveries.get(id);
    if (delivery === undefined || accountState.isReplaced) return;
    if (endpoint === null) return store.change(accountState, id, stopDelivery);
    const at = clock.now();
    const result = await sendAttempt(parts, accountState, { delivery, endpoint });
    store.change(accountState, id, (now) =>
      recordAttempt(now, { at, url: endpoint.url, result }, accountState.profile),
    );
  };
}

interface Job {
  readonly delivery: Delivery;
  readonly endpoint: Endpoint;
}

async function sendAttempt(
  parts: AttemptParts,
  accountState: AccountState,
  job: Job,
): Promise<AttemptResult> {
  const { url } = job.endpoint;
  const { fault } = job.delivery;
  const isDropped = fault === 'drop' && isFirst(job.delivery);
  if (isDropped) return { outcome: 'failed', reason: 'dropped' };
  const webhook = toOutgoingWebhook(accountState, job, parts.clock.now());
  if (url === COLLECT)
    return parts.send(webhook, parts.inProcessEndpoints.senderOf(accountState, job.delivery));
  if (!parts.addresses.allowsUrl(url, accountState.mode)) return { outcome: 'failed', reason: 'address' };
  return parts.send(webhook, parts.sender);
}

/** Creates the webhook of an attempt. An injected fault affects only the first one. */
function toOutgoingWebhook(
  accountState: AccountState,
  { delivery, endpoint }: Job,
  now: Instant,
): OutgoingWebhook {
  const fault = isFirst(delivery) ? delivery.fault : null;
  const { url } = endpoint;
  const secret =
    fault === 'wrong_secret' ? deriveHex(accountState.source, 'wrong secret', 64) : endpoint.secret;
  const { ack } = accountState.profile;
  return {
    url,
    body: writeBody(accountState, delivery, now),
    secret,
    ack,
    isTampered: fault === 'tamper',
  };
}

/** Returns the queued body. The profile can renew `created_at` for later attempts. */
function writeBody(accountState: AccountState, delivery: Delivery, now: Instant): string {
  const payment = accountState.payments.get(delivery.payment_id);
  const isRenewed = accountState.profile.redelivery === 'newCreatedAt' && !isFirst(delivery);
  if (!isRenewed || payment === undefined) return delivery.body;
  return writeEvent(payment, { ...delivery, at: now }, accountState.profile);
}

function isFirst({ attempts }: Delivery): boolean {
  return attempts.length === 0;
}
