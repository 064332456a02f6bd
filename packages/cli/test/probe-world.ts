import { isValidSignature } from '@service/webhooks';
import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import type { Plan } from '../src/probe/bench.ts';
import type { Finding } from '../src/probe/finding.ts';
import { createInbox, type Inbox } from '../src/probe/inbox.ts';
import { probe, type Probed } from '../src/probe/probe.ts';
import { createAsk, send } from '../src/probe/wire.ts';
import { keepSecret } from './support.ts';

/** What a service is asked, and what it is asked by and with. */
export type Asked = {
  readonly request: Request;
  readonly path: string;
  /** The JSON that was sent; empty when there was none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Lets the mock answer. */
  readonly answer: () => Promise<Response>;
  readonly mock: Mock;
};

/** How a service differs from the mock that plays it. */
export type Service = {
  readonly profile?: ProfileChoice;
  readonly bend?: (asked: Asked) => Promise<Response>;
  /** Takes a webhook on its way to the inbox. */
  readonly deliver?: (
    delivery: Request,
    hand: (copy: Request) => Promise<Response>,
    mock: Mock,
  ) => Promise<Response>;
  /** Happens whenever some time has gone by. */
  readonly onTime?: (mock: Mock) => Promise<void>;
  readonly secret?: string;
  readonly plan?: Partial<Plan>;
  readonly pays?: boolean;
};

/** What a probe said of a service, and what it did to it. */
export type Seen = Probed & {
  readonly of: (setting: string) => Finding | undefined;
  /** Writes what was said of a setting: the value when it was found, else `unknown` or `other`. */
  readonly said: (setting: string) => unknown;
  readonly payments: number;
  readonly asked: readonly string[];
  readonly waited: readonly number[];
};

/** What the experiments of the tests pay and quote with. */
export const plan: Plan = {
  from: 'USD',
  to: 'EUR',
  amount: '10.00',
  name: 'Probe',
  failing: 'SIM-FAIL',
  returning: 'SIM-RETURN',
  foreign: undefined,
  burst: 0,
  patience: 60_000,
  webhookPatience: 20_000,
};

/** Probes a mock that is bent into another service; its clock stands still until the probe waits. */
export async function probeService(service: Service): Promise<Seen> {
  const secret = 'a secret of this test';
  const inbox = createInbox(() => mock.sandbox.clock.now().getTime());
  const known = service.secret ?? secret;
  const asked: string[] = [];
  const waited: number[] = [];
  let payments = 0;
  const deliver = service.deliver ?? ((delivery, hand) => hand(delivery));
  const mock: Mock = createMock({
    clock: 'manual',
    seed: 42,
    profile: service.profile ?? {},
    fetch: (delivery) => deliver(delivery, (copy) => handTo(inbox, copy, known), mock),
  });
  const { account, sandbox, baseUrl } = mock;
  sandbox.webhooks.setEndpoint({ account, mode: 'test', url: 'http://localhost:9/hooks', secret });
  const signal = new AbortController().signal;
  const fetch = async (request: Request): Promise<Response> => {
    const path = request.url.slice(baseUrl.length);
    asked.push(`${request.method} ${path}`);
    const answer = async (): Promise<Response> => {
      const response = await mock.fetch(request);
      if (request.method === 'POST' && path === '/payments' && response.ok) payments += 1;
      return response;
    };
    const { bend } = service;
    return bend === undefined
      ? answer()
      : bend({ request, path, body: await readBody(request), answer, mock });
  };
  const sleep = async (milliseconds: number): Promise<void> => {
    waited.push(milliseconds);
    await sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`);
    await service.onTime?.(mock);
  };
  const wire = { baseUrl, key: keepSecret(account.testKey), fetch, signal, sleep, timeout: 5_000 };
  const probed = await probe(
    {
      plan: { ...plan, ...service.plan },
      ask: createAsk(wire),
      askOnce: (path, question = {}) => send(wire, path, question),
      key: wire.key,
      inbox,
      sleep,
      signal,
      now: () => sandbox.clock.now().getTime(),
    },
    { pays: service.pays ?? true, onFinding: async () => {} },
  );
  const of = (setting: string): Finding | undefined =>
    probed.findings.find((finding) => finding.setting === setting);
  const said = (setting: string): unknown => {
    const finding = of(setting);
    return finding?.state === 'found' ? finding.value : finding?.state;
  };
  return { ...probed, of, said, payments, asked, waited };
}

/** Hands a delivery to the inbox if it is genuine. */
async function handTo(inbox: Inbox, delivery: Request, secret: string): Promise<Response> {
  const bytes = new Uint8Array(await delivery.arrayBuffer());
  const isGenuine = isValidSignature(bytes, delivery.headers.get('x-service-signature'), secret);
  if (!isGenuine) inbox.refuse();
  return new Response(null, { status: isGenuine ? inbox.take(bytes) : 401 });
}

async function readBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await request.clone().json()) as Record<string, unknown>;
  } catch {
    return {};
  }
}

type Data = Record<string, unknown>;

/** Changes the data of an answer of success, as another service would have it. */
export async function change(response: Response, edit: (data: Data) => unknown): Promise<Response> {
  const body = (await response.clone().json()) as { success?: boolean; data: Data };
  if (body.success !== true) return response;
  return Response.json({ ...body, data: edit(body.data) }, { status: response.status });
}

/** An answer of refusal as the service writes one. */
export function refuse(status: number, type: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { success: false, mode: 'test', error: { type, message: 'No.' } },
    { status, headers },
  );
}
