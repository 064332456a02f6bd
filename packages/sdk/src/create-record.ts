import { type Comparison, canBeSame, hasEqualAmount } from './comparison.ts';
import type { PaymentTrace, ReturnedFields } from './errors.ts';
import type { SentField, SentFields } from './models.ts';

/** A create that has a payment, or whose payment is searched. */
interface Create {
  /** The random name that its error carries; undefined without an error, and for a body and a time. */
  readonly createId?: string | undefined;
  readonly fields: SentFields;
  /** The time of its first request in milliseconds, by the clock of the client. Undefined while it is in flight. */
  readonly sentAt: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** A create in flight, or with an unknown outcome. */
export interface OpenCreate extends Create {
  createId: string | undefined;
  sentAt: number | undefined;
  /** The idempotency key of its intent, for a create of a payer. */
  readonly intentKey: string | undefined;
}

/** Removes the oldest entries until some are left. One at a time, each would search the removed ones. */
export function dropOldest<T>(entries: Map<T, unknown> | Set<T>, left: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= left) return;
    entries.delete(key);
  }
}

/** Number of payment ids that a client remembers at least. */
const MIN_KNOWN = 1_000;

/** Number of payments and of open creates by which a client tells its creates apart, at least. */
const MIN_CREATES = 10_000;

/** The payments and the open creates of a client, by which `reconcile` tells its creates apart. */
export class CreateRecord {
  /** The creates in flight, and those with an unknown outcome. */
  readonly open: Set<OpenCreate> = new Set();
  /** The create that has a payment: it returned it, or a search found it. */
  readonly #holders = new Map<string, Create>();
  /** The monotonic time at which the response to a create contained a payment id, also one of another create. */
  readonly #known = new Map<string, number>();
  readonly #returned = new Map<SentField, 'exact' | 'changed'>();

  /** Returns the time at which a response to a create of the client contained a payment id. */
  getKnownSince(id: string): number | undefined {
    return this.#known.get(id);
  }

  /** Records a payment id in the response to a create. The payment can be that of another create. */
  addId(id: string, now: number): void {
    if (this.#known.has(id)) return;
    this.#known.set(id, now);
    if (this.#known.size > 2 * MIN_KNOWN) dropOldest(this.#known, MIN_KNOWN);
  }

  /** Returns whether the client returned a payment for a create with another key. */
  isReturned(id: string, idempotencyKey: string | undefined): boolean {
    const holder = this.#holders.get(id);
    return holder !== undefined && (!idempotencyKey || holder.idempotencyKey !== idempotencyKey);
  }

  /** Records the payment of a create, and how it shows the fields. */
  addPayment(id: string, now: number, create: Create, comparison: Comparison): void {
    this.addId(id, now);
    this.#hold(id, create);
    for (const field of Object.keys(create.fields) as SentField[])
      if (comparison[field] !== 'same') this.#returned.set(field, 'changed');
      else if (!this.#returned.has(field)) this.#returned.set(field, 'exact');
  }

  /** Keeps a create with an unknown outcome among the open ones. */
  keepOpen(create: OpenCreate): void {
    this.open.add(create);
    if (this.open.size > 2 * MIN_CREATES) dropOldest(this.open, MIN_CREATES);
  }

  /** Returns how the service returned the fields of all creates. */
  getReturnedFields(): ReturnedFields {
    return Object.fromEntries(this.#returned);
  }

  /** Returns the facts by which the error of a create is told from other creates. */
  getFacts(own: Create): Required<Pick<PaymentTrace, 'exclude' | 'openCreates' | 'returnedFields'>> {
    const same = [...this.#holders].filter(([, { fields }]) => hasEqualAmount(fields, own.fields));
    return {
      exclude: same.slice(-MIN_KNOWN).map(([id]) => id),
      openCreates: this.listTwins(own, []).map((at) => new Date(at).toISOString()),
      returnedFields: this.getReturnedFields(),
    };
  }

  /**
   * Returns the times of other open creates whose payments can look like the one of this create. A create in flight, which
   * has no time yet, counts with the time of this one.
   *
   * @param carried The times in its error, for a create of another client.
   */
  listTwins(own: Create, carried: readonly number[]): readonly number[] {
    const isOther = (one: Create): boolean => !isSameCreate(one, own);
    const twins = [...this.open].filter((one) => isOther(one) && canBeSame(own.fields, one.fields));
    const isOfOther = [...this.open, ...this.#holders.values()].every(isOther);
    return [...(isOfOther ? carried : []), ...twins.map(({ sentAt = own.sentAt ?? 0 }) => sentAt)];
  }

  /** Returns whether another create has a payment. */
  isHeld(own: Create, id: string): boolean {
    const holder = this.#holders.get(id);
    return holder !== undefined && !isSameCreate(holder, own);
  }

  /** Records the payment that a search found for a create. Returns false if another create has it. */
  claim(own: Create, id: string): boolean {
    if (this.isHeld(own, id)) return false;
    const { createId, fields, sentAt } = own;
    if (createId === undefined) return true;
    this.#hold(id, { createId, fields, sentAt });
    for (const create of this.open) if (create.createId === createId) this.open.delete(create);
    return true;
  }

  /** Closes the open creates of an intent that was decided. `id` is the payment, if it has one. */
  closeIntent(key: string, id: string | undefined): void {
    for (const create of this.open) {
      if (create.intentKey !== key) continue;
      if (id !== undefined) this.claim(create, id);
      this.open.delete(create);
    }
  }

  #hold(id: string, create: Create): void {
    this.#holders.set(id, create);
    if (this.#holders.size > 2 * MIN_CREATES) dropOldest(this.#holders, MIN_CREATES);
  }
}

/** Returns whether a create is the one of an error, or of a body and the exact time of its request. */
function isSameCreate(one: Create, { createId, sentAt }: Create): boolean {
  return createId === undefined ? one.sentAt === sentAt : one.createId === createId;
}
