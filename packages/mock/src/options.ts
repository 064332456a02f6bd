import * as z from 'zod/mini';
import { readHost } from './webhooks/address.ts';
import type { Fetch } from './webhooks/send.ts';
import type { Cors } from './http/cors.ts';
import { type ClockMode, END_OF_TIME } from './state/clock.ts';
import { findProblems, type ProfileChoice } from './state/profile.ts';
import { SandboxError } from './state/sandbox-error.ts';
import { type AccountPolicy, accountPolicies } from './state/state.ts';

/** Sets up a mock. */
export interface MockOptions {
  /**
   * How time passes: by the system, faster by a factor, or only when `sandbox.clock` is moved.
   *
   * @default 'real'
   * @example { speed: 60 }
   */
  readonly clock?: ClockMode | undefined;
  /**
   * When the clock starts, as a `Date` or ISO 8601 text.
   *
   * @default the system's time; for a manual clock '2026-01-31T12:00:00Z'
   */
  readonly start?: Date | string | undefined;
  /**
   * What ids, keys and secrets are derived from: the same seed, clock and calls give the same bytes.
   *
   * @default a random one
   */
  readonly seed?: number | string | undefined;
  /**
   * What the service's own document leaves open, for all accounts that are not given settings of their own.
   *
   * @default the contract's default of every setting
   * @example { minorUnits: 'iso', createStatus: 200 }
   */
  readonly profile?: ProfileChoice | undefined;
  /**
   * Whom the service lets in. `'strict'`: those with a key of an account that was created. `'open'`: also everybody with a
   * test key of their own, `service_test_` and 1 to 255 letters, digits and any of `._~-`; the first call with such a key opens
   * an account for it, with the usual balances, and `sandbox.accounts.find({ key })` shows it.
   *
   * @default 'strict'
   */
  readonly accounts?: AccountPolicy | undefined;
  /**
   * The address that `baseUrl` names and MSW handlers answer at; it ends in `/api/v1`.
   *
   * @default 'http://localhost:4010/api/v1'
   */
  readonly baseUrl?: string | undefined;
  /**
   * Which pages of other origins may call over HTTP: none, those of this machine, all, or those that are listed.
   *
   * @default 'off'
   * @example ['https://app.example']
   */
  readonly cors?: Cors | undefined;
  /**
   * Keeps the sandbox's world in the `sessionStorage` of the page, so that it survives a reload; in browsers alone.
   *
   * @default the world dies with the page
   */
  readonly persist?: 'sessionStorage' | undefined;
  /**
   * How many requests `sandbox.journal` keeps, within 32 Mi characters of text; the oldest ones make room. `'off'` keeps none.
   *
   * @default { requests: 10_000 }
   */
  readonly requestLog?: RequestLogOptions | 'off' | undefined;
  /**
   * Sends webhooks; give your own to receive them without a network.
   *
   * @default in Node a connection of the mock's own, past MSW and whatever else intercepts requests; in a browser its `fetch`, as it was when the package was loaded
   */
  readonly fetch?: Fetch | undefined;
  /** Where webhooks may go. */
  readonly webhooks?: WebhookOptions | undefined;
  /**
   * Takes an error that only a defect of the mock itself can cause; the caller sees a plain 500.
   *
   * @default writes it to `console.error`
   */
  readonly onDefect?: ((error: unknown) => void) | undefined;
}

/** Sets up the deliveries of webhooks. */
export interface WebhookOptions {
  /**
   * The hosts besides this machine that webhooks may go to: names or IP addresses, exactly, without scheme, port and path.
   * Link-local, unspecified and metadata addresses are never delivered to. In Node that holds for the address that is
   * really connected to as well, and `localhost` must be this machine; a browser, or a `fetch` of your own, shows nobody
   * what a name was resolved to, so there the name alone is checked.
   *
   * @default []
   * @example ['hooks.example']
   */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Bounds the journal. */
export interface RequestLogOptions {
  /**
   * How many requests are kept, from 1 to 1 000 000.
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
  "must be a list of hosts such as 'hooks.example', without scheme, port and path; link-local, unspecified and metadata addresses are never delivered to";
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
  { error: (issue) => explainObjectIssue(issue) },
);

type ObjectIssue = { readonly code: string; readonly keys?: unknown };

function explainObjectIssue({ code, keys }: ObjectIssue): string {
  return code === 'unrecognized_keys' && Array.isArray(keys)
    ? `has no option ${keys.join(', ')}`
    : 'must be an object';
}

/** Checks the options of a mock; throws `SandboxError` that names each bad one. */
export function checkOptions(options: MockOptions): void {
  const parsed = schema.safeParse(options);
  const problems = parsed.success
    ? findProblems(options.profile ?? {})
    : parsed.error.issues.map(({ path, message }) => [...path, message].map(String).join(' '));
  if (problems.length === 0) return;
  throw new SandboxError('invalid_argument', `createMock: ${problems.join('; ')}.`);
}
