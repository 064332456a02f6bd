import { type AttemptResult, type Delivery, recordAttempt, stopDelivery } from '../domain/delivery.ts';
import { writeEvent } from '../domain/event.ts';
import type { Instant } from '../domain/wire.ts';
import type { Books, Endpoint } from '../world/books.ts';
import type { Clock } from '../world/clock.ts';
import { deriveHex } from '../world/ids.ts';
import type { AddressPolicy } from './address.ts';
import { COLLECT, type Inboxes } from './inboxes.ts';
import type { Records } from './records.ts';
import type { Carrier, Letter, Send } from './send.ts';

/** Sets up attempts. */
export interface AttemptOptions {
  readonly clock: Clock;
  readonly send: Send;
  /** Takes what is sent to an address to it. */
  readonly carry: Carrier;
  readonly addresses: AddressPolicy;
}

/** Names what attempts read and write. */
interface AttemptParts extends AttemptOptions {
  readonly inboxes: Inboxes;
  readonly records: Records;
}

/** Tries a delivery once, now, and records what became of it. */
export type AttemptDelivery = (books: Books, id: string) => Promise<void>;

/** Creates the attempt of a delivery, at the endpoint and with the secret of its moment. */
export function createAttempt(parts: AttemptParts): AttemptDelivery {
  const { clock, records } = parts;
  return async (books, id) => {
    const { endpoint } = books;
    const delivery = books.deliveries.get(id);
    if (delivery === undefined || books.isRetired) return;
    if (endpoint === null) return records.change(books, id, stopDelivery);
    const at = clock.now();
    const result = await deliver(parts, books, { delivery, endpoint });
    records.change(books, id, (now) => recordAttempt(now, { at, url: endpoint.url, result }, books.profile));
  };
}

interface Job {
  readonly delivery: Delivery;
  readonly endpoint: Endpoint;
}

async function deliver(parts: AttemptParts, books: Books, job: Job): Promise<AttemptResult> {
  const { url } = job.endpoint;
  const { disturbed } = job.delivery;
  const isDropped = disturbed === 'drop' && isFirst(job.delivery);
  if (isDropped) return { outcome: 'failed', reason: 'dropped' };
  const letter = write(books, job, parts.clock.now());
  if (url === COLLECT) return parts.send(letter, parts.inboxes.carrierOf(books, job.delivery));
  if (!parts.addresses.allowsUrl(url, books.mode)) return { outcome: 'failed', reason: 'address' };
  return parts.send(letter, parts.carry);
}

/** Writes what an attempt says; what was disturbed on purpose is disturbed in the first one alone. */
function write(books: Books, { delivery, endpoint }: Job, now: Instant): Letter {
  const disturbed = isFirst(delivery) ? delivery.disturbed : null;
  const { url } = endpoint;
  const secret = disturbed === 'wrong_secret' ? deriveHex(books.source, 'wrong secret', 64) : endpoint.secret;
  const { ack } = books.profile;
  return { url, body: writeBody(books, delivery, now), secret, ack, isTampered: disturbed === 'tamper' };
}

/** Returns the body as it was queued; a profile can have each repetition say when it is sent. */
function writeBody(books: Books, delivery: Delivery, now: Instant): string {
  const payment = books.payments.get(delivery.payment_id);
  const isRenewed = books.profile.redelivery === 'newCreatedAt' && !isFirst(delivery);
  if (!isRenewed || payment === undefined) return delivery.body;
  return writeEvent(payment, { ...delivery, at: now }, books.profile);
}

function isFirst({ attempts }: Delivery): boolean {
  return attempts.length === 0;
}
