import { isRecord } from '@service/internal';
import { callable } from './control/fields.ts';
import * as s from './domain/schema.ts';
import { startTime } from './domain/time.ts';
import type { Respond } from './http/respond.ts';
import { readHost } from './webhooks/address.ts';
import type { ClockMode } from './state/clock.ts';
import type { ProfileChoice } from './domain/profile.ts';
import { type SandboxSeed, seedFields } from './seed/seed.ts';
import { accountPolicies } from './state/state.ts';

/** The options of `createMock`. */
export interface MockOptions {
  /**
   * The initial state: accounts with keys, balances, endpoints and payments, and the clock, seed, profile and faults. The
   * other options override it. `reset` returns to it.
   *
   * @default one account with the default balances
   * @example { accounts: [{ name: 'shop', balances: { USD: '1000.00' } }] }
   */
  readonly initial?: SandboxSeed | undefined;
  /**
   * The clock: system time, system time multiplied by `speed`, or a clock you control with `sandbox.clock`.
   *
   * @default 'real'
   * @example { speed: 60 }
   */
  readonly clock?: ClockMode | undefined;
  /**
   * The start time of the clock: a `Date`, or an ISO 8601 time with an offset.
   *
   * @default the system time
   */
  readonly start?: Date | string | undefined;
  /**
   * The seed of ids, keys and secrets. Equal seeds, clocks, start times and requests give equal bytes.
   *
   * @default a random seed
   */
  readonly seed?: number | string | undefined;
  /**
   * The profile of new accounts: values for the questions that the service's document leaves open.
   *
   * @default `defaultProfile`
   * @example { minorUnits: 'iso', successStatus: { createPayment: 200 } }
   */
  readonly profile?: ProfileChoice | undefined;
  /**
   * The policy for test keys that the sandbox did not issue. `'strict'` rejects them. `'open'` opens an
   * account with the default balances for each: `service_test_` and 1 to 255 letters, digits and any of
   * `._~-`, at most 10 000. `sandbox.accounts.find({ key })` returns the account.
   *
   * @default 'strict'
   */
  readonly accounts?: 'strict' | 'open' | undefined;
  /**
   * The base URL of `mock.baseUrl` and of the MSW handlers. It ends in `/api/v1`.
   *
   * @default 'http://localhost:4010/api/v1'
   */
  readonly baseUrl?: string | undefined;
  /**
   * The number of requests in `sandbox.requests`, within 32 Mi characters of text. The oldest ones are
   * dropped first. `'off'` logs none.
   *
   * @default { requests: 10_000 }
   */
  readonly requestLog?:
    | {
        /**
         * Maximum number of requests, from 1 to 1 000 000.
         *
         * @default 10_000
         */
        readonly requests?: number | undefined;
      }
    | 'off'
    | undefined;
  /**
   * Sends webhooks. Pass a function to receive them without a network.
   *
   * @default in Node a separate connection that MSW and other interceptors do not see; in a browser its
   * `fetch` at load time
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * Hosts that may receive webhooks.
   *
   * @default only loopback hosts, which always may
   * @example { allowHosts: ['hooks.example'] }
   */
  readonly webhooks?:
    | {
        /**
         * Hosts that webhooks may be sent to, in addition to loopback hosts: exact names or IP addresses, without
         * scheme, port and path. In Node, `localhost` must also resolve to a loopback address; a browser and a custom
         * `fetch` do not reveal the resolved address.
         *
         * @default []
         */
        readonly allowHosts?: readonly string[] | undefined;
      }
    | undefined;
  /**
   * Changes the response of each request, before injected faults: a function of the request, its payment or error, and the
   * response. It must return a response and no promise. An error makes the response a 500 that names it.
   *
   * @default responses are sent as they are
   * @example (facts, response) => ({ ...response, headers: { ...response.headers, 'X-Node': 'a' } })
   */
  readonly respond?: Respond | undefined;
  /**
   * Called for an error that only a defect of the mock can cause, whose client receives a 500 without details, and for errors
   * of `respond` and a failed save of `persist`.
   *
   * @default logs it with `console.error`
   */
  readonly onDefect?: ((error: unknown) => void) | undefined;
}

/** An option whose value passes a check. */
function option(expected: string, isValid: (value: unknown) => boolean): s.Schema {
  return s.optional(s.accept(expected, isValid));
}

/** The schema of each option of `createMock`. */
const optionFields: { readonly [Name in keyof Required<MockOptions>]: s.Schema } = {
  initial: option('an object', isRecord),
  clock: seedFields.clock,
  start: s.optional(startTime('a Date or an ISO 8601 time with an offset, such as 2026-03-01T00:00:00Z')),
  seed: seedFields.seed,
  profile: seedFields.profile,
  accounts: s.optional(s.oneOf(accountPolicies)),
  baseUrl: option(
    'an http or https address that ends in /api/v1',
    (value) =>
      typeof value === 'string' && /^https?:\/\/[^/?#@]+\/api\/v1$/.test(value) && URL.canParse(value),
  ),
  requestLog: s.optional(
    s.anyOf(
      [s.oneOf(['off']), s.strict({ requests: s.optional(s.whole(1, 1_000_000)) })],
      "'off' or { requests: <a whole number from 1 to 1000000> }",
    ),
  ),
  fetch: s.optional(callable()),
  webhooks: s.optional(
    s.strict({
      allowHosts: option(
        "a list of hosts such as 'hooks.example', without scheme, port and path",
        (value) => Array.isArray(value) && value.every((host) => readHost(host) !== undefined),
      ),
    } satisfies s.Fields),
  ),
  respond: s.optional(callable()),
  onDefect: s.optional(callable()),
};

/** The schema of the options of `createMock`. */
export const optionsSchema: s.ObjectSchema<typeof optionFields> = s.strict(optionFields);
