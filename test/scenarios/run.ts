import { type AccountView, createMock, type RequestView, type Mock } from '@service/mock';
import { signAsync } from '@service/webhooks/edge';
import type { findDeviations } from '../support/conformance.ts';
import type { Connection, Transport } from '../transports.ts';
import type { Scenario, Send, Step, Caller } from './scenario.ts';

/** A response as its client received it. `lost` is a lost connection. */
export interface ObservedResponse {
  call: string;
  status: number | 'lost';
  headers: Record<string, string>;
  hasRequestId: boolean;
  text: string;
}

/** An event as its receiver got it, and the mode whose secret signed it. */
export interface ObservedEvent {
  body: string;
  signedBy: 'test' | 'live' | 'none';
}

/** The responses, events and effects of a scenario. */
export interface ScenarioResult {
  responses: ObservedResponse[];
  events: ObservedEvent[];
  /** Unexpected outcomes, leaked keys and deviations from openapi.yaml. */
  problems: string[];
  /** The request log, without the fields that depend on the transport. */
  requests: unknown[];
  /** The state hash after the last step. Null with endpoints, because their URLs differ. */
  state: string | null;
}

/** Headers that depend on the transport. All others must be equal. */
const transportHeaders = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  // Its value is random.
  'x-request-id',
]);

interface RunContext {
  scenario: Scenario;
  findDeviations: typeof findDeviations;
  mock: Mock;
  connection: Connection;
  keys: () => Record<Exclude<Caller, 'anonymous'>, string>;
  paymentIds: string[];
  result: ScenarioResult;
  /** Steps that run before the receiver acknowledges the next event. */
  duringDelivery: Step[];
}

/**
 * Runs a scenario on a new mock over one transport. The deviations from openapi.yaml are found by the caller: the compiled
 * schemas do not run in workerd, which has no `eval`.
 */
export async function runScenario(
  scenario: Scenario,
  transport: Pick<Transport, 'connect' | 'listen'>,
  find: typeof findDeviations,
): Promise<ScenarioResult> {
  const result: ScenarioResult = { responses: [], events: [], problems: [], requests: [], state: null };
  const secrets = { test: '', live: '' };
  let context: RunContext | undefined;
  const receive = async (request: Request): Promise<Response> => {
    const [body, signature] = [await request.text(), request.headers.get('x-service-signature')];
    const signers = await Promise.all(
      (['test', 'live'] as const).map(
        async (mode) => [mode, (await signAsync(body, secrets[mode])) === signature] as const,
      ),
    );
    result.events.push({ body, signedBy: signers.find(([, isValid]) => isValid)?.[0] ?? 'none' });
    if (context !== undefined) await runSteps(context, context.duringDelivery.splice(0));
    return new Response();
  };
  const endpoint = scenario.events && (await transport.listen(receive));
  const mock = createMock({
    clock: 'manual',
    start: '2026-01-31T12:00:00Z',
    seed: 'same',
    ...scenario.options,
    ...endpoint?.options,
  });
  for (const mode of endpoint ? (['test', 'live'] as const) : []) {
    secrets[mode] = mock.sandbox.webhooks.setEndpoint({ mode, url: endpoint!.url }).secret;
  }
  const connection = await transport.connect(mock);
  try {
    context = {
      scenario,
      findDeviations: find,
      mock,
      connection,
      keys: createKeySource(mock),
      paymentIds: [],
      result,
      duringDelivery: [],
    };
    await runSteps(context, scenario.steps);
    result.requests = mock.sandbox.requests.list().map(toComparable);
    if (!scenario.events) result.state = await mock.sandbox.stateHash();
  } finally {
    await connection.close();
    await mock.close();
    await endpoint?.close();
  }
  // The order of attempts at different endpoints is not the same in browsers (docs/contract.md#webhooks).
  result.events.sort((one, other) =>
    one.signedBy < other.signedBy ? -1 : Number(one.signedBy > other.signedBy),
  );
  return result;
}

/** Returns the fields of a logged request that do not depend on the transport or on the URLs of receivers. */
function toComparable({ response, effects, ...entry }: RequestView): object {
  const { id, at, account, mode, operation, method, path, query, body, fault } = entry;
  const loggedResponse =
    response === null || response === 'connection_lost' ? response : { ...response, json: null };
  const deliveries = effects.deliveries.map((delivery) => ({
    ...delivery,
    attempts: delivery.attempts.map((attempt) => ({ ...attempt, url: 'receiver' })),
  }));
  const comparable = { id, at, account, mode, operation, method, path, query, body, fault };
  return { ...comparable, response: loggedResponse, effects: { ...effects, deliveries } };
}

/** Returns a source of the current keys and of the first test key. */
function createKeySource(mock: Mock): RunContext['keys'] {
  const other: AccountView = mock.sandbox.accounts.create({ name: 'other' });
  const { testKey: replaced } = mock.account;
  return () => ({ test: mock.account.testKey, live: mock.account.liveKey, other: other.testKey, replaced });
}

async function runSteps(context: RunContext, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if ('act' in step) await step.act(context.mock);
    else await sendRequest(context, step);
    // During a delivery the mock is never idle.
    if (steps === context.scenario.steps) await context.mock.sandbox.idle();
  }
}

async function sendRequest(context: RunContext, step: Send): Promise<void> {
  const { responses, problems } = context.result;
  const [method = '', path = ''] = fillPlaceholders(context, step.send).split(/ (.*)/s);
  const url = `${context.connection.baseUrl}${path}`;
  const request: RequestInit = {
    method,
    headers: writeHeaders(context, step),
    redirect: 'manual',
    ...writeBody(step),
  };
  context.duringDelivery.push(...(step.duringDelivery ?? []));
  // Added before the request, so that nested requests keep their order.
  const observed: ObservedResponse = {
    call: formatCall(step),
    status: 'lost',
    headers: {},
    hasRequestId: false,
    text: '',
  };
  responses.push(observed);
  try {
    const response = await context.connection.fetch(url, request);
    Object.assign(observed, await readResponse(response));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  if (!matchesOutcome(observed, step.expected))
    problems.push(
      `${observed.call}: expected ${step.expected}, received ${observed.status} ${observed.text}`,
    );
  problems.push(...findProblems(context, { method: new Request(url, { method }).method, url, observed }));
  const { id } = (parseEnvelope(observed.text)?.data ?? {}) as { id?: string };
  if (id !== undefined && !context.paymentIds.includes(id)) context.paymentIds.push(id);
}

function formatCall({ send, as, headers = {}, body }: Send): string {
  const headerParts = Object.entries(headers).map(([name, value]) => `${name}: ${value ?? '–'}`);
  const bodyParts = body === undefined ? [] : [shorten(formatBody(body))];
  return [send, ...(as === undefined ? [] : [`as ${as}`]), ...headerParts, ...bodyParts].join(' | ');
}

function formatBody(body: unknown): string {
  if (body instanceof Uint8Array) return `bytes ${body.join(' ')}`;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length <= 300
    ? text
    : `${characters.slice(0, 100).join('')}… of ${text.length} characters`;
}

/** Replaces placeholders with ids and keys. */
function fillPlaceholders({ paymentIds, keys }: RunContext, text: string): string {
  const { test: testKey, live: liveKey, other: otherKey } = keys();
  const known: Record<string, string> = { testKey, liveKey, otherKey };
  return text.replaceAll(
    /\{(\w+)\}/g,
    (whole, name: string) => known[name] ?? paymentIds[Number(name) - 1] ?? whole,
  );
}

function writeHeaders(context: RunContext, { as = 'test', headers = {}, body }: Send): Headers {
  const written = new Headers();
  if (body !== undefined) written.set('content-type', 'application/json');
  if (as !== 'anonymous') written.set('authorization', `Bearer ${context.keys()[as]}`);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) written.delete(name);
    else written.set(name, fillPlaceholders(context, value));
  }
  return written;
}

function writeBody({ body }: Send): RequestInit {
  if (body === undefined) return {};
  return {
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  };
}

async function readResponse(response: Response): Promise<Partial<ObservedResponse>> {
  // A byte order mark must not be removed: bodies are compared byte by byte.
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
    await response.arrayBuffer(),
  );
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !transportHeaders.has(name)));
  return { status: response.status, headers, hasRequestId: response.headers.has('x-request-id'), text };
}

function matchesOutcome({ status, text }: ObservedResponse, expected: Send['expected']): boolean {
  const [wanted, type] = expected.split(' ');
  return (
    String(status) === wanted &&
    (type === undefined || (parseEnvelope(text)?.error as { type?: string } | undefined)?.type === type)
  );
}

interface SentRequest {
  method: string;
  url: string;
  observed: ObservedResponse;
}

function findProblems(context: RunContext, { method, url, observed }: SentRequest): string[] {
  const { scenario, keys } = context;
  const leaks = Object.entries(keys()).filter(([, key]) => observed.text.includes(key));
  const leaked = leaks.map(([caller]) => `${observed.call} contains the ${caller} key`);
  if (observed.status === 'lost' || scenario.options?.profile !== undefined) return leaked;
  const headers = new Headers(observed.headers);
  if (observed.hasRequestId) headers.set('x-request-id', 'req_00000000');
  const { status, text } = observed;
  const deviations = context.findDeviations(method, url, { status, headers, text });
  return [...leaked, ...deviations.map((deviation) => `${observed.call}: ${deviation}`)];
}

function parseEnvelope(text: string): { data?: unknown; error?: unknown } | undefined {
  try {
    return (JSON.parse(text) as object | null) ?? undefined;
  } catch {
    return undefined;
  }
}
