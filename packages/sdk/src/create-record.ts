import type { Comparison } from './comparison.ts';
import type { PaymentTrace, ReturnedFields } from './errors.ts';
import type { Payment, SentField, SentFields } from './models.ts';
import { listPossibleAmounts, setBounded } from './money.ts';
import { canBeSame } from './reconcile/match.ts';

/** A create of a client: in flight, or with an unknown outcome. */
export interface OpenCreate {
  /** The random name of the create, which its error carries; undefined for a body and a time. */
  readonly createId: string | undefined;
  /** The idempotency key of its intent, for a create of a payer. */
  readonly intentKey?: string | undefined;
  readonly fields: SentFields;
  /** The time of its first request in milliseconds, by the clock of the client. */
  sentAt: number;
}

/** The create that has a payment: one that returned it, or one for which a search found it. */
interface Holder extends OpenCreate {
  readonly idempotencyKey?: string | undefined;
}

/** The payments and the open creates of a client, by which `reconcile` tells its creates apart. */
export interface CreateRecord {
  /** Returns the monotonic time at which the response to a create contained a payment id. */
  readonly getKnownSince: (id: string) => number | undefined;
  /** Records a payment id of a response to a create. The payment can be that of another create. */
  readonly addId: (id: string, now: number) => void;
  /** Returns whether the client returned a payment for a create with another key. */
  readonly isReturned: (id: string, idempotencyKey: string | undefined) => boolean;
  /** Records the payment of a create, and how it shows the fields. */
  readonly addPayment: (payment: Payment, holder: Holder, comparison: Comparison) => void;
  readonly addOpen: (create: OpenCreate) => void;
  readonly removeOpen: (create: OpenCreate) => void;
  readonly getReturnedFields: () => ReturnedFields;
  /** Returns the facts by which the error of a create is told from other creates. */
  readonly getFacts: (
    own: OpenCreate,
  ) => Required<Pick<PaymentTrace, 'exclude' | 'openCreates' | 'returnedFields'>>;
  /**
   * Returns the times of other open creates whose payments can look like the one of this create.
   *
   * @param carried The times in its error, for a create of another client.
   */
  readonly listTwins: (own: OpenCreate, carried: readonly number[]) => readonly number[];
  /** Returns those of the payments that other creates have. */
  readonly listHeld: (own: OpenCreate, ids: readonly string[]) => ReadonlySet<string>;
  /** Records the payment that a search found for a create. Returns false if another create has it. */
  readonly claim: (own: OpenCreate, id: string) => boolean;
  /** Closes the open creates of an intent that was decided. `id` is the payment, if it has one. */
  readonly closeIntent: (key: string, id: string | undefined) => void;
}

/** Maximum number of payments and of open creates by which a client tells its creates apart. */
const MAX_CREATES = 10_000;
/** Maximum number of payment ids in an error. */
const MAX_IDS = 1_000;

/** Creates the record of a client. */
export function createCreateRecord(): CreateRecord {
  const known = new Map<string, number>();
  const holders = new Map<string, Holder>();
  const open = new Set<OpenCreate>();
  const returned = new Map<SentField, 'exact' | 'changed'>();
  const isHeld = (own: OpenCreate, id: string): boolean => {
    const holder = holders.get(id);
    return holder !== undefined && !isSameCreate(holder, own);
  };
  const getReturnedFields = (): ReturnedFields => Object.fromEntries(returned);
  const listTwins: CreateRecord['listTwins'] = (own, carried) => {
    const twins = [...open].filter(
      (other) => !isSameCreate(other, own) && canBeSame(own.fields, other.fields),
    );
    const isKnown = [...open, ...holders.values()].some((one) => isSameCreate(one, own));
    return [...(isKnown ? [] : carried), ...twins.map(({ sentAt }) => sentAt)];
  };
  const claim: CreateRecord['claim'] = (own, id) => {
    if (isHeld(own, id)) return false;
    if (own.createId === undefined) return true;
    const { createId, fields, sentAt } = own;
    setBounded(holders, id, { createId, fields, sentAt }, MAX_CREATES);
    for (const create of open) if (create.createId === own.createId) open.delete(create);
    return true;
  };
  return {
    getKnownSince: (id) => known.get(id),
    addId: (id, now) => {
      if (!known.has(id)) setBounded(known, id, now);
    },
    isReturned: (id, idempotencyKey) => {
      const holder = holders.get(id);
      return holder !== undefined && (!idempotencyKey || holder.idempotencyKey !== idempotencyKey);
    },
    addPayment: ({ id }, holder, comparison) => {
      setBounded(holders, id, holder, MAX_CREATES);
      for (const field of Object.keys(comparison) as SentField[]) {
        if (holder.fields[field] === undefined) continue;
        if (comparison[field] !== 'same') returned.set(field, 'changed');
        else if (!returned.has(field)) returned.set(field, 'exact');
      }
    },
    addOpen: (create) => {
      open.add(create);
      const [oldest] = open;
      if (open.size > MAX_CREATES && oldest) open.delete(oldest);
    },
    removeOpen: (create) => void open.delete(create),
    getReturnedFields,
    getFacts: (own) => {
      const same = [...holders].filter(([, { fields }]) => hasEqualAmount(fields, own.fields));
      return {
        exclude: same.slice(-MAX_IDS).map(([id]) => id),
        openCreates: listTwins(own, []).map((at) => new Date(at).toISOString()),
        returnedFields: getReturnedFields(),
      };
    },
    listTwins,
    listHeld: (own, ids) => new Set(ids.filter((id) => isHeld(own, id))),
    claim,
    closeIntent: (key, id) => {
      for (const create of open) {
        if (create.intentKey !== key) continue;
        if (id !== undefined) claim(create, id);
        open.delete(create);
      }
    },
  };
}

/** Returns whether a create is the one of an error, or of a body and the exact time of its request. */
function isSameCreate(one: OpenCreate, { createId, sentAt }: OpenCreate): boolean {
  return createId === undefined ? one.sentAt === sentAt : one.createId === createId;
}

/** Returns whether a service can show the amounts of two creates alike. */
function hasEqualAmount(one: SentFields, other: SentFields): boolean {
  const [amounts, others] = [one, other].map(({ amount = '', from_currency = '' }) =>
    listPossibleAmounts(amount, from_currency),
  );
  return (
    one.from_currency === other.from_currency &&
    one.to_currency === other.to_currency &&
    Boolean(amounts?.some((amount) => others?.includes(amount)))
  );
}
