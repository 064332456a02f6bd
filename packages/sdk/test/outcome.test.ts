import { describe, expect, it } from 'vitest';
import { type Outcome, PaymentOutcomeUnknownError, type ServiceError } from '../src/index.ts';
import {
  createStubClient,
  failure,
  json,
  payment,
  paymentInput,
  catchRejection,
  success,
  testKey,
} from './service.ts';

const coded = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more });
const failedFetch = (cause: unknown): TypeError => new TypeError('fetch failed', { cause });
const bundle = (...errors: unknown[]): AggregateError => new AggregateError(errors, 'all failed');

async function create(response: Response | Error, options: object = {}): Promise<ServiceError> {
  const { client, requests } = createStubClient([response], options);
  const error = await catchRejection(client.payments.create(paymentInput));
  expect(requests).toHaveLength(1);
  return error as ServiceError;
}

/** The codes of failures of `fetch`, by the outcome that they prove. */
const codes = {
  not_sent:
    'ENOTFOUND EAI_AGAIN ECONNREFUSED UND_ERR_CONNECT_TIMEOUT CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT ERR_TLS_CERT_ALTNAME_INVALID ERR_SSL_WRONG_VERSION_NUMBER',
  unknown:
    // The last four only resemble codes of an unsent request.
    'ECONNRESET EPIPE UND_ERR_SOCKET UND_ERR_HEADERS_TIMEOUT ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED UNABLE_TO_GET_RESPONSE CERT_OK_BUT_BODY_CUT MY_SELF_SIGNED_CERT enotfound',
};
const during = (code: string, syscall: string): TypeError => failedFetch(coded(code, { syscall }));
const refusal = { code: 'ECONNREFUSED' };

const wire: [string, Error, Outcome][] = [
  ...(['not_sent', 'unknown'] as const).flatMap((outcome) =>
    codes[outcome]
      .split(' ')
      .map((code): [string, Error, Outcome] => [code, failedFetch(coded(code)), outcome]),
  ),
  ['an unreachable network', during('ENETUNREACH', 'connect'), 'not_sent'],
  ['a connection reset while reading', during('ECONNRESET', 'read'), 'unknown'],
  ['a port that fetch blocks', failedFetch(new Error('bad port')), 'not_sent'],
  ['a list of codes', failedFetch(Object.assign(new Error(), { code: ['ENOTFOUND'] })), 'unknown'],
  ['a code on the error itself', coded('ECONNREFUSED'), 'not_sent'],
  ['every address refused', failedFetch(bundle(coded('ECONNREFUSED'), coded('ECONNREFUSED'))), 'not_sent'],
  ['one address reset', failedFetch(bundle(coded('ECONNREFUSED'), coded('ECONNRESET'))), 'unknown'],
  ['an AggregateError without errors', failedFetch(bundle()), 'unknown'],
  [
    'a refusal of all with a reset',
    failedFetch(Object.assign(bundle(coded('ECONNRESET')), refusal)),
    'unknown',
  ],
  [
    'a refusal caused by a reset',
    failedFetch(coded('ECONNREFUSED', { cause: coded('ECONNRESET') })),
    'unknown',
  ],
  ['no cause', new TypeError('Failed to fetch'), 'unknown'],
  ['a string as the cause', failedFetch('ECONNREFUSED'), 'unknown'],
  ['a code only in the message', failedFetch(new Error('ECONNREFUSED')), 'unknown'],
];

const object = { message: 'no' };
const rejected = [400, 401, 403, 404, 405, 413, 415, 422, 429];
const unknown = [402, 406, 408, 409, 410, 418, 425, 451, 500, 501, 502, 503, 504, 599];

describe('the outcome of a create', () => {
  it.each(wire)('with %s is %s', async (_, met, outcome) => {
    const error = await create(met, { maxRetries: outcome === 'unknown' ? 2 : 0 });
    const connection = outcome === 'unknown' ? error.cause : error;
    expect(error.outcome).toBe(outcome);
    expect(error.attempts).toBe(1);
    expect(connection).toMatchObject({ name: 'ConnectionError', outcome, attempts: 1, cause: met });
    expect(error instanceof PaymentOutcomeUnknownError).toBe(outcome === 'unknown');
  });

  it('with a circular chain of causes is unknown', async () => {
    const loop = new Error('loop');
    loop.cause = loop;
    const error = await create(loop);
    expect(error.outcome).toBe('unknown');
    expect((error.cause as Error).cause).toMatchObject({ message: 'loop' });
  });

  it.each(rejected)('with a %i and a JSON object is rejected', async (status) => {
    // A 429 without the envelope can be of a gateway.
    const body = status === 429 ? { success: false, error: object } : object;
    const error = await create(json(body, status));
    expect(error).toMatchObject({ outcome: 'rejected', status, attempts: 1 });
    expect(error).not.toBeInstanceOf(PaymentOutcomeUnknownError);
  });

  it.each([
    { message: 'slow down' },
    { success: false, message: 'slow down' },
    { error: { type: 'rate_limit_error', message: 'slow down' } },
    { type: 'rate_limit_error', title: 'Too Many Requests' },
  ])('with a 429 without the envelope is unknown: %o', async (body) => {
    expect(await create(json(body, 429), { maxRetries: 2 })).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'responded',
      cause: { name: 'RateLimitError', outcome: 'unknown', status: 429 },
    });
  });

  it.each(rejected)('with a %i and any other body is unknown', async (status) => {
    for (const body of ['', '<h1>no</h1>', '[]', 'null', '"no"', '{"error":']) {
      const error = await create(new Response(body, { status }));
      expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
      expect(error).toMatchObject({ outcome: 'unknown', status, phase: 'responded', cause: { status } });
    }
  });

  it.each(rejected)('with a %i that contradicts itself is unknown', async (status) => {
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
        phase: 'responded',
        cause: { outcome: 'unknown', status },
      });
    }
  });

  it('with a 422 whose data is null is rejected', async () => {
    const error = { type: 'validation_error', message: 'No.' };
    expect(await create(json({ success: false, mode: 'test', data: null, error }, 422))).toMatchObject({
      name: 'ValidationError',
      outcome: 'rejected',
    });
  });

  it.each(unknown)('with a %i is unknown', async (status) => {
    for (const type of ['server_error', 'validation_error', 'insufficient_funds']) {
      const error = await create(failure(status, type));
      expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
      expect(error).toMatchObject({ outcome: 'unknown', status, type, requestId: 'req_1' });
    }
  });

  it.each([
    ['success false and a valid payment', json({ success: false, mode: 'test', data: payment }, 201)],
    ['data without id', success({ ...payment, id: undefined })],
    ['data whose id is a number', success({ ...payment, id: 5 })],
  ])('with a 2xx and %s is unknown', async (_, response) => {
    const error = await create(response);
    expect(error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'responded',
      cause: { name: 'UnreadableResponseError' },
    });
  });

  it('with a truncated response is unknown, whatever its error code', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(coded('ECONNREFUSED')) });
    expect(await create(new Response(body, { status: 201 }))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'reading',
      cause: { name: 'ConnectionError', outcome: 'unknown' },
    });
  });

  it('with a response of the other mode is unknown', async () => {
    const id = 'pay_live_0000014Kq8ZxWb2TnVd7Rm3s';
    const error = await create(json({ success: true, mode: 'live', data: { ...payment, id } }, 201));
    expect(error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      mode: 'live',
      paymentId: id,
      cause: { name: 'ModeMismatchError' },
    });
    expect(error.message).toContain(`retrieve ${id} with a live key`);
    const refused = json(
      { success: false, mode: 'live', error: { type: 'validation_error', message: 'x' } },
      422,
    );
    expect(await create(refused)).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
  });
});

describe('the payment id in a broken response', () => {
  const cases: [string, string | undefined][] = [
    [`{"success":true,"data":{"id":"${payment.id}","status":"pen`, payment.id],
    [`{"data":{"id" : "${payment.id}"`, payment.id],
    [`{"data":{"id":"${payment.id}`, undefined],
    [`{"data":{"id":"${payment.id.slice(0, 15)}`, undefined],
    [`{"purpose":"${payment.id}","da`, undefined],
    [`{"data":{"id":"txn_test_1","sta`, undefined],
    ['', undefined],
  ];
  it.each(cases)('is found if it is complete: %s', async (body, paymentId) => {
    expect(await create(new Response(body, { status: 201 }))).toHaveProperty('paymentId', paymentId);
    expect(await create(new Response(body, { status: 500 }))).toHaveProperty('paymentId', paymentId);
  });

  it('is named in the message of the error', async () => {
    const error = await create(new Response(`{"data":{"id":"${payment.id}",`, { status: 201 }));
    expect(error.message).toContain(`retrieve ${payment.id} with a test key`);
  });
});

describe('PaymentOutcomeUnknownError', () => {
  it('has a message that says what to do, without API key and account', async () => {
    const { message } = await create(failedFetch(coded('ECONNRESET')));
    expect(message).toBe(
      'The create was sent, but no response was received: the payment may exist. Do not create it again before checking; ' +
        'look for it in the transactions.',
    );
    expect(message).not.toContain(testKey);
    expect(message).not.toContain(paymentInput.beneficiary_account);
  });
});

describe('the outcome of a read', () => {
  it('is on the error', async () => {
    const { client } = createStubClient([
      failedFetch(coded('ECONNREFUSED')),
      failedFetch(coded('ECONNRESET')),
      failure(404, 'not_found'),
      failure(500, 'server_error'),
    ]);
    const outcomes: unknown[] = [];
    for (let count = 0; count < 4; count += 1) {
      outcomes.push(((await catchRejection(client.payments.retrieve(payment.id))) as ServiceError).outcome);
    }
    expect(outcomes).toEqual(['not_sent', 'unknown', 'rejected', 'unknown']);
  });
});
