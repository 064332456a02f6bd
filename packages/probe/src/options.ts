import { type ClientOptions, ConfigurationError } from '@service/sdk';
import {
  abortSignal,
  boolean,
  callable,
  type RunClock,
  type Field,
  isRecord,
  matching,
  parseObject,
  runClock,
} from '@service/internal';
import type { WebhookSource } from './recorder.ts';

/** The connection to the service. A client of `@service/sdk` accepts the same options. */
export interface ProbeConnection extends Pick<ClientOptions, 'allowInsecureHttp' | 'fetch' | 'onWarning'> {
  /**
   * The API key. It must be a test key, because the probe creates payments.
   *
   * @example 'service_test_…'
   */
  readonly apiKey: string;
  /**
   * The base URL of the service, including the version segment.
   *
   * @example 'http://localhost:4010/api/v1'
   */
  readonly baseUrl: string;
}

/** Test payments, limits and webhooks of a run. All are optional. */
export interface ProbeOptions {
  /**
   * Currency to send.
   *
   * @default 'USD'
   */
  readonly from?: string | undefined;
  /**
   * Currency to receive.
   *
   * @default 'EUR'
   */
  readonly to?: string | undefined;
  /**
   * Amount of each test payment, as decimal text.
   *
   * @default '10.00'
   */
  readonly amount?: string | undefined;
  /**
   * Beneficiary accounts of the service's test mode whose payments do not complete: they fail, come back, or are refused as in an
   * outage. Each gets two payments.
   *
   * @default ['SIM-FAIL']
   */
  readonly failing?: readonly string[] | undefined;
  /**
   * Ids of payments of another account in test mode, to see how the service refuses to show them.
   *
   * @default none: they are refused like unknown payments
   */
  readonly foreign?: readonly string[] | undefined;
  /**
   * Whether to create test payments. Without them, their settings are `unknown`.
   *
   * @default true
   */
  readonly payments?: boolean | undefined;
  /**
   * The source of the account's webhooks.
   *
   * @default none: the settings of webhooks are `unknown`
   * @example listenForWebhooks({ port: 8787, secret })
   */
  readonly webhooks?: WebhookSource | undefined;
  /**
   * Called when a part of the run starts, with its subject, such as `payments until they complete or
   * fail`, and before each wait.
   */
  readonly onProgress?: ((subjects: readonly string[]) => void) | undefined;
  /** Ends the run. The remaining settings are `unknown`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time and timers of the run, for tests.
   *
   * @default the system clock
   */
  readonly clock?: RunClock | undefined;
}

/** The checked options, with their defaults. */
export type ProbePlan = {
  readonly [Name in Exclude<keyof ProbeOptions, 'webhooks'>]: NonNullable<ProbeOptions[Name]>;
} & Pick<ProbeOptions, 'webhooks'>;

const defaults: Omit<ProbePlan, 'webhooks' | 'signal'> = {
  from: 'USD',
  to: 'EUR',
  amount: '10.00',
  failing: ['SIM-FAIL'],
  foreign: [],
  payments: true,
  onProgress: () => {},
  clock: runClock,
};

const currency: Field<string> = {
  expected: 'a currency of three letters, such as USD',
  parse: (value) =>
    typeof value === 'string' && /^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : undefined,
};
const amount = matching<string>(
  "an amount above 0 with at most 2 decimals, such as '10.00'",
  (value) => typeof value === 'string' && /^\d{1,9}(\.\d{1,2})?$/.test(value) && /[1-9]/.test(value),
);
const texts = matching<readonly string[]>(
  "a list of texts, such as ['SIM-FAIL']",
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== ''),
);
const clock = matching<RunClock>(
  'an object with the functions now and sleep',
  (value) => isRecord(value) && typeof value.now === 'function' && typeof value.sleep === 'function',
);

const fields = {
  from: currency,
  to: currency,
  amount,
  failing: texts,
  foreign: texts,
  payments: boolean,
  webhooks: callable<WebhookSource>(),
  onProgress: callable<NonNullable<ProbeOptions['onProgress']>>(),
  signal: abortSignal,
  clock,
};

/**
 * Checks the options and adds the defaults.
 *
 * @throws {ConfigurationError} when an option is unknown or invalid.
 */
export function parseOptions(options: ProbeOptions): ProbePlan {
  const parsed = parseObject(options, {
    name: 'The options of probe',
    fields,
    createError: (message) => new ConfigurationError(message),
  });
  const given = Object.entries(parsed).filter(([, value]) => value !== undefined);
  return { ...defaults, signal: new AbortController().signal, ...Object.fromEntries(given) };
}
