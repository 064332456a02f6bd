import { describe, expect, test } from 'vitest';
import { type Client, type Outcome, PaymentOutcomeUnknownError, type ServiceError } from '../src/index.ts';
import {
  clientAnswering,
  failure,
  json,
  payment,
  paymentInput,
  rejection,
  success,
  testKey,
} from './service.ts';

const coded = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more });
const failedFetch = (cause: unknown): TypeError => new TypeError('fetch failed', { cause });
const bundle = (...errors: unknown[]): AggregateError => new AggregateError(errors, 'all failed');

async function create(answer: Response | Error, options: object = {}): Promise<ServiceError> {
  const { service, requests } = clientAnswering([answer], options);
  const error = await rejection(service.payments.create(paymentInput));
  expect(requests).toHaveLength(1);
  return error as ServiceError;
}

const wire: [string, Error, Outcome][] = [
  ['a name that DNS does not know', failedFetch(coded('ENOTFOUND')), 'not_sent'],
  ['DNS that does not answer', failedFetch(coded('EAI_AGAIN')), 'not_sent'],
  ['a port where nobody listens', failedFetch(coded('ECONNREFUSED')), 'not_sent'],
  [
    'a network that cannot be reached',
    failedFetch(Object.assign(coded('ENETUNREACH'), { syscall: 'connect' })),
    'not_sent',
  ],
  [
    'a connection reset while reading',
    failedFetch(Object.assign(coded('ECONNRESET'), { syscall: 'read' })),
    'unknown',
  ],
  ['a connection that is not made in time', failedFetch(coded('UND_ERR_CONNECT_TIMEOUT')), 'not_sent'],
  ['a port that fetch refuses', failedFetch(new Error('bad port')), 'not_sent'],
  ['an expired certificate', failedFetch(coded('CERT_HAS_EXPIRED')), 'not_sent'],
  ['a certificate that nobody signed', failedFetch(coded('DEPTH_ZERO_SELF_SIGNED_CERT')), 'not_sent'],
  ['a certificate of another host', failedFetch(coded('ERR_TLS_CERT_ALTNAME_INVALID')), 'not_sent'],
  ['no TLS at the other end', failedFetch(coded('ERR_SSL_WRONG_VERSION_NUMBER')), 'not_sent'],
  ['a code without a cause around it', coded('ECONNREFUSED'), 'not_sent'],
  ['every address refused', failedFetch(bundle(coded('ECONNREFUSED'), coded('ECONNREFUSED'))), 'not_sent'],
  ['one of the addresses reset', failedFetch(bundle(coded('ECONNREFUSED'), coded('ECONNRESET'))), 'unknown'],
  ['a bundle without errors', failedFetch(bundle()), 'unknown'],
  [
    'a bundle that says refused and holds a reset',
    failedFetch(Object.assign(bundle(coded('ECONNRESET')), { code: 'ECONNREFUSED' })),
    'unknown',
  ],
  [
    'a refusal whose own cause is a reset',
    failedFetch(Object.assign(coded('ECONNREFUSED'), { cause: coded('ECONNRESET') })),
    'unknown',
  ],
  ['a reset', failedFetch(coded('ECONNRESET')), 'unknown'],
  ['a broken pipe', failedFetch(coded('EPIPE')), 'unknown'],
  ['a socket that closed', failedFetch(coded('UND_ERR_SOCKET')), 'unknown'],
  ['headers that did not come', failedFetch(coded('UND_ERR_HEADERS_TIMEOUT')), 'unknown'],
  [
    'a TLS alert in mid-connection',
    failedFetch(coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')),
    'unknown',
  ],
  ['no cause at all', new TypeError('Failed to fetch'), 'unknown'],
  ['a cause that is text', failedFetch('ECONNREFUSED'), 'unknown'],
  ['words that are not a code', failedFetch(new Error('ECONNREFUSED')), 'unknown'],
];

test.each(wire)('of a create that met %s is %s', async (_, met, outcome) => {
  const error = await create(met);
  const connection = outcome === 'unknown' ? error.cause : error;
  expect(error.outcome).toBe(outcome);
  expect(error.attempts).toBe(1);
  expect(connection).toMatchObject({ name: 'ConnectionError', outcome, attempts: 1, cause: met });
  expect(error instanceof PaymentOutcomeUnknownError).toBe(outcome === 'unknown');
});

test('of a chain of causes without end is unknown', async () => {
  const loop = new Error('loop');
  loop.cause = loop;
  const error = await create(loop);
  expect(error.outcome).toBe('unknown');
  expect((error.cause as Error).cause).toMatchObject({ message: 'loop' });
});

const object = { message: 'no' };
const rejected = [400, 401, 403, 404, 405, 413, 415, 422, 429];
const unknown = [402, 406, 408, 409, 410, 418, 425, 451, 500, 501, 502, 503, 504, 599];

test.each(rejected)('of a create answered %i with a JSON object is rejected', async (status) => {
  const error = await create(json(object, status));
  expect(error).toMatchObject({ outcome: 'rejected', status, attempts: 1 });
  expect(error).not.toBeInstanceOf(PaymentOutcomeUnknownError);
});

test.each(rejected)('of a create answered %i with anything else is unknown', async (status) => {
  for (const body of ['', '<h1>no</h1>', '[]', 'null', '"no"', '{"error":']) {
    const error = await create(new Response(body, { status }));
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(error).toMatchObject({ outcome: 'unknown', status, phase: 'answered', cause: { status } });
  }
});

test.each(rejected)('of a create refused %i in words that contradict it is unknown', async (status) => {
  const error = { type: 'validation_error', message: 'No.' };
  for (const body of [
    { success: true, mode: 'test', data: payment },
    { success: true, mode: 'test', error },
    { success: false, mode: 'test', data: payment, error },
    { success: false, mode: 'test', error: { ...error, type: 'server_error' } },
    { success: false, mode: 'test', error: { ...error, type: 'service_unavailable' } },
  ]) {
    expect(await create(json(body, status))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'answered',
      cause: { outcome: 'unknown', status },
    });
  }
});

test('of a create refused with data that is null is rejected', async () => {
  const error = { type: 'validation_error', message: 'No.' };
  expect(await create(json({ success: false, mode: 'test', data: null, error }, 422))).toMatchObject({
    name: 'ValidationError',
    outcome: 'rejected',
  });
});

test.each(unknown)('of a create answered %i is unknown', async (status) => {
  for (const type of ['server_error', 'validation_error', 'insufficient_funds']) {
    const error = await create(failure(status, type));
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(error).toMatchObject({ outcome: 'unknown', status, type, requestId: 'req_1' });
  }
});

test.each([300, 301, 302, 303, 304, 307, 308])('of a create answered %i is unknown', async (status) => {
  const headers = { location: 'https://evil.example/' };
  const error = await create(new Response(null, { status, headers }));
  expect(error).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
    cause: { name: 'UnreadableResponseError' },
  });
});

test.each([
  ['no content', new Response(null, { status: 204 })],
  ['nothing', new Response('')],
  ['HTML', new Response('<h1>welcome</h1>')],
  ['JSON that breaks off', new Response('{"success":true,"mode":"test","data":{"id":"pay_te')],
  ['success false', json({ success: false, error: { type: 'validation_error', message: 'x' } })],
  ['success false and all else right', json({ success: false, mode: 'test', data: payment }, 201)],
  ['success without data', json({ success: true })],
  ['data without id', success({ ...payment, id: undefined })],
  ['data whose id is a number', success({ ...payment, id: 5 })],
])('of a create answered 2xx with %s is unknown', async (_, answer) => {
  const error = await create(answer);
  expect(error).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
    phase: 'answered',
    cause: { name: 'UnreadableResponseError' },
  });
});

test('of a create whose answer breaks off is unknown, whatever code the break has', async () => {
  const body = new ReadableStream({ start: (controller) => controller.error(coded('ECONNREFUSED')) });
  expect(await create(new Response(body, { status: 201 }))).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
    phase: 'reading',
    cause: { name: 'ConnectionError', outcome: 'unknown' },
  });
});

test('of a create answered by the other mode is unknown', async () => {
  const id = 'pay_live_0000014Kq8ZxWb2TnVd7Rm3s';
  const error = await create(json({ success: true, mode: 'live', data: { ...payment, id } }, 201));
  expect(error).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
    mode: 'live',
    salvagedId: id,
    cause: { name: 'ModeMismatchError' },
  });
  expect(error.message).toContain(`retrieve ${id} with a key of live mode`);
  const refused = json(
    { success: false, mode: 'live', error: { type: 'validation_error', message: 'x' } },
    422,
  );
  expect(await create(refused)).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
});

describe('an abort of a create', () => {
  async function abortAfter(
    act: (service: Client, signal: AbortSignal) => Promise<unknown>,
    answer: Response | (() => Promise<Response>),
  ): Promise<unknown> {
    const controller = new AbortController();
    const { service } = clientAnswering([answer]);
    const failed = rejection(act(service, controller.signal));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('enough'));
    return failed;
  }
  const start = (service: Client, signal: AbortSignal): Promise<unknown> =>
    service.payments.create(paymentInput, { signal });

  test('is not_sent before the request began', async () => {
    const { service, requests } = clientAnswering([success(payment)]);
    const error = await rejection(start(service, AbortSignal.abort()));
    expect(error).toMatchObject({ name: 'AbortError', outcome: 'not_sent', attempts: 0 });
    expect(requests).toHaveLength(0);
  });

  test('is unknown while it waits', async () => {
    const error = await abortAfter(start, () => new Promise<Response>(() => {}));
    expect(error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'waiting',
      status: undefined,
      cause: { name: 'AbortError', outcome: 'unknown', cause: { message: 'enough' } },
    });
  });

  test('is unknown while the body comes, and the id that came is kept', async () => {
    const chunk = new TextEncoder().encode(`{"success":true,"data":{"id":"${payment.id}","sta`);
    const body = new ReadableStream({ start: (controller) => controller.enqueue(chunk) });
    const error = await abortAfter(start, async () => new Response(body, { status: 201 }));
    expect(error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'reading',
      status: 201,
      salvagedId: payment.id,
    });
  });
});

describe('an id in a broken answer', () => {
  const cases: [string, string | undefined][] = [
    [`{"success":true,"data":{"id":"${payment.id}","status":"pen`, payment.id],
    [`{"data":{"id" : "${payment.id}"`, payment.id],
    [`{"data":{"id":"${payment.id}`, undefined],
    [`{"data":{"id":"${payment.id.slice(0, 15)}`, undefined],
    [`{"purpose":"${payment.id}","da`, undefined],
    [`{"data":{"id":"txn_test_1","sta`, undefined],
    ['', undefined],
  ];
  test.each(cases)('is found where it is whole: %s', async (body, salvagedId) => {
    expect(await create(new Response(body, { status: 201 }))).toHaveProperty('salvagedId', salvagedId);
    expect(await create(new Response(body, { status: 500 }))).toHaveProperty('salvagedId', salvagedId);
  });

  test('is named in the message, so that nobody has to look for it', async () => {
    const error = await create(new Response(`{"data":{"id":"${payment.id}",`, { status: 201 }));
    expect(error.message).toContain(`retrieve ${payment.id} with a key of test mode`);
  });
});

test('of an unknown create says plainly what to do, without key and account', async () => {
  const { message } = await create(failedFetch(coded('ECONNRESET')));
  expect(message).toBe(
    'The create was sent and got no answer: the payment may exist. Do not create it again before checking; ' +
      'look for it in the transactions.',
  );
  expect(message).not.toContain(testKey);
  expect(message).not.toContain(paymentInput.beneficiary_account);
});

test('of reads is told as well, by their own errors', async () => {
  const { service } = clientAnswering([
    failedFetch(coded('ECONNREFUSED')),
    failedFetch(coded('ECONNRESET')),
    failure(404, 'not_found'),
    failure(500, 'server_error'),
  ]);
  const outcomes: unknown[] = [];
  for (let count = 0; count < 4; count += 1) {
    outcomes.push(((await rejection(service.payments.retrieve(payment.id))) as ServiceError).outcome);
  }
  expect(outcomes).toEqual(['not_sent', 'unknown', 'rejected', 'unknown']);
});
