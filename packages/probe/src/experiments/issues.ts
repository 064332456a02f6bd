import type { IssueKind, JsonObject } from '@service/internal';
import { isSameRefusal } from '../balances.ts';
import type { ProbeContext } from '../context.ts';
import { isRefusal, type RawRequest, type RawResponse } from '../raw-client.ts';

/** The response to a request with one problem. */
export interface RefusedField extends Problem {
  readonly response: RawResponse;
}

/** A request with one problem. */
interface Problem {
  readonly kind: IssueKind;
  /** The name of the invalid field; `''` for the whole body. */
  readonly field: string;
  readonly path: string;
  /** The value of the field; undefined for an absent field. */
  readonly value: unknown;
  /** The body of the request, or its query. */
  readonly body: unknown;
  readonly request?: RawRequest;
}

const LONGEST = 10_001;

/** Payments that a service refuses for lack of funds. */
export interface LackingPayments {
  readonly amount: number;
  readonly refusals: readonly RawResponse[];
}

/**
 * Sends requests with one problem each. Returns the refusals, except those of payments whose text the service accepts, which
 * are like `lacking`, and those of a page that does not exist.
 */
export async function refuseFields(
  context: ProbeContext,
  lacking: LackingPayments | undefined,
): Promise<readonly RefusedField[]> {
  const problems = [...listQuotes(context), ...(lacking ? listPayments(context, lacking) : []), ...lists];
  const refused: RefusedField[] = [];
  for (const problem of problems) {
    const response = await context.send(problem.path, problem.request);
    const isLacking = isSameRefusal(response, lacking?.refusals ?? []);
    const isUnknown = problem.kind === 'page' && response.status === 404;
    if (isRefusal(response) && !isLacking && !isUnknown) refused.push({ ...problem, response });
  }
  return refused;
}

function listQuotes({ plan }: ProbeContext): Problem[] {
  const { from: from_currency, to: to_currency } = plan;
  const order = { from_currency, to_currency, amount: Number(plan.amount) };
  const changed = (kind: IssueKind, field: string, value: unknown): Problem =>
    toProblem(kind, { path: '/quotes', field, value, order });
  return [
    changed('missing', 'to_currency', undefined),
    changed('amount_missing', 'amount', undefined),
    changed('unknown_field', 'no_such_field', 1),
    changed('currency_null', 'to_currency', null),
    changed('currency_type', 'to_currency', 5),
    changed('currency_form', 'to_currency', 'EURO'),
    changed('currency_unknown', 'to_currency', 'XXX'),
    changed('currency_same', 'to_currency', from_currency),
    changed('amount_null', 'amount', null),
    changed('amount_type', 'amount', [1]),
    changed('amount_text', 'amount', plan.amount),
    changed('amount_word', 'amount', 'ten'),
    changed('amount_zero', 'amount', 0),
    changed('amount_negative', 'amount', -5),
    // The values that differ between responses to equal requests are random.
    changed('amount_negative', 'amount', -5),
    changed('amount_large', 'amount', 1e15),
    changed('amount_precise', 'amount', 10.005),
    { kind: 'body', field: '', path: '/quotes', value: [1], body: [1], request: { raw: '[1]' } },
  ];
}

interface ProblemOptions {
  readonly path: '/quotes' | '/payments';
  readonly field: string;
  readonly value: unknown;
  /** The valid body. */
  readonly order: object;
}

function toProblem(kind: IssueKind, { path, field, value, order }: ProblemOptions): Problem {
  const { [field]: _, ...others } = order as JsonObject;
  const body = value === undefined ? others : { ...order, [field]: value };
  return { kind, field, path, value, body, request: { body } };
}

/** Payments above the balance, so that a service that accepts the text creates none. */
function listPayments({ plan }: ProbeContext, { amount }: LackingPayments): Problem[] {
  const order = { from_currency: plan.from, to_currency: plan.to, amount, beneficiary_name: plan.name };
  const changed = (kind: IssueKind, field: string, value: unknown): Problem =>
    toProblem(kind, { path: '/payments', field, value, order });
  return [
    changed('text_long', 'purpose', 'x'.repeat(LONGEST)),
    changed('text_missing', 'beneficiary_name', undefined),
    changed('text_null', 'beneficiary_name', null),
    changed('text_type', 'beneficiary_name', 5),
    changed('text_empty', 'beneficiary_name', ''),
    changed('text_long', 'beneficiary_name', 'x'.repeat(LONGEST)),
  ];
}

const listed = (kind: IssueKind, field: string, value: string): Problem => ({
  kind,
  field,
  path: `/transactions?${field}=${value}`,
  value,
  body: { [field]: value },
});

const lists: readonly Problem[] = [
  listed('per_page_form', 'per_page', 'many'),
  listed('per_page_small', 'per_page', '0'),
  listed('per_page_large', 'per_page', '101'),
  listed('page', 'page', '0'),
  listed('status', 'status', 'no_such_status'),
  listed('type', 'type', 'no_such_type'),
];
