import { type Mode, modes, type OperationId, operations } from '@service/contract';
import { findNearest } from '@service/internal';
import { type EventName, eventNames } from '../domain/payment.ts';
import { type Status, statuses } from '../domain/status.ts';
import type { AccountRef } from './locate.ts';
import { toId } from './locate.ts';
import { oneOf, optional, text } from '../domain/schema.ts';
import type { Optional, Value } from '../domain/value.ts';

/** The id of a thing. In process also an object with that id. */
export function reference<Ref extends AccountRef>(thing: string, example: string): Value<string, Ref> {
  const json = { examples: [example] };
  return {
    ...text(`the id of ${thing.startsWith('a') ? 'an' : 'a'} ${thing}`, json),
    toJson: (ref) => toId(thing, ref),
  };
}

const account: Value<string, AccountRef> = reference('account', 'acct_000000000001');

/** An account: the first one by default. */
export const ownAccount: Optional<Value<string, AccountRef>> = optional(account);

/** An account: all of them by default. */
export const anyAccount: Optional<Value<string, AccountRef>> = optional({
  ...account,
  json: { ...account.json, 'x-default': 'all' },
});

export const mode: Optional<Value<Mode>> = optional(oneOf(modes));

/** An account and mode: the first account in test mode by default. */
export const accountMode: { readonly account: typeof ownAccount; readonly mode: typeof mode } = {
  account: ownAccount,
  mode,
};

export const operation: Value<OperationId> = oneOf(Object.keys(operations) as OperationId[]);

/** A name that is known or that a profile adds. A known name with a typing error is invalid. */
function openName<Name extends string>(
  known: readonly string[],
  pattern: string,
  added: string,
): Value<Name> {
  const form = new RegExp(pattern);
  return {
    expected: `one of ${known.join(', ')}, or ${added}`,
    parse: (value) =>
      typeof value === 'string' &&
      (known.includes(value) || (form.test(value) && findNearest(value, known) === undefined))
        ? (value as Name)
        : undefined,
    json: { type: 'string', pattern, examples: known },
  };
}

/** A payment status. */
export const status: Value<Status> = openName(
  statuses,
  '^[A-Za-z][\\w-]{0,39}$',
  'a status that the profile adds',
);

/** The name of an event. */
export const event: Value<EventName> = openName(
  eventNames,
  '^payment\\.[A-Za-z][\\w-]{0,39}$',
  'that of a status that the profile adds',
);

/** An amount of 0 or more. */
export const amount: Value<number | string> = {
  expected: "a number or decimal text such as '1000.00'",
  parse: (value) =>
    typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)) ? value : undefined,
  json: {
    type: ['number', 'string'],
    minimum: 0,
    maximum: 9_999_999_999_999.99,
    pattern: '^\\d{1,13}(?:\\.\\d{1,2})?$',
    examples: ['10.00'],
  },
};

/** An amount above 0. */
export const positiveAmount: Value<number | string> = {
  ...amount,
  json: {
    ...amount.json,
    minimum: 0.01,
    pattern: '^(?:[1-9]\\d{0,12}(?:\\.\\d{1,2})?|0\\.(?:0[1-9]|[1-9]\\d?))$',
  },
};

/** The speed of a clock, as a multiple of the system time. */
export const speed: Value<number> = {
  expected: 'a number above 0, at most 1000000',
  parse: (value) => (typeof value === 'number' && value > 0 && value <= 1_000_000 ? value : undefined),
  json: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 },
};
