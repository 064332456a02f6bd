import type { IdForms, JsonObject } from '@service/internal';
import { evaluateAbsent, evaluateTimestamp } from '../../experiments/create-response.ts';
import { evaluateNumbers } from '../../experiments/requests.ts';
import { evaluateBalances } from '../../experiments/balance-shape.ts';
import { evaluateShape, paymentFields, quoteFields } from '../../experiments/shapes.ts';
import { type Finding, found, other } from '../../finding.ts';
import { learnHeaders } from '../../templates/headers.ts';
import { learnIdForm } from '../../templates/ids.ts';
import { readQuote } from '../../templates/values.ts';
import type { Traffic } from './traffic.ts';

/** Number of responses from which a template tells constant values from others. */
const MIN_SAMPLES = 2;

/** Learns the statuses, the fields and the headers of successful responses. */
export function learnResponses(traffic: Traffic): Finding[] {
  const { payments, quotes, balances } = traffic;
  const created = payments.map(({ create }) => create);
  return [
    ...evaluateStatus('createStatus', {
      operation: 'POST /payments',
      seen: created.map((call) => call.response.status),
      values: [200, 201, 202],
    }),
    ...evaluateStatus('quoteStatus', {
      operation: 'POST /quotes',
      seen: quotes.map(({ response }) => response.status),
      values: [200, 201],
    }),
    ...learnNumbers(quotes.map(({ response }) => response.data)),
    ...(created[0] ? [evaluateTimestamp(created[0].response.data.created_at)] : []),
    ...learnAbsent(traffic),
    ...(quotes.length < MIN_SAMPLES
      ? []
      : [
          evaluateShape(
            'quoteShape',
            quotes.map(({ response: { data } }) => ({ json: data, known: readQuote(data) })),
            quoteFields,
          ),
        ]),
    ...(balances.length > 0 ? [evaluateBalances(balances.map(({ response }) => response))] : []),
    ...learnPayments(traffic),
    ...learnResponseHeaders(traffic),
  ];
}

interface SeenStatuses {
  readonly operation: string;
  readonly seen: readonly number[];
  readonly values: readonly number[];
}

function evaluateStatus(
  setting: 'createStatus' | 'quoteStatus',
  { operation, seen, values }: SeenStatuses,
): Finding[] {
  const [status, ...more] = new Set(seen);
  if (status === undefined) return [];
  const evidence = `${operation}: ${[status, ...more].join(', ')} (${seen.length} responses)`;
  const isKnown = more.length === 0 && values.includes(status);
  return [isKnown ? found(setting, status as 200 | 201, evidence) : other(setting, evidence)];
}

/** Learns the form of numbers. Numbers without a tail do not prove that none has one. */
function learnNumbers(quotes: readonly JsonObject[]): Finding[] {
  if (quotes.length === 0) return [];
  const finding = evaluateNumbers(quotes);
  return finding.state === 'found' && finding.value === 'number' ? [] : [finding];
}

/** Learns the form of absent texts from a payment without optional ones. */
function learnAbsent({ payments }: Traffic): Finding[] {
  const plain = payments.find(({ create: { sent } }) =>
    ['purpose', 'beneficiary_bank', 'beneficiary_account', 'beneficiary_country'].every(
      (name) => sent[name] === undefined,
    ),
  );
  return plain ? [evaluateAbsent(plain.create.response.data)] : [];
}

function learnPayments({ payments }: Traffic): Finding[] {
  if (payments.length < MIN_SAMPLES) return [];
  const samples = payments.map(({ create, known }) => ({ json: create.response.data, known }));
  const ids = payments.map(({ id }) => id);
  const form = learnIdForm(ids, 'pay_test_');
  const value: IdForms = form === undefined ? {} : { payment: `pay_{mode}_${form}` };
  return [
    evaluateShape('paymentShape', samples, paymentFields),
    ...(form === undefined ? [] : [found('ids', value, `payment ids such as ${ids[0]}`)]),
  ];
}

/** Number of operations from which a header of all of them counts as one of every response. */
const MIN_OPERATIONS = 3;

/** Learns the headers of every successful response. Empty if the traffic has too few operations to tell. */
export function learnCommonHeaders(traffic: Traffic): Record<string, string | null> {
  const { payments, quotes, balances, pages, reads } = traffic;
  const others = [quotes, balances, pages, reads].filter((calls) => calls.length > 0);
  if (payments.length < MIN_SAMPLES || others.length + 1 < MIN_OPERATIONS) return {};
  const calls = [...payments.map(({ create }) => create), ...others.flat()];
  const inOrder = calls.toSorted((one, two) => one.start - two.start);
  return learnHeaders(inOrder.map(({ response: { headers } }) => ({ headers, known: {} })));
}

function learnResponseHeaders(traffic: Traffic): Finding[] {
  const { payments } = traffic;
  if (payments.length < MIN_SAMPLES) return [];
  const all = learnCommonHeaders(traffic);
  const create = learnHeaders(
    payments.map(({ create: { response }, known }) => ({ headers: response.headers, known })),
  );
  // A header of every response that too few operations show would count as one of the create.
  const own = Object.fromEntries(
    Object.entries(create).filter(([name]) => !(name in all) && isOwn(name, traffic)),
  );
  const value = {
    ...(Object.keys(all).length > 0 && { all }),
    ...(Object.keys(own).length > 0 && { createPayment: own }),
  };
  const names = Object.keys({ ...all, ...own });
  return [found('headers', value, names.length === 0 ? 'no other headers' : `headers: ${names.join(', ')}`)];
}

/** Returns whether another operation is without a header. */
function isOwn(name: string, { quotes, balances, pages, reads }: Traffic): boolean {
  return [quotes, balances, pages, reads].flat().some(({ response }) => !response.headers.has(name));
}
