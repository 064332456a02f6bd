// The effects of faults and magic values, as a client and a receiver of the sandbox observe them.
import { createHmac } from 'node:crypto';
import type { FaultOptions, Mock } from '@service/mock';
import type { OperationId } from '@service/contract';
import { openSandbox, order, pay, sendCall, toCalls } from './sandbox-calls.ts';

const SECRET = 'a signing secret of the reference';
const SECONDS = 40;
/** Milliseconds without a byte after which a body has stalled. The sandbox sends the rest of other bodies at once. */
const STALLED = 500;

/** Options that a kind of fault requires. */
const required: Readonly<Record<string, object>> = {
  latency: { ms: 1 },
  status: { status: 503 },
  delay: { by: '30s' },
};

/** Returns the observed response of a valid request with a fault. */
export async function observeFault(kind: string, operation: OperationId): Promise<string> {
  const mock = openSandbox({});
  const payment = await pay(mock);
  mock.sandbox.faults.inject({ kind, operation, ...required[kind] } as FaultOptions);
  const outcome = await describeResponse(sendCall(mock, toCalls(payment)[operation]));
  if (operation !== 'createPayment') return outcome;
  const isCreated = mock.sandbox.requests.list().at(-1)?.effects.payment_id !== null;
  return `${outcome}; ${isCreated ? 'the payment exists' : 'no payment'}`;
}

/** Returns the status and the state of the body of a response, or the error of the request. */
async function describeResponse(sent: Promise<Response>): Promise<string> {
  try {
    const response = await sent;
    const type = response.headers.get('content-type') ?? '';
    const body = await readState(response);
    const format = body === 'whole' && !type.startsWith('application/json') ? ', HTML type' : '';
    return `${response.status}${body === 'whole' ? format : `, ${body}`}`;
  } catch (error) {
    const { code = 'no HTTP' } = ((error as Error).cause ?? {}) as { readonly code?: string };
    return code === 'ECONNRESET' ? 'connection reset' : 'no HTTP response';
  }
}

/** Reads a body without waiting for the rest of one that stalls. */
async function readState({ body, headers }: Response): Promise<string> {
  const length = Number(headers.get('content-length') ?? 0);
  const reader = body?.getReader();
  let received = 0;
  for (;;) {
    const next = reader?.read() ?? Promise.resolve({ value: undefined });
    const part = await Promise.race([
      next.then(({ value }) => value?.byteLength).catch(() => 'body cut off' as const),
      new Promise<'body stalls'>((resolve) => setTimeout(resolve, STALLED, 'body stalls')),
    ]);
    if (typeof part === 'string') return part;
    if (part === undefined) {
      if (received === 0) return 'no body';
      return received < length ? 'body cut off' : 'whole';
    }
    received += part;
  }
}

/** A received request of the endpoint. */
export interface Arrival {
  readonly status: string;
  /** Seconds of sandbox time after the create. */
  readonly second: number;
  readonly isAuthentic: boolean;
}

/** A payment with the response to its create, its statuses and its events, in order. */
export interface Life {
  readonly response: string;
  readonly statuses: readonly string[];
  readonly arrivals: readonly Arrival[];
  /** Whether an event arrived before the response. */
  readonly isEventFirst: boolean;
}

/** Observes a payment for 40 seconds of sandbox time, with an optional fault of a delivery. */
export async function observeLife(account: string, fault?: string): Promise<Life> {
  const arrivals: Arrival[] = [];
  let second = 0;
  let hasResponse = false;
  let isEventFirst = false;
  const mock = openSandbox({}, async (event) => {
    const body = await event.text();
    isEventFirst ||= !hasResponse;
    arrivals.push({
      status: (JSON.parse(body) as { data: { status: string } }).data.status,
      second,
      isAuthentic: event.headers.get('x-service-signature') === sign(body),
    });
    return new Response();
  });
  mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:3000/webhooks', secret: SECRET });
  if (fault !== undefined)
    mock.sandbox.faults.inject({
      target: 'delivery',
      kind: fault,
      event: 'payment.processing',
      ...required[fault],
    } as FaultOptions);
  const call = { ...toCalls('').createPayment, body: { ...order, beneficiary_account: account } };
  const response = await describeResponse(sendCall(mock, call));
  hasResponse = true;
  const id = mock.sandbox.requests.list().at(-1)?.effects.payment_id;
  if (typeof id !== 'string') return { response, statuses: ['no payment'], arrivals, isEventFirst };
  const statuses = [`${await readStatus(mock, id)} at 0 s`];
  for (second = 0; second < SECONDS;) {
    await mock.sandbox.idle();
    second += 1;
    await mock.sandbox.clock.advance('1s');
    const status = await readStatus(mock, id);
    if (!statuses.at(-1)?.startsWith(`${status} `)) statuses.push(`${status} at ${second} s`);
  }
  return { response, statuses, arrivals, isEventFirst };
}

async function readStatus(mock: Mock, payment: string): Promise<string> {
  const response = await sendCall(mock, toCalls(payment).getPayment);
  return ((await response.json()) as { readonly data: { readonly status: string } }).data.status;
}

const sign = (body: string): string => createHmac('sha256', SECRET).update(body).digest('hex');
