import { faultFields, type FaultOptions } from '../control/operations/faults.ts';
import { amounts, speed } from '../control/fields.ts';
import { type AccountOptions, newAccount } from '../control/operations/accounts.ts';
import { endpointFields, type EndpointOptions } from '../control/operations/webhooks.ts';
import { newPayment, type PaymentOptions } from '../control/operations/payments.ts';
import * as s from '../domain/schema.ts';
import { startTime } from '../domain/time.ts';
import type { ClockMode } from '../state/clock.ts';
import type { ProfileChoice } from '../domain/profile.ts';

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
   * @default `defaultProfile`
   */
  readonly profile?: ProfileChoice | undefined;
  /**
   * The accounts. The first one is the default of all operations.
   *
   * @default one account with the name 'default' and the default balances
   */
  readonly accounts?: readonly SeedAccount[] | undefined;
  /** Injected faults. A reset injects them again. */
  readonly faults?:
    | readonly (FaultOptions & {
        /**
         * In a seed, the name of the account.
         *
         * @default any account
         */
        readonly account?: string;
      })[]
    | undefined;
}

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
  readonly endpoint?: Pick<EndpointOptions, 'url' | 'secret'> | undefined;
  /** The payments of test mode. */
  readonly payments?: readonly SeedPayment[] | undefined;
  /** Balances, endpoint and payments of live mode. */
  readonly live?:
    | {
        /**
         * Opening balances in live mode.
         *
         * @default 0 in each currency of test mode
         */
        readonly balances?: Readonly<Record<string, number | string>> | undefined;
        /** The webhook endpoint of live mode. */
        readonly endpoint?: Pick<EndpointOptions, 'url' | 'secret'> | undefined;
        /** Payments that exist at the start, each with its age and status. */
        readonly payments?: readonly SeedPayment[] | undefined;
      }
    | undefined;
}

/** A payment of a seed. It stays in its status until an operation of the sandbox changes it. */
export interface SeedPayment extends Omit<PaymentOptions, 'account' | 'mode'> {
  /**
   * The time from its create to the start of the clock, up to 3650 days.
   *
   * @default 0
   */
  readonly age?: s.Duration | undefined;
}

/** The largest age of a payment, in milliseconds. */
const MAX_AGE = 3650 * 86_400_000;

/* @__NO_SIDE_EFFECTS__ */
function named(fields: s.Fields, title?: string): s.Schema {
  return s.strict(fields, { expected: 'an object with named fields', ...(title !== undefined && { title }) });
}

const balances = s.optional(s.annotate(amounts, { title: 'SeedBalances' }));
const endpoint = s.optional(named(endpointFields, 'SeedEndpoint'));
const age = s.durationWithin(0, MAX_AGE, "a duration such as '90m', '2h' or '3d', up to '3650d'");
const payment = named({ ...newPayment, age: s.optional(age) }, 'SeedPayment');
const modeFields = { balances, endpoint, payments: s.optional(s.listOf(payment)) };

const account = named({
  ...newAccount,
  name: s.text('non-empty text', { minLength: 1 }),
  suspended: s.optional(s.boolean),
  ...modeFields,
  live: s.optional(named(modeFields)),
});

/** The fields of a seed. */
export const seedFields: { readonly [Name in keyof Required<SandboxSeed>]: s.Schema } = {
  $schema: s.optional(s.text()),
  seed: s.optional(s.anyOf([s.text(), s.number('a number', { minimum: Number.MIN_SAFE_INTEGER })])),
  clock: s.optional(
    s.anyOf(
      [s.oneOf(['real', 'manual']), s.strict({ speed })],
      "'real', 'manual' or { speed: <above 0, at most 1000000> }",
    ),
  ),
  start: s.optional(startTime()),
  profile: newAccount.profile,
  accounts: s.optional(s.listOf(account, 'a list with at least one item', 1)),
  faults: s.optional(
    s.listOf(named({ ...faultFields, account: s.optional(s.text('the name of an account')) })),
  ),
};
