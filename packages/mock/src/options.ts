import * as z from 'zod/mini';
import { readHost } from './webhooks/address.ts';
import type { FetchRequest } from './webhooks/attempt.ts';
import type { Cors } from './http/cors.ts';
import { type ClockMode, END_OF_TIME } from './state/clock.ts';
import { findProblems, type ProfileChoice } from './state/profile.ts';
import { SandboxError } from './state/sandbox-error.ts';
import { type AccountPolicy, accountPolicies } from './state/state.ts';

/** The options of `createMock`. */
export interface MockOptions {
  /**
   * The clock: system time, system time multiplied by `speed`, or a clock you control with `sandbox.clock`.
   *
   * @default 'real'
   * @example { speed: 60 }
   */
  readonly clock?: ClockMode | undefined;
  /**
   * The start time of the clock, a `Date` or ISO 8601 text.
   *
   * @default the system time; '2026-01-31T12:00:00Z' for a manual clock
   */
  readonly start?: Date | string | undefined;
  /**
   * The seed of ids, keys and secrets. Equal seeds, clocks and requests give equal bytes.
   *
   * @default a random seed
   */
  readonly seed?: number | string | undefined;
  /**
   * The profile of new accounts: values for the questions that the service's document leaves open.
   *
   * @default the first value of each setting in `profileSettings`
   * @example { minorUnits: 'iso', createStatus: 200 }
   */
  readonly profile?: ProfileChoice | undefined;
  /**
   * The policy for test keys that the sandbox did not issue. `'strict'` rejects them. `'open'` opens an
   * account with the default balances for each: `service_test_` and 1 to 255 letters, digits and any of
   * `._~-`. `sandbox.accounts.find({ key })` returns the account.
   *
   * @default 'strict'
   */
  readonly accounts?: AccountPolicy | undefined;
  /**
   * The base URL of `mock.baseUrl` and of the MSW handlers. It ends in `/api/v1`.
   *
   * @default 'http://localhost:4010/api/v1'
   */
  readonly baseUrl?: string | undefined;
  /**
   * The origins whose pages may send requests over HTTP: none, those on a loopback host, all, or a list.
   *
   * @default 'off'
   * @example ['https://app.example']
   */
  readonly cors?: Cors | undefined;
  /**
   * Stores the state in the `sessionStorage` of the page, so that it survives a reload. Browsers only.
   *
   * @default the state ends with the page
   */
  readonly persist?: 'sessionStorage' | undefined;
  /**
   * The number of requests in `sandbox.requests`, within 32 Mi characters of text. The oldest ones are
   * dropped first. `'off'` logs none.
   *
   * @default { requests: 10_000 }
   */
  readonly requestLog?: RequestLogOptions | 'off' | undefined;
  /**
   * Sends webhooks. Pass a function to receive them without a network.
   *
   * @default in Node a separate connection that MSW and other interceptors do not see; in a browser its
   * `fetch` at load time
   */
  readonly fetch?: FetchRequest | undefined;
  /** Webhook options. */
  readonly webhooks?: WebhookOptions | undefined;
  /**
   * Called for an error that only a defect of the mock can cause. The client receives a 500 without details.
   *
   * @default logs it with `console.error`
   */
  readonly onDefect?: ((error: unknown) => void) | undefined;
}

/** Webhook options. */
export interface WebhookOptions {
  /**
   * Hosts that webhooks may be sent to, in addition to loopback hosts: exact names or IP addresses, without
   * scheme, port and path. Link-local, unspecified and metadata addresses are never allowed. In Node the
   * check also covers the resolved address, and `localhost` must resolve to a loopback address. A browser and
   * a custom `fetch` do not reveal the resolved address.
   *
   * @default []
   * @example ['hooks.example']
   */
  readonly allowHosts?: readonly string[] | undefined;
}

/** The limits of the request log. */
export interface RequestLogOptions {
  /**
   * Maximum number of requests, from 1 to 1 000 000.
   *
   * @default 10_000
   */
  readonly requests?: number | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isTime = (value: unknown): boolean =>
  (typeof value === 'string' || value instanceof Date) && isRepresentable(new Date(value).getTime());
const isRepresentable = (instant: number): boolean => instant >= 0 && instant <= END_OF_TIME;
const isBaseUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:\/\/[^/?#@]+\/api\/v1$/.test(value) && URL.canParse(value);

const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;
const isCors = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isOrigin) : value === 'off' || value === 'loopback' || value === '*';
const isHosts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((host) => readHost(host) !== undefined);
const HOSTS_RULE =
  "must be a list of hosts such as 'hooks.example', without scheme, port and path; link-local, unspecified and metadata addresses are never allowed";
const isClock = (value: unknown): boolean =>
  value === 'real' || value === 'manual' || isSpeed((value as { speed?: unknown } | null)?.speed);
const isSpeed = (value: unknown): boolean => typeof value === 'number' && value > 0 && value <= 1_000_000;

const isRequestLog = (value: unknown): boolean =>
  value === 'off' || (typeof value === 'object' && value !== null && hasOnlyCapacity(value));
const hasOnlyCapacity = ({ requests = 1, ...unknownNames }: { readonly requests?: unknown }): boolean =>
  Object.keys(unknownNames).length === 0 && Number.isInteger(requests) && isCapacity(Number(requests));
const isCapacity = (requests: number): boolean => requests >= 1 && requests <= 1_000_000;

const schema = z.strictObject(
  {
    clock: z.optional(z.custom(isClock, "must be 'real', 'manual' or { speed: <above 0, at most 1000000> }")),
    start: z.optional(z.custom(isTime, 'must be a Date or an ISO 8601 time from 1970 to 9999')),
    seed: z.optional(z.union([z.number(), z.string()], 'must be a number or text')),
    profile: z.optional(z.unknown()),
    accounts: z.optional(z.enum(accountPolicies, "must be 'strict' or 'open'")),
    baseUrl: z.optional(z.custom(isBaseUrl, 'must be an http or https address that ends in /api/v1')),
    cors: z.optional(
      z.custom(isCors, "must be 'off', 'loopback', '*' or a list of origins such as 'https://app.example'"),
    ),
    persist: z.optional(z.literal('sessionStorage', "must be 'sessionStorage' or left out")),
    requestLog: z.optional(
      z.custom(isRequestLog, "must be 'off' or { requests: <a whole number from 1 to 1000000> }"),
    ),
    fetch: z.optional(z.custom(isFunction, 'must be a function')),
    webhooks: z.optional(
      z.strictObject(
        { allowHosts: z.optional(z.custom(isHosts, HOSTS_RULE)) },
        { error: (issue) => explainObjectIssue(issue) },
      ),
    ),
    onDefect: z.optional(z.custom(isFunction, 'must be a function')),
  },
  { error: (issue) => explainObjectIssue(issue).replace(/^has no/, 'there is no') },
);

interface ObjectIssue {
  readonly code: string;
  readonly keys?: unknown;
}

function explainObjectIssue({ code, keys }: ObjectIssue): string {
  return code === 'unrecognized_keys' && Array.isArray(keys)
    ? `has no option ${keys.join(', ')}`
    : 'must be an object';
}

/**
 * Checks the options of a mock.
 *
 * @throws {SandboxError} that names each invalid option
 */
export function checkOptions(options: MockOptions): void {
  const parsed = schema.safeParse(options);
  const problems = parsed.success
    ? findProblems(options.profile ?? {})
    : parsed.error.issues.map(({ path, message }) => [...path, message].map(String).join(' '));
  if (problems.length === 0) return;
  throw new SandboxError('invalid_argument', `createMock: ${problems.join('; ')}.`);
}
