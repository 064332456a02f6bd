import type { Currency } from '@service/contract';
import { currencies } from '../domain/money.ts';
import type { ClockMode } from '../state/clock.ts';
import { type ProfileChoice, settings } from '../state/profile.ts';
import { amount, speed } from '../control/fields.ts';
import { startTime } from '../domain/time.ts';
import type { FaultOptions } from '../control/fault-options.ts';
import { accounts, type AccountOptions } from '../control/operations/accounts.ts';
import { endpoints, type EndpointOptions } from '../control/operations/endpoint.ts';
import { faults } from '../control/operations/faults.ts';
import { payments, type PaymentOptions } from '../control/operations/payments.ts';
import { limitFields, type RateLimitOptions } from '../control/operations/rate-limit.ts';
import {
  anyOf,
  boolean,
  type Duration,
  durationWithin,
  number,
  oneOf,
  optional,
  text,
} from '../domain/schema.ts';
import type { Value, ValueFields } from '../domain/value.ts';
import { list, map, record } from './check.ts';

/** The initial state of a sandbox: an object, or the content of a seed file. */
export interface SandboxSeed {
  /** The JSON schema for editors. It has no effect. */
  readonly $schema?: string | undefined;
  /**
   * The seed of ids, keys and secrets.
   *
   * @default a random seed
   */
  readonly seed?: number | string | undefined;
  /**
   * The clock: system time, system time multiplied by `speed`, or a clock you control.
   *
   * @default 'real'
   */
  readonly clock?: ClockMode | undefined;
  /**
   * The start time of the clock, ISO 8601 with an offset. The ages of payments are relative to it.
   *
   * @default the system time
   */
  readonly start?: Date | string | undefined;
  /**
   * The profile of all accounts: values for the questions that the service's document leaves open.
   *
   * @default the first value of each setting in `profileSettings`
   */
  readonly profile?: ProfileChoice | undefined;
  /**
   * The accounts. The first one is the default of all operations.
   *
   * @default one account with the name 'default' and the default balances
   */
  readonly accounts?: readonly SeedAccount[] | undefined;
  /** Injected faults. A reset injects them again. */
  readonly faults?: readonly SeedFault[] | undefined;
  /**
   * The rate limit of each account and mode.
   *
   * @default no limit
   */
  readonly rateLimit?: Omit<RateLimitOptions, 'account'> | undefined;
}

/** A fault that is injected at the start and after each reset. */
export type SeedFault = FaultOptions & {
  /**
   * In a seed, the name of the account.
   *
   * @default any account
   */
  readonly account?: string;
};

/** An account of a seed. `balances`, `endpoint` and `payments` belong to test mode. */
export interface SeedAccount extends Omit<AccountOptions, 'name'> {
  /** The unique name of the account. Its id and keys are derived from the name. */
  readonly name: string;
  /**
   * Whether every request responds 403.
   *
   * @default false
   */
  readonly suspended?: boolean | undefined;
  /** The webhook endpoint of test mode. The payments of the seed send no events. */
  readonly endpoint?: SeedEndpoint | undefined;
  /** The payments of test mode. */
  readonly payments?: readonly SeedPayment[] | undefined;
  /** Balances, endpoint and payments of live mode. */
  readonly live?: SeedLiveMode | undefined;
}

/** The state of an account in live mode. */
export interface SeedLiveMode {
  /**
   * Opening balances in live mode.
   *
   * @default 0 in each currency of test mode
   */
  readonly balances?: Readonly<Record<Currency, number | string>> | undefined;
  /** The webhook endpoint of live mode. */
  readonly endpoint?: SeedEndpoint | undefined;
  /** Payments that exist at the start, each with its age and status. */
  readonly payments?: readonly SeedPayment[] | undefined;
}

/** A webhook endpoint and its signing secret. */
export type SeedEndpoint = Pick<EndpointOptions, 'url' | 'secret'>;

/** A payment of a seed. It stays in its status until an operation of the sandbox changes it. */
export interface SeedPayment extends Omit<PaymentOptions, 'account' | 'mode'> {
  /**
   * The time from its create to the start of the clock, up to 3650 days.
   *
   * @default 0
   */
  readonly age?: Duration | undefined;
}

/** The largest age of a payment, in milliseconds. */
const MAX_AGE = 3650 * 86_400_000;

const balances = optional(map(amount, currencies, 'SeedBalances'));
const endpoint = optional(record(omit(endpoints.setEndpoint.input, ['account', 'mode']), 'SeedEndpoint'));
const payment = record(
  {
    ...omit(payments.create.input, ['account', 'mode']),
    age: optional(durationWithin(0, MAX_AGE, "a duration such as '90m', '2h' or '3d', up to '3650d'")),
  },
  'SeedPayment',
);
const modeFields = { balances, endpoint, payments: optional(list(payment)) };

const profile = optional(record(optionalFields(settings), 'SeedProfile'));

const account = record({
  name: text('non-empty text', { minLength: 1 }),
  ...omit(accounts.create.input, ['name', 'balances', 'profile']),
  profile,
  suspended: optional(boolean),
  ...modeFields,
  live: optional(record(modeFields)),
});

/** Kept as it was given: a seed is checked again when it is applied. */
const start: Value<unknown, Date | string> = {
  ...startTime,
  parse: (value) => (startTime.parse(value) === undefined ? undefined : value),
};

/** The fields of a seed. */
export const seedFields: ValueFields = {
  $schema: optional(text()),
  seed: optional(anyOf(text(), number('a number', { minimum: Number.MIN_SAFE_INTEGER }))),
  clock: optional(
    anyOf(oneOf(['real', 'manual']), {
      ...record({ speed }),
      expected: '{ speed: <above 0, at most 1000000> }',
    }),
  ),
  start: optional(start),
  profile,
  accounts: optional(list(account, { minItems: 1 })),
  faults: optional(
    list(record({ ...faults.inject.input, account: optional(text('the name of an account')) })),
  ),
  rateLimit: optional(record(limitFields)),
};

function omit(fields: ValueFields, names: readonly string[]): ValueFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function optionalFields(fields: ValueFields): ValueFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, optional(value)]));
}
