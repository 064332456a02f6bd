import { type Currency, type Mode, modes, type OperationId, operations } from '@service/contract';
import { type EventName, eventNames } from '../domain/payment.ts';
import * as s from '../domain/schema.ts';
import { currencyCode } from '../domain/setting-values.ts';
import { toId } from './locate.ts';

/** The id of a thing. In process also an object with that id. */
/* @__NO_SIDE_EFFECTS__ */
export function reference(thing: string, example: string): s.Schema<string> {
  const expected = `the id of ${thing.startsWith('a') ? 'an' : 'a'} ${thing}`;
  const parse = (ref: unknown): string | undefined => (ref === undefined ? undefined : toId(thing, ref));
  return s.convert(expected, parse, { type: 'string', examples: [example] });
}

const account = reference('account', 'acct_000000000001');

/** An account: the first one by default. */
export const ownAccount: s.Schema<string | undefined> = s.optional(account);

/** An account: all of them by default. */
export const anyAccount = s.optional(s.annotate(account, { 'x-default': 'all' }));

/** The payment of an operation. */
export const ownPayment = { payment: reference('payment', 'pay_test_…') };

export const mode: s.Schema<Mode | undefined> = s.optional(s.oneOf(modes));

/** An account and mode: the first account in test mode by default. */
export const accountMode = { account: ownAccount, mode };

export const operationId: s.Schema<OperationId> = s.oneOf(Object.keys(operations) as OperationId[]);

/** The name of an event. */
export const event: s.Schema<EventName> = s.oneOf(eventNames);

/** An amount of 0 or more. `readAmountOf` checks its decimals. */
export const anyAmount: s.Schema<number | string> = s.accept(
  "a number or decimal text such as '1000.00'",
  (value) => typeof value === 'string' || Number.isFinite(value),
  {
    type: ['number', 'string'],
    minimum: 0,
    maximum: 9_999_999_999_999.99,
    pattern: '^\\d{1,13}(?:\\.\\d{1,2})?$',
    examples: ['10.00'],
  },
);

/** An amount above 0. */
export const positiveAmount: s.Schema<number | string> = s.annotate(anyAmount, {
  minimum: 0.01,
  pattern: '^(?:[1-9]\\d{0,12}(?:\\.\\d{1,2})?|0\\.(?:0[1-9]|[1-9]\\d?))$',
});

/** The code of a currency. The profile decides which ones it supports. */
export const currency: s.Schema<Currency> = s.annotate(s.text("a code such as 'USD'"), {
  pattern: currencyCode.source,
  examples: ['USD'],
});

/** Amounts by currency. */
export const amounts: s.Schema<Readonly<Record<Currency, number | string>>> = s.recordOf(anyAmount, {
  names: currencyCode,
  form: "'USD'",
});

/** The speed of a clock, as a multiple of the system time. */
export const speed: s.Schema<number> = s.accept(
  'a number above 0, at most 1000000',
  (value) => typeof value === 'number' && value > 0 && value <= 1_000_000,
  { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 },
);

/** A function. */
/* @__NO_SIDE_EFFECTS__ */
export function callable<T>(expected = 'a function'): s.Schema<T> {
  return s.accept(expected, (value) => typeof value === 'function');
}
