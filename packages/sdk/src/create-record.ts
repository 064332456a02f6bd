import type { Comparison } from './comparison.ts';
import type { PaymentTrace, ReturnedFields } from './errors.ts';
import type { Payment, SentField, SentFields } from './models.ts';
import { normalizeDecimal, setBounded } from './money.ts';
import { canBeSame } from './reconcile/match.ts';

/** A create of a client: in flight, or with an unknown outcome. */
export interface OpenCreate {
  readonly fields: SentFields;
  /** The time of its first request in milliseconds, by the clock of the client. */
  sentAt: number;
  idempotencyKey: string | undefined;
}

/** The payments and the open creates of a client, by which `reconcile` tells its creates apart. */
export interface CreateRecord {
  /** Returns the monotonic time at which the response to a create contained a payment id. */
  readonly getKnownSince: (id: string) => number | undefined;
  /** Records a payment id of a response to a create. The payment can be that of another create. */
  readonly addId: (id: string, now: number) => void;
  /** Records the payment of a create, and how it shows the fields. */
  readonly addPayment: (fields: SentFields, payment: Payment, comparison: Comparison) => void;
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
}

/** Maximum number of payments and of open creates by which a client tells its creates apart. */
const MAX_CREATES = 10_000;
/** Maximum number of payment ids in an error. */
const MAX_IDS = 1_000;

/** Creates the record of a client. */
export function createCreateRecord(): CreateRecord {
  const known = new Map<string, number>();
  /** The kind of create of each payment, and the create for which a search found it. */
  const holders = new Map<string, { readonly kind: string; readonly found?: OpenCreate }>();
  const open = new Set<OpenCreate>();
  const returned = new Map<SentField, 'exact' | 'changed'>();
  const isHeld = (own: OpenCreate, id: string): boolean => {
    const holder = holders.get(id);
    return holder !== undefined && !(holder.found && isSameCreate(holder.found, own));
  };
  const getReturnedFields = (): ReturnedFields => Object.fromEntries(returned);
  const listTwins: CreateRecord['listTwins'] = (own, carried) => {
    const returnedFields = getReturnedFields();
    const twins = [...open].filter((other) =>
      canBeSame({ fields: own.fields, returnedFields }, { ...other, returnedFields }),
    );
    // Two creates of one moment without keys have the same name: only one of them is the own one.
    const at = twins.findIndex((create) => isSameCreate(create, own));
    const isOwn = at >= 0 || [...holders.values()].some(({ found }) => found && isSameCreate(found, own));
    const times = twins.filter((_, index) => index !== at).map(({ sentAt }) => sentAt);
    return isOwn ? times : [...carried, ...times];
  };
  return {
    getKnownSince: (id) => known.get(id),
    addId: (id, now) => {
      if (!known.has(id)) setBounded(known, id, now);
    },
    addPayment: (fields, { id }, comparison) => {
      setBounded(holders, id, { kind: toKind(fields) }, MAX_CREATES);
      for (const field of Object.keys(comparison) as SentField[]) {
        if (fields[field] === undefined) continue;
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
      const same = [...holders].filter(([, { kind }]) => kind === toKind(own.fields));
      return {
        exclude: same.slice(-MAX_IDS).map(([id]) => id),
        openCreates: listTwins(own, []).map((at) => new Date(at).toISOString()),
        returnedFields: getReturnedFields(),
      };
    },
    listTwins,
    listHeld: (own, ids) => new Set(ids.filter((id) => isHeld(own, id))),
    claim: (own, id) => {
      if (isHeld(own, id)) return false;
      setBounded(holders, id, { kind: toKind(own.fields), found: own }, MAX_CREATES);
      for (const create of open) if (isSameCreate(create, own)) open.delete(create);
      return true;
    },
  };
}

/** The fields by which an error carries the payments of other creates. */
function toKind({ from_currency, to_currency, amount = '' }: SentFields): string {
  return [from_currency, to_currency, normalizeDecimal(amount)].join(' ');
}

function toName({ fields, sentAt, idempotencyKey }: OpenCreate): string {
  return JSON.stringify([sentAt, idempotencyKey, toKind(fields), fields.purpose]);
}

/** Returns whether an open create is the one of an error, or of a body and a time, which have no key. */
function isSameCreate(create: OpenCreate, own: OpenCreate): boolean {
  const { idempotencyKey = create.idempotencyKey } = own;
  return toName(create) === toName({ ...own, idempotencyKey });
}
