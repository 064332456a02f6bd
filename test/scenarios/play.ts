import { type AccountView, createMock, type RequestView, type Mock } from '@service/mock';
import { isValidSignature } from '@service/webhooks/edge';
import { findDeviations } from '../support/conformance.ts';
import type { Access, Way } from '../ways.ts';
import type { Scenario, Send, Step, Who } from './scenario.ts';

/** What a client saw of an answer; `lost` where it got none. */
export type Answer = {
  call: string;
  status: number | 'lost';
  headers: Record<string, string>;
  hasRequestId: boolean;
  text: string;
};

/** What a receiver saw of an event, and whose secret had signed it. */
export type Event = { body: string; signedBy: 'test' | 'live' | 'nobody' };

/** All that was seen of a scenario. */
export type Played = {
  answers: Answer[];
  events: Event[];
  /** Calls that had another outcome than the contract asks for, and answers that differ from openapi.yaml. */
  problems: string[];
  /** What the journal says of the calls, without what belongs to the way. */
  journal: unknown[];
  /** The digest of the world in the end; null with endpoints, whose addresses differ. */
  state: string | null;
};

/** Headers that belong to a connection or to the way (contract.md 7); all others must be the same. */
const HEADERS_OF_A_WAY = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  // Only its presence is promised.
  'x-request-id',
]);

type Stage = {
  scenario: Scenario;
  mock: Mock;
  access: Access;
  keys: () => Record<Exclude<Who, 'nobody'>, string>;
  made: string[];
  played: Played;
  /** What the receiver of the next event does before it answers. */
  meanwhile: Step[];
};

/** Plays a scenario on a fresh mock through one way into it. */
export async function play(scenario: Scenario, way: Way): Promise<Played> {
  const played: Played = { answers: [], events: [], problems: [], journal: [], state: null };
  const secrets = { test: '', live: '' };
  let stage: Stage | undefined;
  const receive = async (request: Request): Promise<Response> => {
    const [body, signature] = [await request.text(), request.headers.get('x-service-signature')];
    const signers = await Promise.all(
      (['test', 'live'] as const).map(
        async (mode) => [mode, await isValidSignature(body, signature, secrets[mode])] as const,
      ),
    );
    played.events.push({ body, signedBy: signers.find(([, isValid]) => isValid)?.[0] ?? 'nobody' });
    if (stage !== undefined) await perform(stage, stage.meanwhile.splice(0));
    return new Response();
  };
  const inbox = scenario.events && (await way.receive(receive));
  const mock = createMock({ clock: 'manual', seed: 'same', ...scenario.options, ...inbox?.options });
  for (const mode of inbox ? (['test', 'live'] as const) : []) {
    secrets[mode] = mock.sandbox.webhooks.setEndpoint({ mode, url: inbox!.url }).secret;
  }
  const access = await way.enter(mock);
  try {
    stage = { scenario, mock, access, keys: keepKeys(mock), made: [], played, meanwhile: [] };
    await perform(stage, scenario.steps);
    played.journal = mock.sandbox.requests.list().map(toComparable);
    if (!scenario.events) played.state = await mock.sandbox.stateHash();
  } finally {
    await access.close();
    await mock.close();
    await inbox?.close();
  }
  return played;
}

/** Shows of an entry of the journal what does not belong to the way of the call or to the addresses of receivers. */
function toComparable({ response, effects, ...entry }: RequestView): object {
  const { id, at, account, mode, operation, method, path, query, body, fault } = entry;
  const answered =
    response === null || response === 'connection_lost' ? response : { ...response, json: null };
  const deliveries = effects.deliveries.map((delivery) => ({
    ...delivery,
    attempts: delivery.attempts.map((attempt) => ({ ...attempt, url: 'there' })),
  }));
  const asked = { id, at, account, mode, operation, method, path, query, body, fault };
  return { ...asked, response: answered, effects: { ...effects, deliveries } };
}

/** Returns a function that tells the keys of the moment, and the test key that there was at first. */
function keepKeys(mock: Mock): Stage['keys'] {
  const other: AccountView = mock.sandbox.accounts.create({ name: 'other' });
  const { testKey: replaced } = mock.account;
  return () => ({ test: mock.account.testKey, live: mock.account.liveKey, other: other.testKey, replaced });
}

async function perform(stage: Stage, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if ('act' in step) await step.act(stage.mock);
    else await call(stage, step);
    // Within an event there is always one under way: this one.
    if (steps === stage.scenario.steps) await stage.mock.sandbox.idle();
  }
}

async function call(stage: Stage, step: Send): Promise<void> {
  const { answers, problems } = stage.played;
  const [method = '', path = ''] = fill(stage, step.send).split(/ (.*)/s);
  const url = `${stage.access.baseUrl}${path}`;
  const request: RequestInit = {
    method,
    headers: writeHeaders(stage, step),
    redirect: 'manual',
    ...writeBody(step),
  };
  stage.meanwhile.push(...(step.meanwhile ?? []));
  // Written down in the order in which calls are made.
  const answer: Answer = { call: describe(step), status: 'lost', headers: {}, hasRequestId: false, text: '' };
  answers.push(answer);
  try {
    const response = await stage.access.fetch(url, request);
    Object.assign(answer, await read(response));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  if (!fits(answer, step.gives))
    problems.push(`${answer.call} gives ${answer.status} ${answer.text}, not ${step.gives}`);
  problems.push(...findProblems(stage, { method: new Request(url, { method }).method, url, answer }));
  const { id } = (parse(answer.text)?.data ?? {}) as { id?: string };
  if (id !== undefined && !stage.made.includes(id)) stage.made.push(id);
}

function describe({ send, as, headers = {}, body }: Send): string {
  const told = Object.entries(headers).map(([name, value]) => `${name}: ${value ?? '–'}`);
  const shown = body === undefined ? [] : [shorten(describeBody(body))];
  return [send, ...(as === undefined ? [] : [`as ${as}`]), ...told, ...shown].join(' | ');
}

function describeBody(body: unknown): string {
  if (body instanceof Uint8Array) return `bytes ${body.join(' ')}`;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length <= 300
    ? text
    : `${characters.slice(0, 100).join('')}… of ${text.length} characters`;
}

/** Puts ids and keys in the place of their names. */
function fill({ made, keys }: Stage, text: string): string {
  const { test: testKey, live: liveKey, other: otherKey } = keys();
  const known: Record<string, string> = { testKey, liveKey, otherKey };
  return text.replaceAll(
    /\{(\w+)\}/g,
    (whole, name: string) => known[name] ?? made[Number(name) - 1] ?? whole,
  );
}

function writeHeaders(stage: Stage, { as = 'test', headers = {}, body }: Send): Headers {
  const written = new Headers();
  if (body !== undefined) written.set('content-type', 'application/json');
  if (as !== 'nobody') written.set('authorization', `Bearer ${stage.keys()[as]}`);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) written.delete(name);
    else written.set(name, fill(stage, value));
  }
  return written;
}

function writeBody({ body }: Send): RequestInit {
  if (body === undefined) return {};
  return {
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  };
}

async function read(response: Response): Promise<Partial<Answer>> {
  // Every byte counts, a byte order mark too.
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
    await response.arrayBuffer(),
  );
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !HEADERS_OF_A_WAY.has(name)));
  return { status: response.status, headers, hasRequestId: response.headers.has('x-request-id'), text };
}

function fits({ status, text }: Answer, gives: Send['gives']): boolean {
  const [wanted, type] = gives.split(' ');
  return (
    String(status) === wanted &&
    (type === undefined || (parse(text)?.error as { type?: string } | undefined)?.type === type)
  );
}

type Told = { method: string; url: string; answer: Answer };

function findProblems({ scenario, keys }: Stage, { method, url, answer }: Told): string[] {
  const leaks = Object.entries(keys()).filter(([, key]) => answer.text.includes(key));
  const leaked = leaks.map(([who]) => `${answer.call} shows the key of ${who}`);
  if (answer.status === 'lost' || scenario.options?.profile !== undefined) return leaked;
  const headers = new Headers(answer.headers);
  if (answer.hasRequestId) headers.set('x-request-id', 'req_00000000');
  const deviations = findDeviations(method, url, { status: answer.status, headers, text: answer.text });
  return [...leaked, ...deviations.map((deviation) => `${answer.call}: ${deviation}`)];
}

function parse(text: string): { data?: unknown; error?: unknown } | undefined {
  try {
    return (JSON.parse(text) as object | null) ?? undefined;
  } catch {
    return undefined;
  }
}
