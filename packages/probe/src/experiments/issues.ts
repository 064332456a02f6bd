import type { IssueKind } from '@service/internal';
import type { ProbeContext } from '../context.ts';
import { isRefusal, type RawRequest, type RawResponse } from '../raw-client.ts';
import { readBalance } from './watch.ts';

/** The response to a request with one problem. */
export interface RefusedField {
  readonly kind: IssueKind;
  /** The name of the invalid field; `''` for the whole body. */
  readonly field: string;
  readonly response: RawResponse;
}

interface Attempt {
  readonly kind: IssueKind;
  readonly field: string;
  readonly path: string;
  readonly request?: RawRequest;
}

const LONGEST = 10_001;

/** Sends requests with one problem each. Returns the responses with the status of an invalid amount. */
export async function refuseFields(context: ProbeContext): Promise<readonly RefusedField[]> {
  const attempts = [...listQuotes(context), ...(await listPayments(context)), ...lists];
  const refused: RefusedField[] = [];
  for (const { kind, field, path, request } of attempts) {
    const response = await context.send(path, request);
    if (isRefusal(response)) refused.push({ kind, field, response });
  }
  const usual = refused.find(({ kind }) => kind === 'amount_negative')?.response.status;
  return refused.filter(({ response }) => response.status === usual);
}

function listQuotes({ plan }: ProbeContext): Attempt[] {
  const { from: from_currency, to: to_currency } = plan;
  const order = { from_currency, to_currency, amount: Number(plan.amount) };
  const changed = (kind: IssueKind, field: string, value: unknown): Attempt => ({
    kind,
    field,
    path: '/quotes',
    request: { body: { ...order, [field]: value } },
  });
  return [
    changed('missing', 'to_currency', undefined),
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
    changed('amount_large', 'amount', 1e15),
    changed('amount_precise', 'amount', 10.005),
    { kind: 'body', field: '', path: '/quotes', request: { raw: '[1]' } },
  ];
}

/** Payments above the balance, so that a service that accepts the text creates none. */
async function listPayments(context: ProbeContext): Promise<Attempt[]> {
  const { plan } = context;
  if (!plan.payments) return [];
  const amount = Number((await readBalance(context)) / 1_000_000n) + 1_000;
  const order = { from_currency: plan.from, to_currency: plan.to, amount };
  const named = (kind: IssueKind, beneficiary_name: unknown): Attempt => ({
    kind,
    field: 'beneficiary_name',
    path: '/payments',
    request: { body: { ...order, beneficiary_name } },
  });
  return [
    {
      kind: 'text_long',
      field: 'purpose',
      path: '/payments',
      request: { body: { ...order, beneficiary_name: plan.name, purpose: 'x'.repeat(LONGEST) } },
    },
    named('text_null', null),
    named('text_type', 5),
    named('text_empty', ''),
    named('text_long', 'x'.repeat(LONGEST)),
  ];
}

const listed = (kind: IssueKind, field: string, value: string): Attempt => ({
  kind,
  field,
  path: `/transactions?${field}=${value}`,
});

const lists: readonly Attempt[] = [
  listed('per_page_form', 'per_page', 'many'),
  listed('per_page_small', 'per_page', '0'),
  listed('per_page_large', 'per_page', '101'),
  listed('page', 'page', '0'),
  listed('status', 'status', 'no_such_status'),
  listed('type', 'type', 'no_such_type'),
];
