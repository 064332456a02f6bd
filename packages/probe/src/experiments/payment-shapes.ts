import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, unknown } from '../finding.ts';
import type { RawResponse } from '../raw-client.ts';
import type { KnownValues } from '../templates/known.ts';
import { addStatuses } from '../templates/states.ts';
import { evaluateShape, paymentFields } from './shapes.ts';

/** The experiment about the fields of payments. It runs after those that watch payments in all their statuses. */
export const paymentShapes: readonly Experiment[] = [
  { settings: ['paymentShape'], pays: true, run: probePaymentShape },
];

/** Compares payments in the responses to creates, and in the first read of each status. */
function probePaymentShape(context: ProbeContext): Promise<Finding[]> {
  const { creates, reads } = listPayments(context);
  const samples = [...creates, ...reads].map(({ response, known }) => ({ json: response.data, known }));
  if (samples.length === 0) return Promise.resolve([unknown('paymentShape', 'no payment was created')]);
  return Promise.resolve([evaluateShape('paymentShape', samples, paymentFields)]);
}

/** A response with a payment, and the values that the payment had then. */
interface PaymentResponse {
  readonly response: RawResponse;
  readonly known: KnownValues;
}

/** Returns the responses to creates, and the first read of each status of each payment. */
export function listPayments({ made, created, shown }: Pick<ProbeContext, 'made' | 'created' | 'shown'>): {
  readonly creates: readonly PaymentResponse[];
  readonly reads: readonly PaymentResponse[];
} {
  const knownOf = new Map([...created].map(([id, { known }]) => [id, known]));
  for (const { response, known } of made) knownOf.set(String(response.data.id), known);
  const creates = made.map(({ response, known }) => ({ response, known: addStatuses(known, []) }));
  const names = Object.keys(creates[0]?.known ?? {});
  const reads = shown.flatMap((read) => {
    const known = knownOf.get(read.id);
    const seen = shown.filter(({ id, at }) => id === read.id && at <= read.at);
    return known === undefined ? [] : [{ response: read.response, known: addStatuses(known, seen) }];
  });
  // Some values, such as a fee, are only known of payments that followed a quote.
  return { creates, reads: reads.filter(({ known }) => names.every((name) => name in known)) };
}
