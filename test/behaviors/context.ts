// A sandbox with a profile, and clients without backoff.
import { documentedRefusal, type Example, type Refusal, similarRefusals } from '@service/internal';
import { createMock, type Mock, type MockOptions, type Profile } from '@service/mock';
import type { Client, ServiceError, Warning } from '@service/sdk';
import { FEE_PARTS, parseFeeRule } from '../../packages/internal/src/fee-schedule.ts';
import { assembleClient } from '../../packages/sdk/src/client.ts';
import { systemClock } from '../../packages/sdk/src/transport/deadline.ts';
import { findDeviations } from '../support/conformance.ts';
import { adaptFetch } from '../support/on-request.ts';

/** Profile settings that differ from the defaults. */
export type Settings = NonNullable<MockOptions['profile']>;

/** The sandbox, the client and the observations of one behavior. */
export interface BehaviorContext {
  readonly mock: Mock;
  readonly profile: Profile;
  readonly service: Client;
  /** The `fetch` of the sandbox. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Deviations of responses from openapi.yaml. Recorded with the default profile, except for responses with a fault. */
  readonly deviations: readonly string[];
  /** The codes of all warnings. */
  readonly warnings: readonly Warning['code'][];
  /** Creates another client of the same account. */
  readonly open: (options?: object) => Client;
  /** Returns the number of creates that reached the sandbox. */
  readonly posts: () => number;
}

/** A behavior of the client under every profile. `run` throws if the client behaves differently. */
export interface Behavior {
  readonly name: string;
  readonly run: (context: BehaviorContext) => Promise<void>;
}

const start = '2026-01-31T12:00:00Z';

/** Creates a sandbox with a profile. With the default profile, every response is checked against openapi.yaml. */
export function createContext(settings: Settings): BehaviorContext {
  const mock = createMock({ seed: 7, clock: 'manual', start, profile: settings });
  // A random value of 0 makes every backoff 0 ms.
  const clock = { ...systemClock, random: () => 0, date: () => mock.sandbox.clock.now() };
  const warnings: Warning['code'][] = [];
  const deviations: string[] = [];
  const isDefault = Object.keys(settings).length === 0;
  const fetch = isDefault ? recordDeviations(mock, deviations) : mock.fetch;
  const options = {
    apiKey: mock.account.testKey,
    baseUrl: mock.baseUrl,
    fetch,
    onWarning: ({ code }: Warning) => void warnings.push(code),
  };
  const open: BehaviorContext['open'] = (overrides) =>
    assembleClient(adaptFetch({ ...options, ...overrides }), clock);
  return {
    mock,
    profile: mock.sandbox.profile.get(),
    service: open(),
    fetch,
    deviations,
    warnings,
    open,
    posts: () => mock.sandbox.requests.list({ operation: 'createPayment' }).length,
  };
}

/** Wraps the `fetch` of a sandbox: records deviations of its responses from openapi.yaml. */
function recordDeviations({ fetch, sandbox }: Mock, deviations: string[]): BehaviorContext['fetch'] {
  const countFired = (): number => sandbox.faults.list().reduce((sum, { fired }) => sum + fired, 0);
  return async (request) => {
    const { method, url } = request;
    const fired = countFired();
    const response = await fetch(request);
    const { status, headers } = response;
    if (countFired() === fired) {
      deviations.push(
        ...findDeviations(method, url, { status, headers, text: await response.clone().text() }),
      );
    }
    return response;
  };
}

export const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: '1000.00' };

export const order = {
  ...exchange,
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  purpose: 'INV-42',
};

/** Returns the fee of sending dollars to euros with a profile. The fees of these tests need no rounding. */
export function feeOf({ fees }: Profile, amount: number): number {
  return Number(parseFeeRule(fees)(BigInt(amount) * 100n) / FEE_PARTS) / 100;
}

/**
 * Returns the error of a rejected promise.
 *
 * @throws {Error} when the promise resolves
 */
export async function errorOf(promise: Promise<unknown>): Promise<ServiceError> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'rejected') return result.reason as ServiceError;
  throw new Error(`Expected a rejection, received ${JSON.stringify(result.value)}.`);
}

/** Returns whether errors have a type, which decides their class. Otherwise the status decides. */
export function isTyped(profile: Profile, refusal?: Refusal): boolean {
  return JSON.stringify(bodyOf(profile, refusal)).includes('"type":"{type}"');
}

/** Returns the example of the body of a refusal. */
function bodyOf({ refusals }: Profile, refusal: Refusal | undefined): Example {
  const similar = refusal && (similarRefusals[refusal] ?? refusal);
  const own = refusal && (refusals[refusal]?.body ?? (similar && refusals[similar]?.body));
  return own ?? refusals.all?.body ?? documentedRefusal;
}

/** Returns the outcome of an error response. HTML may be from a gateway, so its outcome is unknown. */
export function outcomeOf(profile: Profile, refusal?: Refusal): 'rejected' | 'unknown' {
  return typeof bodyOf(profile, refusal) === 'string' ? 'unknown' : 'rejected';
}

/** Returns the expected error of a create with an error response. */
export function expectedRejection(
  profile: Profile,
  facts: { readonly name: string; readonly status: number },
  refusal?: Refusal,
): object {
  const { name, status } = facts;
  // A gateway can respond with 429, and repeat the create.
  const isProven = status !== 429 || isTyped(profile, refusal);
  if (isProven && outcomeOf(profile, refusal) === 'rejected') return { ...facts, outcome: 'rejected' };
  return { name: 'PaymentOutcomeUnknownError', status, outcome: 'unknown', cause: { name } };
}
