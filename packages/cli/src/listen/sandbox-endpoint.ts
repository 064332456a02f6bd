import type { Fetch, Mode } from '@service/sdk';
import { findRoot } from '../failure.ts';
import { UsageError } from '../usage-error.ts';

/** Says whose events are to go where. */
export type EndpointPlan = {
  /** Is the address of the API; the control plane stands beside it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly mode: Mode;
  readonly token: string | undefined;
  readonly url: URL;
  /** Is the secret to sign with; one of the sandbox's own where undefined. */
  readonly secret: string | undefined;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
};

/** Is an endpoint of a sandbox that was set for a while. */
export type BorrowedEndpoint = {
  readonly secret: string;
  /** Puts back what was there before, unless somebody has set another meanwhile. Throws UsageError. */
  readonly putBack: () => Promise<void>;
};

type Fields = Readonly<Record<string, unknown>>;
type Ask = (method: string, path: string, body?: object) => Promise<unknown>;
/** Holds where events went before, and what they were signed with. */
type Former = { readonly url: string; readonly secret?: string };

const patience = 10_000;

/** Sets the endpoint of the account of a key, in a sandbox that is steered over HTTP. Throws UsageError. */
export async function borrowEndpoint(plan: EndpointPlan): Promise<BorrowedEndpoint> {
  const ask = createAsk(plan, plan.signal);
  await checkSandbox(ask, plan);
  const account = readText(await ask('POST', '/accounts/find', { key: plan.apiKey }), 'id');
  const books = { account, mode: plan.mode };
  const former = await findFormer(ask, books);
  // Under a signal of its own: it is put back also when the run was interrupted.
  const putBack = (): Promise<void> => restore(createAsk(plan), { books, former, url: plan.url });
  try {
    const { secret: given, url } = plan;
    const issued = await ask('PUT', '/webhooks/endpoint', {
      ...books,
      url: url.href,
      ...(given !== undefined && { secret: given }),
    });
    return { secret: readText(issued, 'secret'), putBack };
  } catch (error) {
    // Its answer may be lost, and the endpoint set.
    await putBack().catch(() => {});
    throw error;
  }
}

/** Makes sure that it is a sandbox before it is shown a key. */
async function checkSandbox(ask: Ask, { token }: EndpointPlan): Promise<void> {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('SERVICE_SANDBOX_TOKEN holds characters that no token has.');
  const health = await ask('GET', '/health').catch((error: unknown) => {
    if (error instanceof Refused) throw new UsageError(noSandbox);
    throw error;
  });
  if (!isObject(health) || health.status !== 'ok' || !('clock' in health)) throw new UsageError(noSandbox);
}

const noSandbox =
  '--sandbox needs a sandbox that can be steered at the base URL: service-cli mock, without --no-control.';

type Books = { readonly account: string; readonly mode: Mode };

async function findFormer(ask: Ask, { account, mode }: Books): Promise<Former | null> {
  const found = await ask('GET', `/webhooks/endpoint?${new URLSearchParams({ account, mode }).toString()}`);
  const endpoint = isObject(found) ? found.endpoint : undefined;
  if (!isObject(endpoint) || typeof endpoint.url !== 'string') return null;
  // Nothing but a snapshot tells what it signs with, and whoever listens there knows no other secret.
  const { state } = (await ask('GET', '/snapshot')) as {
    state: { accounts: { id: string; books: Record<Mode, { endpoint: Former | null }> }[] };
  };
  return state.accounts.find(({ id }) => id === account)?.books[mode].endpoint ?? { url: endpoint.url };
}

async function restore(
  ask: Ask,
  { books, former, url }: { books: Books; former: Former | null; url: URL },
): Promise<void> {
  const query = new URLSearchParams(books).toString();
  const now = await ask('GET', `/webhooks/endpoint?${query}`);
  const endpoint = isObject(now) ? now.endpoint : undefined;
  if (!isObject(endpoint) || endpoint.url !== url.href) return;
  if (former === null) await ask('DELETE', `/webhooks/endpoint?${query}`);
  else if (former.url.startsWith('collect:'))
    await ask('POST', '/webhooks/collect', { ...books, secret: former.secret });
  else await ask('PUT', '/webhooks/endpoint', { ...books, ...former });
}

/** Reports what a control plane, or whatever stands in its place, refused. */
class Refused extends UsageError {}

function createAsk({ baseUrl, token, fetch }: EndpointPlan, signal?: AbortSignal): Ask {
  const { origin } = new URL(baseUrl);
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return async (method, path, body) => {
    const limit = AbortSignal.timeout(patience);
    const request = new Request(`${origin}/_sandbox${path}`, {
      method,
      // The token is for a sandbox alone; that it is one has to be known first.
      headers: { 'content-type': 'application/json', ...(path === '/health' ? {} : authorization) },
      redirect: 'manual',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await send(request, { fetch, origin, signal });
    if (answer.ok) return answer.json;
    throw new Refused(explainRefusal(answer));
  };
}

type Answered = { readonly ok: boolean; readonly status: number; readonly json: unknown };

type Way = { readonly fetch: Fetch; readonly origin: string; readonly signal: AbortSignal | undefined };

async function send(request: Request, { fetch, origin, signal }: Way): Promise<Answered> {
  try {
    const response = await fetch(request);
    const text = await response.text();
    return { ok: response.ok, status: response.status, json: parse(text) };
  } catch (error) {
    if (signal?.aborted) throw new UsageError('The run was interrupted before it listened.');
    const why = findRoot(error) ?? 'no answer in time';
    throw new UsageError(
      `No sandbox answers at ${origin}: ${why}. Start one with service-cli mock, or name it with --base-url.`,
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explainRefusal({ status, json }: Answered): string {
  const { code, message } = isObject(json) && isObject(json.error) ? json.error : {};
  if (code === 'unauthenticated')
    return 'The sandbox is steered with a token: set SERVICE_SANDBOX_TOKEN to the one that it showed or was given.';
  return `The sandbox refused: ${typeof message === 'string' ? message : `HTTP ${status}`}`;
}

function readText(value: unknown, field: string): string {
  const text = isObject(value) ? value[field] : undefined;
  if (typeof text === 'string') return text;
  throw new Refused(noSandbox);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
