// A sandbox under some profile, and clients of it whose waits cost nothing.
import { createMock, type Mock, type MockOptions } from '@service/mock';
import type { Client, ServiceError, Warning } from '@service/sdk';
import { defaultProfile, type Profile } from '../../packages/mock/src/domain/profile.ts';
import { assembleClient } from '../../packages/sdk/src/client.ts';
import { systemClock } from '../../packages/sdk/src/transport/clock.ts';
import { findDeviations } from '../support/conformance.ts';

/** Says which settings are not as usual. */
export type Settings = NonNullable<MockOptions['profile']>;

/** Is where a behaviour takes place. */
export type World = {
  readonly mock: Mock;
  readonly profile: Profile;
  readonly service: Client;
  /** Carries a request to the sandbox. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Where answers differ from openapi.yaml; looked for under the usual profile, and where no fault was armed to spoil them. */
  readonly deviations: readonly string[];
  /** The codes of what the clients warned of, that the service is deprecated apart. */
  readonly warnings: readonly Warning['code'][];
  /** Makes another client of the same account. */
  readonly open: (options?: object) => Client;
  /** Counts the creates that reached the sandbox. */
  readonly posts: () => number;
};

/** Is something that the client does under every profile; `run` throws where it does not. */
export type Behaviour = { readonly name: string; readonly run: (world: World) => Promise<void> };

const start = '2026-01-31T12:00:00Z';
/** Backs off for no time at all, and has the sandbox's time of day. */
const clock = { ...systemClock, random: () => 0, date: () => new Date(start) };

/** Makes a sandbox under a profile. Under the usual one every answer of it is held to openapi.yaml. */
export function createWorld(settings: Settings): World {
  const mock = createMock({ seed: 7, clock: 'manual', start, profile: settings });
  const warnings: Warning['code'][] = [];
  const deviations: string[] = [];
  const isUsual = Object.keys(settings).length === 0;
  const fetch = isUsual ? watch(mock, deviations) : mock.fetch;
  const access = {
    apiKey: mock.account.testKey,
    baseUrl: mock.baseUrl,
    fetch,
    onWarning: ({ code }: Warning) => code !== 'deprecated' && warnings.push(code),
  };
  const open: World['open'] = (options) => assembleClient({ ...access, ...options }, clock);
  return {
    mock,
    profile: { ...defaultProfile, ...settings },
    service: open(),
    fetch,
    deviations,
    warnings,
    open,
    posts: () => mock.sandbox.requests.list({ operation: 'createPayment' }).length,
  };
}

/** Carries requests to a sandbox, and notes where its answers differ from openapi.yaml. */
function watch({ fetch, sandbox }: Mock, deviations: string[]): World['fetch'] {
  const countFired = (): number => sandbox.faults.list().reduce((sum, { fired }) => sum + fired, 0);
  return async (request) => {
    const { method, url } = request;
    const fired = countFired();
    const answer = await fetch(request);
    const { status, headers } = answer;
    if (countFired() === fired) {
      deviations.push(...findDeviations(method, url, { status, headers, text: await answer.clone().text() }));
    }
    return answer;
  };
}

/** Asks for an exchange. */
export const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: '1000.00' };

/** Asks for a payment. */
export const order = {
  ...exchange,
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  purpose: 'INV-42',
};

/** Returns what a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<ServiceError> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'rejected') return result.reason as ServiceError;
  throw new Error(`this was to fail, and gave ${JSON.stringify(result.value)}`);
}

/** Tells whether errors name their type: then their class follows it, else their status. */
export function isTyped({ errorShape }: Profile): boolean {
  return errorShape === 'envelope' || errorShape === 'extra';
}

/** Tells what a refusal proves: one in HTML can be of anybody, so it proves nothing. */
export function outcomeOf({ errorShape }: Profile): 'rejected' | 'unknown' {
  return errorShape === 'html' ? 'unknown' : 'rejected';
}

/** Describes how a create ends that the service refuses: what proves nothing leaves it in doubt. */
export function refusal(profile: Profile, facts: { readonly name: string; readonly status: number }): object {
  if (outcomeOf(profile) === 'rejected') return { ...facts, outcome: 'rejected' };
  const { name, status } = facts;
  return { name: 'PaymentOutcomeUnknownError', status, outcome: 'unknown', cause: { name } };
}
