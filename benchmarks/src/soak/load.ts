import { type Mock, magicValues } from '@service/mock';
import { createRandom } from '../orders.ts';
import type { Tenant } from './tenants.ts';

/** The results of a load. */
export interface Load {
  readonly calls: number;
  /** Duration in milliseconds. */
  readonly time: number;
  /** Unexpected statuses or modes, and second payments for one idempotency key. */
  readonly violations: readonly string[];
}

export interface LoadOptions {
  readonly mock: Mock;
  readonly baseUrl: string;
  readonly tenants: readonly Tenant[];
  readonly seed: number;
  /** Duration in milliseconds. */
  readonly duration: number;
}

const WORKERS = 32;
/** Maximum creates per round; limits the memory and the number of undelivered events. */
const MAX_CREATES = 3_000;
const accountCount = [...magicValues.filter((value) => value !== 'SIM-HOOK-SHUFFLE'), undefined, 'DE89'];
const KEYS = 40;
const expectedRequests = new Set([200, 201, 401, 404, 409, 422, 500, 502, 503]);

interface LoadState extends LoadOptions {
  readonly random: (limit: number) => number;
  readonly violations: string[];
  creates: number;
  calls: number;
}

/** Sends requests to a listening mock from 32 workers with one request in flight each. */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const state: LoadState = {
    ...options,
    random: createRandom(options.seed),
    violations: [],
    creates: 0,
    calls: 0,
  };
  const start = performance.now();
  const end = start + options.duration;
  const sendUntilEnd = async (): Promise<void> => {
    while (performance.now() < end && state.creates < MAX_CREATES) await callOnce(state);
  };
  await Promise.all(Array.from({ length: WORKERS }, sendUntilEnd));
  return { calls: state.calls, time: performance.now() - start, violations: state.violations };
}

async function callOnce(state: LoadState): Promise<void> {
  const { random, tenants, mock } = state;
  const tenant = tenants[random(tenants.length)] as Tenant;
  state.calls += 1;
  const choice = random(200);
  if (choice < 120) await create(state, tenant);
  else if (choice < 140) await send(state, tenant, { path: '/balance' });
  else if (choice < 165)
    await send(state, tenant, { path: `/transactions?per_page=${1 + random(100)}&page=${1 + random(3)}` });
  else if (choice < 199)
    await send(state, tenant, {
      path: `/payments/${[...tenant.paid.values()].at(-1 - random(5)) ?? 'none'}`,
    });
  else mock.sandbox.accounts.regenerateKey({ account: tenant.account, mode: tenant.mode });
}

async function create(state: LoadState, tenant: Tenant): Promise<void> {
  const { random } = state;
  state.creates += 1;
  const isKeyed = random(4) === 0;
  const purpose = isKeyed ? `key-${random(KEYS)}` : `order-${state.creates}`;
  const fields = isKeyed ? {} : { beneficiary_account: accountCount[random(accountCount.length)] };
  const amount = isKeyed ? 5 : (1 + random(50_000)) / 100;
  const order = {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount,
    beneficiary_name: 'A',
    purpose,
    ...fields,
  };
  const envelope = await send(state, tenant, {
    path: '/payments',
    body: JSON.stringify(order),
    ...(isKeyed && { idempotencyKey: purpose }),
  });
  const { id } = (envelope?.data ?? {}) as { id?: string };
  if (id === undefined) return;
  if ((tenant.paid.get(purpose) ?? id) !== id)
    state.violations.push(`the idempotency key ${purpose} made two payments`);
  tenant.paid.set(purpose, id);
}

interface Envelope {
  readonly mode?: string;
  readonly data?: unknown;
}

interface RequestOptions {
  readonly path: string;
  /** The JSON body of a POST; without it the request is a GET. */
  readonly body?: string;
  readonly idempotencyKey?: string;
}

/** Sends a request. Returns undefined if a fault reset the connection or damaged the response. */
async function send(
  { baseUrl, violations }: LoadState,
  { key, mode }: Tenant,
  { path, body, idempotencyKey }: RequestOptions,
): Promise<Envelope | undefined> {
  const headers = new Headers({ authorization: `Bearer ${key()}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  const method = body === undefined ? 'GET' : 'POST';
  try {
    const response = await fetch(`${baseUrl}${path}`, { method, headers, body: body ?? null });
    if (!expectedRequests.has(response.status)) violations.push(`${path} responded with ${response.status}`);
    const envelope = JSON.parse(await response.text()) as Envelope;
    if (envelope.mode !== undefined && envelope.mode !== mode)
      violations.push(`${path} responded in another mode`);
    return envelope;
  } catch {
    return undefined;
  }
}
