import { isValidSignature } from '@service/webhooks';
import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import {
  type Finding,
  probe,
  type ProbeConnection,
  type ProbeOptions,
  type ProbeResult,
  type WebhookSink,
} from '@service/probe';
import { onRequest } from '../../../test/support/on-request.ts';

/** Returns the connection to a mock, and its clock, which advances only when the probe waits. */
export function connectTo({ account, baseUrl, fetch, sandbox }: Mock): [ProbeConnection, ProbeOptions] {
  const clock: ProbeOptions['clock'] = {
    now: () => sandbox.clock.now().getTime(),
    sleep: (milliseconds) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
  };
  return [{ apiKey: account.testKey, baseUrl, fetch }, { clock }];
}

/** A request of the probe to the service under test. */
export interface Exchange {
  readonly request: Request;
  readonly path: string;
  /** The parsed JSON body; empty if there was none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Forwards the request to the mock. */
  readonly forward: () => Promise<Response>;
  readonly mock: Mock;
}

/** The differences between the service under test and a plain mock. */
export interface ServiceOptions {
  readonly profile?: ProfileChoice;
  readonly intercept?: (exchange: Exchange) => Promise<Response>;
  /** Intercepts a webhook between the mock and the recorder. */
  readonly deliver?: (
    delivery: Request,
    receive: (copy: Request) => Promise<Response>,
    mock: Mock,
  ) => Promise<Response>;
  /** Called after each advance of the clock. */
  readonly onAdvance?: (mock: Mock) => Promise<void>;
  readonly secret?: string;
  /** The seed of the mock: its ids, durations and rates. */
  readonly seed?: number;
  readonly options?: ProbeOptions;
}

/** The findings of a probe, and the requests that it sent. */
export type ProbeOutcome = ProbeResult & {
  readonly profile: ProfileChoice;
  readonly find: (setting: string) => Finding | undefined;
  /** Returns the value of a setting, or of a part such as `texts.limit`, if it was found, else `unknown` or `partly`. */
  readonly result: (setting: string) => unknown;
  readonly payments: number;
  readonly requests: readonly string[];
  readonly delays: readonly number[];
};

/** Probes a modified mock. Its clock advances only when the probe waits. */
export async function probeService(service: ServiceOptions): Promise<ProbeOutcome> {
  const secret = 'a secret of this test';
  let sink: WebhookSink | undefined;
  const requests: string[] = [];
  const delays: number[] = [];
  let payments = 0;
  const deliver = service.deliver ?? ((delivery, receive) => receive(delivery));
  const mock: Mock = createMock({
    clock: 'manual',
    start: '2026-01-31T12:00:00Z',
    seed: service.seed ?? 42,
    profile: service.profile ?? {},
    fetch: (delivery) =>
      deliver(delivery, (copy) => recordDelivery(sink!, copy, service.secret ?? secret), mock),
  });
  const { account, sandbox, baseUrl } = mock;
  sandbox.webhooks.setEndpoint({ account, mode: 'test', url: 'http://localhost:9/hooks', secret });
  let isChecked = false;
  const fetch = async (request: Request): Promise<Response> => {
    // The first request only checks the key.
    if (!isChecked) {
      isChecked = true;
      return mock.fetch(request);
    }
    const path = request.url.slice(baseUrl.length);
    requests.push(`${request.method} ${path}`);
    const forward = async (): Promise<Response> => {
      const response = await mock.fetch(request);
      if (request.method === 'POST' && path === '/payments' && response.ok) payments += 1;
      return response;
    };
    const { intercept } = service;
    return intercept === undefined
      ? forward()
      : intercept({ request, path, body: await readBody(request), forward, mock });
  };
  const sleep = async (milliseconds: number): Promise<void> => {
    delays.push(milliseconds);
    await sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`);
    await service.onAdvance?.(mock);
  };
  const outcome = await probe(
    { apiKey: account.testKey, baseUrl, fetch: onRequest(fetch), onWarning: () => {} },
    {
      ...service.options,
      webhooks: async (given) => {
        sink = given;
        return async () => {};
      },
      clock: { now: () => sandbox.clock.now().getTime(), sleep },
    },
  );
  const find = (setting: string): Finding | undefined =>
    outcome.findings.find((finding) => finding.setting === setting);
  const result = (name: string): unknown => {
    const [setting = '', part] = name.split('.');
    const finding = find(setting);
    if (part === undefined) return finding?.state === 'found' ? finding.value : finding?.state;
    const value = finding && 'value' in finding ? (finding.value as Record<string, unknown>) : {};
    if (part in value) return value[part];
    const isUnknown =
      finding?.state === 'partly' && finding.missing.some((each) => each.startsWith(`${part}: not measured`));
    return isUnknown ? 'unknown' : finding?.state;
  };
  return { ...outcome, profile: outcome.profile, find, result, payments, requests, delays };
}

/** Records a delivery with a valid signature; responds to any other with 401. */
async function recordDelivery(sink: WebhookSink, delivery: Request, secret: string): Promise<Response> {
  const bytes = new Uint8Array(await delivery.arrayBuffer());
  const isValid = isValidSignature(bytes, delivery.headers.get('x-service-signature'), secret);
  return new Response(null, { status: isValid ? sink.record(bytes) : 401 });
}

async function readBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await request.clone().json()) as Record<string, unknown>;
  } catch {
    return {};
  }
}

type Data = Record<string, unknown>;

/** Replaces the data of a successful response. */
export async function changeData(response: Response, edit: (data: Data) => unknown): Promise<Response> {
  const body = (await response.clone().json()) as { success?: boolean; data: Data };
  if (body.success !== true) return response;
  return Response.json({ ...body, data: edit(body.data) }, { status: response.status });
}

/** Creates an error response in the format of the service. */
export function createError(status: number, type: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { success: false, mode: 'test', error: { type, message: 'No.' } },
    { status, headers },
  );
}
