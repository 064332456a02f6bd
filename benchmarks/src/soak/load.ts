import { type Mock, magicValues } from '@service/mock';
import { createDice } from '../orders.ts';
import type { Tenant } from './tenants.ts';

/** Holds what came of a load. */
export interface Load {
  readonly calls: number;
  /** In milliseconds. */
  readonly time: number;
  /** What must never be: an answer that nobody asked for, or two payments for one key. */
  readonly violations: readonly string[];
}

/** Sets up a load. */
export interface LoadOptions {
  readonly mock: Mock;
  readonly baseUrl: string;
  readonly tenants: readonly Tenant[];
  readonly seed: number;
  /** How long it lasts, in milliseconds. */
  readonly length: number;
}

const WORKERS = 32;
/** So many creates at most in a round, which bounds memory and what is left to deliver. */
const MOST_CREATES = 3_000;
const ACCOUNTS = [...magicValues.filter((value) => value !== 'SIM-HOOK-SHUFFLE'), undefined, 'DE89'];
const KEYS = 40;
const EXPECTED = new Set([200, 201, 401, 404, 409, 422, 500, 502, 503]);

interface Scene extends LoadOptions {
  readonly draw: (sides: number) => number;
  readonly violations: string[];
  creates: number;
  calls: number;
}

/** Calls a listening mock over as many connections as there are workers, each with one call under way. */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const scene: Scene = { ...options, draw: createDice(options.seed), violations: [], creates: 0, calls: 0 };
  const start = performance.now();
  const end = start + options.length;
  const work = async (): Promise<void> => {
    while (performance.now() < end && scene.creates < MOST_CREATES) await callOnce(scene);
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return { calls: scene.calls, time: performance.now() - start, violations: scene.violations };
}

async function callOnce(scene: Scene): Promise<void> {
  const { draw, tenants, mock } = scene;
  const tenant = tenants[draw(tenants.length)] as Tenant;
  scene.calls += 1;
  const dice = draw(200);
  if (dice < 120) await create(scene, tenant);
  else if (dice < 140) await ask(scene, tenant, { path: '/balance' });
  else if (dice < 165)
    await ask(scene, tenant, { path: `/transactions?per_page=${1 + draw(100)}&page=${1 + draw(3)}` });
  else if (dice < 199)
    await ask(scene, tenant, { path: `/payments/${[...tenant.paid.values()].at(-1 - draw(5)) ?? 'none'}` });
  else mock.sandbox.accounts.regenerateKey({ account: tenant.account, mode: tenant.mode });
}

async function create(scene: Scene, tenant: Tenant): Promise<void> {
  const { draw } = scene;
  scene.creates += 1;
  const isKeyed = draw(4) === 0;
  const purpose = isKeyed ? `key-${draw(KEYS)}` : `order-${scene.creates}`;
  const fields = isKeyed ? {} : { beneficiary_account: ACCOUNTS[draw(ACCOUNTS.length)] };
  const amount = isKeyed ? 5 : (1 + draw(50_000)) / 100;
  const order = {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount,
    beneficiary_name: 'A',
    purpose,
    ...fields,
  };
  const answer = await ask(scene, tenant, {
    path: '/payments',
    body: JSON.stringify(order),
    ...(isKeyed && { idempotencyKey: purpose }),
  });
  const { id } = (answer?.data ?? {}) as { id?: string };
  if (id === undefined) return;
  if ((tenant.paid.get(purpose) ?? id) !== id) scene.violations.push(`${purpose} made two payments`);
  tenant.paid.set(purpose, id);
}

type Envelope = { readonly mode?: string; readonly data?: unknown };

interface Ask {
  readonly path: string;
  /** Makes it a POST. */
  readonly body?: string;
  readonly idempotencyKey?: string;
}

/** Sends a call; a connection that a fault has reset, or an answer that it has spoilt, gives undefined. */
async function ask(
  { baseUrl, violations }: Scene,
  { key, mode }: Tenant,
  { path, body, idempotencyKey }: Ask,
): Promise<Envelope | undefined> {
  const headers = new Headers({ authorization: `Bearer ${key()}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  const method = body === undefined ? 'GET' : 'POST';
  try {
    const response = await fetch(`${baseUrl}${path}`, { method, headers, body: body ?? null });
    if (!EXPECTED.has(response.status)) violations.push(`${path} was answered ${response.status}`);
    const answer = JSON.parse(await response.text()) as Envelope;
    if (answer.mode !== undefined && answer.mode !== mode)
      violations.push(`${path} was answered in another mode`);
    return answer;
  } catch {
    return undefined;
  }
}
