import { isRecord, type JsonObject, toMicro, toRecord } from '@service/internal';
import type { RawResponse } from '../client.ts';
import {
  type DefaultForms,
  type Known,
  type KnownValues,
  readTimestamp,
  readTimestampForm,
} from './known.ts';

/** The optional details of a payment, without values. */
export const emptyDetails = {
  beneficiary_bank: null,
  beneficiary_account: null,
  beneficiary_country: null,
  purpose: null,
};

/** Returns the known values of a quote: the documented fields explain the others. */
export function readQuote(data: JsonObject): KnownValues {
  const amounts = ['send_amount', 'fee', 'rate', 'receive_amount'].flatMap((name) =>
    amountOf(name, data[name]),
  );
  const [send = 0n, fee = 0n] = [toMicro(data.send_amount), toMicro(data.fee)];
  const [rate = 0n, received = 0n] = [toMicro(data.rate), toMicro(data.receive_amount)];
  const distanceOf = (sent: bigint): bigint => {
    const difference = sent * rate - received * 1_000_000n;
    return difference < 0n ? -difference : difference;
  };
  // A fee inside of the sent amount lowers the received one.
  const isInside = distanceOf(send - fee) < distanceOf(send);
  return {
    from_currency: textOf(data.from_currency),
    to_currency: textOf(data.to_currency),
    ...(Object.fromEntries(amounts) as KnownValues),
    // Without a fee on top, the debit is the sent amount.
    ...(!isInside && { debit: { kind: 'amount', micro: send + fee } as const }),
  };
}

/** Returns the known values of a payment: of its request, its quote and the documented fields of the response. */
export function readPayment(
  data: JsonObject,
  request: Readonly<Record<string, unknown>>,
  quote: JsonObject,
): KnownValues {
  const created = readTimestamp(data.created_at) ?? 0;
  const { name } = toRecord(data.beneficiary);
  return {
    ...readQuote({ ...quote, ...pickAmounts(data) }),
    id: textOf(data.id),
    status: textOf(data.status),
    mode: textOf('test'),
    beneficiary_name: textOf(name),
    beneficiary_bank: textOf(request.beneficiary_bank),
    beneficiary_account: textOf(request.beneficiary_account),
    beneficiary_country: textOf(request.beneficiary_country),
    purpose: textOf(request.purpose),
    created_at: { kind: 'time', at: created },
    updated_at: { kind: 'time', at: created },
  };
}

/** Returns the fields of a payment without those that a service writes as objects, such as a fee. */
function pickAmounts(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => !isRecord(value)));
}

export function textOf(value: unknown): { readonly kind: 'text'; readonly text: string | null } {
  return { kind: 'text', text: typeof value === 'string' ? value : null };
}

function amountOf(name: string, value: unknown): [string, { kind: 'amount'; micro: bigint }][] {
  const micro = toMicro(value);
  return micro === undefined ? [] : [[name, { kind: 'amount', micro }]];
}

/** Reads the forms of a response whose values have no words. */
export function formsOf(json: unknown): DefaultForms {
  const { send_amount, created_at } = toRecord(json);
  return {
    numbers: typeof send_amount === 'string' ? 'string' : 'number',
    timestamps: readTimestampForm(created_at),
  };
}

/** Returns the fields of a response beside the documented ones. */
export function listBeside(body: unknown): JsonObject {
  const { success: _, mode: __, data: ___, ...others } = toRecord(body);
  return others;
}

const ID_HEADER = /^(?:x-)?(?:request|correlation|trace|amzn-trace)-?id$/;

/** Returns the values of a response itself: its id, if it has one in a header, its time, and its request. */
export function readResponse({ headers, text, request }: RawResponse): KnownValues {
  const ids = [...headers].filter(([name]) => ID_HEADER.test(name)).map(([, id]) => id);
  const id = ids.find((each) => text.includes(each)) ?? ids[0];
  const date = Date.parse(headers.get('date') ?? '');
  // A date is up to one second before the response.
  const at = Number.isNaN(date) ? request?.at : date + 500;
  return {
    ...(id !== undefined && { request_id: textOf(id) }),
    ...(at !== undefined && { now: { kind: 'time', at } as const }),
    ...(request !== undefined && {
      method: textOf(request.method),
      path: textOf(request.path),
      target: textOf(request.target),
    }),
  };
}

/** The forms of random ids of responses. */
export const responseKey = { name: 'request_id' } as const;

/** The random ids of payments, such as references of a bank, in payments and in their rows. */
export const paymentKey = { name: 'id', hasForm: true } as const;
export const rowKey = { name: 'payment_id', hasForm: true } as const;

/** A status of a payment, and the time after its create at which it was first seen, in milliseconds. */
export interface SeenStatus {
  readonly status: string;
  readonly after: number;
}

/** Adds the values of a payment that follow from its statuses after the create, in their order. Times are those of the service. */
export function addStatuses(known: KnownValues, seen: readonly SeenStatus[]): KnownValues {
  const created = known.created_at?.kind === 'time' ? known.created_at.at : 0;
  const first = known.status?.kind === 'text' ? known.status.text : null;
  const later = seen.filter(({ status }) => status !== first);
  const times = new Map<string | null, number>([
    [first, created],
    ...later.map(({ status, after }) => [status, created + after] as const),
  ]);
  const timeOf = (name: string): Known => {
    const at = times.get(name);
    return at === undefined ? textOf(null) : { kind: 'time', at };
  };
  const [last = first, previous = null] = [...times.keys()].toReversed();
  return {
    ...known,
    status: textOf(last),
    previous_status: textOf(previous),
    updated_at: { kind: 'time', at: times.get(last) ?? created },
    processing_at: timeOf('processing'),
    completed_at: timeOf('completed'),
    failed_at: timeOf('failed'),
  };
}
