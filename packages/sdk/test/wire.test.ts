import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Client, createClient, type ServiceError } from '../src/index.ts';
import { payment, paymentInput, rejection, testKey } from './service.ts';
import { answerWith, listen } from './socket-server.ts';

const connect = (baseUrl: string, options: object = {}): Client =>
  createClient({ apiKey: testKey, baseUrl, maxRetries: 0, ...options });
const created = JSON.stringify({ success: true, mode: 'test', data: payment });

type Case = {
  readonly title: string;
  readonly answer: (socket: Socket) => unknown;
  readonly create: object;
  readonly read: object;
};

const unknownCreate = (cause: object, more: object = {}): object => ({
  name: 'PaymentOutcomeUnknownError',
  outcome: 'unknown',
  attempts: 1,
  cause,
  ...more,
});

const same = (answer: Case['answer'], error: object, more: object = {}): Omit<Case, 'title'> => ({
  answer,
  create: unknownCreate(error, more),
  read: error,
});

const send = (bytes: string) => (socket: Socket) => socket.end(bytes);

const cases: Case[] = [
  {
    title: 'a reset before the headers',
    ...same(
      (socket) => socket.resetAndDestroy(),
      { name: 'ConnectionError', outcome: 'unknown' },
      { phase: 'waiting' },
    ),
  },
  {
    title: 'a connection that is closed without a word',
    ...same((socket) => socket.end(), { name: 'ConnectionError', outcome: 'unknown' }, { phase: 'waiting' }),
  },
  {
    title: 'a reset in mid-body',
    ...same(
      (socket) => {
        socket.write(`HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\n${created.slice(0, 90)}`, () =>
          setImmediate(() => socket.resetAndDestroy()),
        );
      },
      { name: 'ConnectionError', outcome: 'unknown', status: 201 },
      { phase: 'reading' },
    ),
  },
  {
    title: 'a body that ends before its length',
    ...same(
      send(`HTTP/1.1 201 Created\r\nContent-Length: 5000\r\n\r\n${created.slice(0, -10)}`),
      { name: 'ConnectionError', outcome: 'unknown', status: 201 },
      { phase: 'reading', salvagedId: payment.id },
    ),
  },
  {
    title: 'bytes that are not HTTP',
    ...same(send('hello\r\n\r\n'), { name: 'ConnectionError', outcome: 'unknown' }, { phase: 'waiting' }),
  },
  {
    title: 'JSON that breaks off',
    ...same(
      send(answerWith('200 OK', created.slice(0, -1))),
      { name: 'UnreadableResponseError', status: 200 },
      { phase: 'answered', salvagedId: payment.id },
    ),
  },
  {
    title: 'an empty 401',
    ...same(send(answerWith('401 Unauthorized', '')), { name: 'AuthenticationError', outcome: 'unknown' }),
  },
  {
    title: 'a 200 of HTML',
    ...same(send(answerWith('200 OK', '<h1>Welcome</h1>', ['Content-Type: text/html'])), {
      name: 'UnreadableResponseError',
      raw: '<h1>Welcome</h1>',
    }),
  },
  {
    title: 'a 204',
    ...same(send('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'), {
      name: 'UnreadableResponseError',
      status: 204,
    }),
  },
  {
    title: 'an empty 500',
    ...same(send(answerWith('500 Internal Server Error', '')), { name: 'ServerError', status: 500 }),
  },
  {
    title: 'a 503 that asks to come back',
    ...same(send(answerWith('503 Service Unavailable', '{}', ['Retry-After: 0'])), {
      name: 'ServerError',
      status: 503,
    }),
  },
  {
    title: 'a 200 with success false',
    ...same(send(answerWith('200 OK', '{"success":false,"error":{"type":"x","message":"y"}}')), {
      name: 'UnreadableResponseError',
      type: 'x',
    }),
  },
  {
    title: 'a 408',
    ...same(send(answerWith('408 Request Timeout', '')), { name: 'ServiceError', status: 408 }),
  },
  {
    title: 'a refusal in the documented form',
    answer: send(
      answerWith(
        '422 Unprocessable',
        '{"success":false,"mode":"test","error":{"type":"insufficient_funds","message":"No."}}',
      ),
    ),
    create: { name: 'InsufficientFundsError', outcome: 'rejected', attempts: 1 },
    read: { name: 'InsufficientFundsError', outcome: 'rejected', attempts: 1 },
  },
];

describe.each(cases)('$title', ({ answer, create, read }) => {
  test('is met with one request by a create', async () => {
    await using server = await listen(answer);
    const error = await rejection(connect(server.baseUrl).payments.create(paymentInput));
    expect(error).toMatchObject(create);
    expect(server.requests).toHaveLength(1);
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(testKey);
  });

  test('is met with one request by a read', async () => {
    await using server = await listen(answer);
    expect(await rejection(connect(server.baseUrl).payments.retrieve(payment.id))).toMatchObject(read);
    expect(server.requests).toHaveLength(1);
  });
});

describe.each([
  ['421 Misdirected Request', 421],
  ['401 Unauthorized', 401],
  ['407 Proxy Authentication Required', undefined],
  ['408 Request Timeout', 408],
  ['425 Too Early', 425],
  ['503 Service Unavailable', 503],
] as const)('a %s, which some take for leave to send again,', (line, status) => {
  const challenge = ['WWW-Authenticate: Bearer', 'Proxy-Authenticate: Basic', 'Retry-After: 0'];
  const turnAway = (socket: Socket): unknown => socket.end(answerWith(line, '', challenge));

  test.each([
    ['once', 1],
    ['always', Number.POSITIVE_INFINITY],
  ])('is met with one create when it comes %s', async (_, times) => {
    await using server = await listen((socket) => {
      if (server.requests.length <= times) turnAway(socket);
      else socket.end(answerWith('201 Created', created));
    });
    const error = await rejection(connect(server.baseUrl).payments.create(paymentInput));
    expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', status, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test('is met with one create also through a fetch that wraps the global one', async () => {
    await using server = await listen(turnAway);
    const fetch = (request: Request): Promise<Response> => globalThis.fetch(request);
    await rejection(connect(server.baseUrl, { fetch }).payments.create(paymentInput));
    expect(server.requests).toHaveLength(1);
  });

  test('is met with one call of the client beneath, with a body or without', async () => {
    await using server = await listen(turnAway);
    const { api } = connect(server.baseUrl);
    for (const body of [{ ...paymentInput, amount: 100 }, undefined]) {
      await api.POST('/payments', { body } as never).catch(() => {});
    }
    expect(server.requests).toHaveLength(2);
  });
});

test('the length of a body is told in bytes', async () => {
  await using server = await listen((socket) => socket.end(answerWith('201 Created', created)));
  await connect(server.baseUrl).payments.create({ ...paymentInput, beneficiary_name: 'José 株式会社' });
  const [head = '', body = ''] = server.requests[0]?.split('\r\n\r\n') ?? [];
  expect(head.toLowerCase()).toContain(`content-length: ${Buffer.byteLength(body)}`);
  expect(head.toLowerCase()).not.toContain('transfer-encoding');
  expect(JSON.parse(body)).toMatchObject({ beneficiary_name: 'José 株式会社', amount: 100 });
});

describe('an answer without an end', () => {
  const pour = (socket: Socket): void => {
    socket.write('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n');
    const size = 1 << 16;
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    const more = (): void => {
      while (socket.writable && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  };

  test('is left beyond 8 MiB, and the socket is closed', async () => {
    const closed = Promise.withResolvers<number>();
    await using server = await listen((socket) => {
      socket.on('close', () => closed.resolve(socket.bytesWritten));
      pour(socket);
    });
    const error = await rejection(connect(server.baseUrl).balance.retrieve());
    expect(error).toMatchObject({ name: 'UnreadableResponseError', outcome: 'unknown', status: 201 });
    expect(String(error)).toContain('8 MiB');
    expect(await closed.promise).toBeLessThan(64 * 2 ** 20);
  });

  test('leaves the outcome of a create unknown', async () => {
    await using server = await listen(pour);
    expect(await rejection(connect(server.baseUrl).payments.create(paymentInput))).toMatchObject(
      unknownCreate({ name: 'UnreadableResponseError' }, { phase: 'reading', status: 201 }),
    );
    expect(server.requests).toHaveLength(1);
  });
});

test('a connection that dies while it is idle costs no second request', async () => {
  await using server = await listen((socket) => {
    if (server.requests.length === 1)
      socket.write(`HTTP/1.1 201 Created\r\nContent-Length: ${created.length}\r\n\r\n${created}`);
    else socket.resetAndDestroy();
  });
  const service = connect(server.baseUrl);
  await service.payments.create(paymentInput);
  expect(await rejection(service.payments.create(paymentInput))).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
  });
  expect(server.requests).toHaveLength(2);
});

test('a server that never answers is left at the timeout, after one request', async () => {
  await using server = await listen(() => {});
  const error = await rejection(connect(server.baseUrl, { timeout: 50 }).payments.create(paymentInput));
  expect(error).toMatchObject(
    unknownCreate({ name: 'TimeoutError', outcome: 'unknown' }, { phase: 'waiting' }),
  );
  expect(server.requests.length).toBeLessThan(2);
});

test('a body that stalls is left when the signal says so, and the socket is closed', async () => {
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  await using server = await listen((socket) => {
    socket.on('close', () => closed.resolve());
    socket.write(`HTTP/1.1 201 Created\r\nContent-Length: 5000\r\n\r\n${created.slice(0, 90)}`);
  });
  const failed = rejection(
    connect(server.baseUrl).payments.create(paymentInput, { signal: controller.signal }),
  );
  await server.reached(1);
  controller.abort();
  expect(await failed).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
    cause: { name: 'AbortError' },
  });
  await closed.promise;
  expect(server.requests).toHaveLength(1);
});

test.each([301, 302, 303, 307, 308])('a redirect %i to another host is never followed', async (status) => {
  await using elsewhere = await listen(send(answerWith('201 Created', created)));
  await using server = await listen(
    send(answerWith(`${status} Moved`, '', [`Location: ${elsewhere.baseUrl}/payments`])),
  );
  for (const auth of ['bearer', 'x-api-key']) {
    const service = connect(server.baseUrl, { auth });
    expect(await rejection(service.payments.create(paymentInput))).toMatchObject(
      unknownCreate({ name: 'UnreadableResponseError', status }),
    );
    expect(await rejection(service.balance.retrieve())).toMatchObject({
      name: 'UnreadableResponseError',
      status,
    });
    expect(await rejection(service.api.GET('/balance', { redirect: 'follow' }))).toMatchObject({ status });
  }
  expect(server.requests).toHaveLength(6);
  expect(elsewhere.requests).toHaveLength(0);
});

describe('a request that never left', () => {
  const notSent = { name: 'ConnectionError', outcome: 'not_sent', attempts: 1 };

  test('is told where nobody listens', async () => {
    const server = createSocketServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    for (const host of ['127.0.0.1', 'localhost']) {
      expect(
        await rejection(connect(`http://${host}:${port}/api/v1`).payments.create(paymentInput)),
      ).toMatchObject(notSent);
    }
  });

  test('is told where DNS knows no such name', async () => {
    const service = connect('http://api.does-not-exist.invalid/api/v1', { allowInsecureHttp: true });
    expect(await rejection(service.payments.create(paymentInput))).toMatchObject(notSent);
  });

  test('is told where fetch refuses the port', async () => {
    expect(
      await rejection(connect('http://127.0.0.1:22/api/v1').payments.create(paymentInput)),
    ).toMatchObject(notSent);
  });

  test('is told where the other end does not speak TLS', async () => {
    const plain = createSocketServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => plain.once('listening', resolve));
    const { port } = plain.address() as AddressInfo;
    const error = await rejection(connect(`https://127.0.0.1:${port}/api/v1`).payments.create(paymentInput));
    await new Promise((resolve) => plain.close(resolve));
    expect(error).toMatchObject(notSent);
  });
});

test('what reaches a server is one whole request', async () => {
  const seen: { url: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ url: `${request.method} ${request.url}`, headers: request.headers, body });
      response.writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'req_9' }).end(created);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const service = connect(`http://127.0.0.1:${port}/api/v1/`);
  const answered = await service.payments.create(paymentInput, { idempotencyKey: 'order-42' }).withResponse();
  expect(answered).toMatchObject({ data: payment, requestId: 'req_9', mode: 'test', attempts: 1 });
  expect(seen).toEqual([
    {
      url: 'POST /api/v1/payments',
      headers: expect.objectContaining({
        authorization: `Bearer ${testKey}`,
        'content-type': 'application/json',
        accept: 'application/json',
        'idempotency-key': 'order-42',
        'content-length': String(seen[0]?.body.length),
      }),
      body: expect.stringContaining('"amount":100.00,'),
    },
  ]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ['in UTF-8', Buffer.from('已创建')],
  ['in Latin-1', Buffer.from('Créé', 'latin1')],
])('a reason phrase %s is no reason to doubt the answer', async (_, phrase) => {
  const [status, ...rest] = answerWith('201 ?', created).split('?');
  const bytes = Buffer.concat([Buffer.from(status ?? ''), phrase, Buffer.from(rest.join('?'))]);
  await using server = await listen((socket) => socket.end(bytes));
  const service = connect(server.baseUrl);
  expect(await service.payments.create(paymentInput)).toEqual(payment);
  expect(await service.payments.retrieve(payment.id)).toEqual(payment);
});

test('errors of one kind come from one place', async () => {
  await using server = await listen(
    send(answerWith('404 Not Found', '{"success":false,"error":{"type":"not_found","message":"x"}}')),
  );
  const service = connect(server.baseUrl);
  const errors = await Promise.all([
    rejection(service.balance.retrieve()),
    rejection(service.transactions.list()),
    rejection(service.payments.retrieve(payment.id)),
    rejection(service.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 })),
  ]);
  expect(errors.map((error) => (error as ServiceError).name)).toEqual(Array(4).fill('NotFoundError'));
});
