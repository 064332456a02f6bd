import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, profileSettings } from '@service/mock';
import { listen } from '@service/mock/node';
import {
  headerNames as allHeaderNames,
  pageNames,
  type TemplateNames,
  templatePlaces,
  namedErrors,
} from '@service/internal';
import { runs } from '../../../test/support/runs.ts';
import { collectGarbage } from './collect-garbage.ts';
import { order, START } from './support.ts';

// Random requests over raw sockets and random profiles against one HTTP server. `TEST_RUNS=100` sends 20 000 requests and
// changes the profile 2 000 times: no request ends the process or stays without a response, each 5xx is the sandbox's own,
// and memory does not grow.

const REQUESTS = runs(200);
const CHANGES = runs(20);
const CONCURRENCY = 8;

/** Creates a random number generator with a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Replaces lone surrogates, which a URL cannot have. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\uFFFD');
}

const hostileTexts = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'prototype',
  '',
  ' ',
  '	',
  '.',
  '..',
  '%2e%2e',
  'a\r\nb',
  'a\r\nSet-Cookie: b=c',
  '\r\n\r\n',
  '\0',
  '',
  '�',
  'é',
  '日本語',
  '​',
  '‮',
  '😀',
  'nowplus=x',
  'request_id',
  '\ud800',
  '{',
  '{{',
  '{each rows}',
  '{case status}',
  '1e400',
  '-0',
  'NaN',
  '9'.repeat(400),
  'x'.repeat(5e3),
  '<script>',
  "'; --",
  '\\',
  '%',
  '%zz',
  '%00',
  '../../etc/passwd',
];
const placeholders = ['row', 'value', 'issue', 'wallets', 'each', 'constructor', '__proto__', 'id'];
const words = [
  'upper',
  'cents',
  'fixed',
  'text',
  'omit',
  'empty',
  'uuid',
  'ulid',
  'http',
  'unix',
  'hex=16',
  'digits=9',
  'fraction=3',
  'zone=+01:00',
  'plus=30s',
  'else=none',
  'a=b',
  'abs',
  'html',
  'compact',
  'camel',
];
const hostileWords = [
  'digits=999999',
  'fraction=99999999',
  'zone=+99:99',
  'plus=x',
  'plus=99999999d',
  'or=id',
  'else=é',
  '"',
];
const headerNames = ['x-a', 'X-Evil', 'Link', 'Location', 'Content-Type', 'ETag', '__proto__'];
const hostileNames = [
  'content-length',
  'Set-Cookie',
  'Transfer-Encoding',
  'Connection',
  'a b',
  '',
  'é',
  'a\r\nb',
];
function createGenerator(random: () => number) {
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const chance = (share: number): boolean => random() < share;
  const listOf = <T>(most: number, create: () => T): T[] => Array.from({ length: below(most + 1) }, create);
  const text = (): string =>
    chance(0.5) ? pick(hostileTexts) : listOf(12, () => String.fromCodePoint(below(0x300))).join('');

  const value = (depth = 0): unknown =>
    pick<() => unknown>([
      text,
      () => below(2_000) - 1_000,
      () => random() * 10 ** (below(40) - 20),
      () => pick([null, true, false, [], {}]),
      () => (depth > 3 ? null : listOf(4, () => value(depth + 1))),
      () => (depth > 3 ? null : Object.fromEntries(listOf(4, () => [text(), value(depth + 1)]))),
    ])();

  /** Templates of a place: most of their values exist there. */
  const createTemplates = ({ names, lists = {} }: TemplateNames) => {
    const known = [...names, ...Object.values(lists).flat()];
    const placeholder = (): string => {
      const name = chance(0.97) && known.length > 0 ? pick(known) : pick(placeholders);
      return `{${[name, ...(chance(0.4) ? [chance(0.95) ? pick(words) : pick(hostileWords)] : [])].join(' ')}}`;
    };
    const line = (): string =>
      listOf(4, () =>
        chance(0.6) ? placeholder() : chance(0.8) ? pick(['a', '-', '/x/', 'é']) : text(),
      ).join('');
    const each = (depth: number): unknown => {
      const list = chance(0.95) ? pick(Object.keys(lists)) : 'rows';
      return chance(0.5)
        ? [`{each ${list}}`, template(depth + 1), placeholder()]
        : { [`{each ${list}}`]: template(depth + 1) };
    };
    const template = (depth = 0): unknown =>
      pick<() => unknown>([
        line,
        placeholder,
        () => value(3),
        () => (depth > 1 || Object.keys(lists).length === 0 ? line() : each(depth)),
        () =>
          depth > 3
            ? 1
            : Object.fromEntries(
                listOf(4, () => [chance(0.8) ? pick(['a', 'b', 'status']) : text(), template(depth + 1)]),
              ),
        () => (chance(0.2) ? Array.from({ length: 1_500 }, placeholder) : line()),
      ])();
    const headers = (): object =>
      Object.fromEntries(
        listOf(3, () => [
          chance(0.9) ? pick(headerNames) : pick(hostileNames),
          pick<() => unknown>([
            placeholder,
            () => null,
            () => pick(['a b', '"{request_id}"', '<{path}>; rel="next"']),
            () => (chance(0.1) ? text() : 'x'),
          ])(),
        ]),
      );
    return { template, headers };
  };
  const record = (place: TemplateNames) => (): object =>
    Object.fromEntries(
      listOf(4, () => [chance(0.8) ? pick(['a', 'b', 'c']) : text(), createTemplates(place).template()]),
    );
  const ofRefusal = createTemplates(templatePlaces.refusal);
  const ofPage = createTemplates(templatePlaces.page);
  const ofHeader = (name: string): object =>
    createTemplates({ names: new Map(Object.entries(allHeaderNames)).get(name) ?? [] }).headers();
  const refusal = (): object => ({
    ...(chance(0.3) && { status: 400 + below(100) }),
    ...(chance(0.3) && { type: text() }),
    ...(chance(0.3) && { message: text() }),
    ...(chance(0.5) && { body: ofRefusal.template() }),
    ...(chance(0.5) && { headers: ofRefusal.headers() }),
  });
  const operations = [
    'all',
    'createPayment',
    'replayPayment',
    'getPayment',
    'listTransactions',
    'createQuote',
    'getBalance',
    'constructor',
  ];
  const refusals = [
    'authentication',
    'unknown_path',
    'validation',
    'amount_zero',
    'unknown_payment',
    'text_long',
    'unknown_field',
    '__proto__',
  ];
  const shapes: Record<string, () => unknown> = {
    headers: () => {
      if (chance(0.2)) return { event: createTemplates({ names: allHeaderNames['event'] ?? [] }).headers() };
      const name = pick(operations);
      return { [name]: ofHeader(name) };
    },
    refusals: () => ({ [pick(refusals)]: refusal() }),
    errorShape: () => (chance(0.5) ? refusal() : pick(Object.keys(namedErrors))),
    issues: () => ({
      [pick(['other', 'unknown_field', 'missing'])]: listOf(
        3,
        createTemplates(templatePlaces.issue).template,
      ),
    }),
    envelope: record(templatePlaces.envelope),
    beside: () => ({ [pick(['createQuote', 'getPayment', 'getBalance'])]: record(templatePlaces.beside)() }),
    quoteShape: record(templatePlaces.quoteShape),
    paymentShape: record(templatePlaces.paymentShape),
    balanceShape: record(templatePlaces.balanceShape),
    eventShape: record(templatePlaces.eventShape),
    transactionShape: () =>
      listOf(3, () => ({
        of: pick(['any', 'payment', 'fee']),
        row: createTemplates(templatePlaces.row).template(),
      })),
    pagination: () => ({
      data: ofPage.template(),
      beside: ofPage.template(),
      headers: createTemplates({ names: pageNames }).headers(),
      by: pick(['page', 'cursor', 'offset']),
      parameter: chance(0.9) ? 'page' : text(),
    }),
    timestamps: () => ({
      digits: below(12),
      zone: pick(['Z', '+14:00', '-12:00', '+05:45', '+99:99', 'UTC', '']),
    }),
    ids: () => ({
      payment: pick(['pay_{mode}_{hex 24}', 'pay_{mode}_é{ulid}', 'pay_{mode}_{number}', 'x', '{{']),
    }),
    extraStatuses: () =>
      listOf(3, () => ({
        status: pick(['in_review', 'constructor', 'toString', '']),
        after: pick(['pending', 'processing']),
      })),
    durations: () => ({
      [pick(['pending', 'completed', '__proto__'])]: pick([0, '1s', ['0s', '5s'], 1e300, '99999999999d', -1]),
    }),
    textLimit: () => pick([1, 255, 10_000, 0, 1e9]),
    deprecation: () => ({ deprecated: START, sunset: START, link: pick(['/x', 'a\r\nb', 'é', '<>']) }),
    currencies: () => listOf(5, () => pick(['USD', 'EUR', 'XXX', 'toS', ''])),
    rates: () => ({ pairs: { [pick(['USD/EUR', 'USD/USD', '__proto__'])]: pick(['0.9', '0', '1e9', '']) } }),
    amounts: () => ({
      minimum: pick(['0.01', '5.00', '0', 'x']),
      maximum: pick(['999999999.99', '1.00', '']),
    }),
    latency: () => pick([0, '1ms', 'x', -1]),
  };
  const settings = (): Record<string, unknown> =>
    Object.fromEntries(
      Array.from({ length: chance(0.7) ? 1 : 2 }, (): [string, unknown] => {
        if (chance(0.03)) return [text(), value()];
        if (chance(0.4)) {
          const [name, known] = pick(Object.entries(profileSettings));
          return [name, chance(0.97) ? pick<unknown>(known) : value()];
        }
        const name = pick(Object.keys(shapes));
        return [name, chance(0.97) ? shapes[name]!() : value()];
      }),
    );

  const segment = (): string =>
    chance(0.7)
      ? pick([
          'api',
          'v1',
          'balance',
          'payments',
          'quotes',
          'transactions',
          '_sandbox',
          'ui',
          'docs',
          'accounts',
          'find',
          '..',
          '.',
          '%2e%2E',
          '',
        ])
      : encodeURI(wellFormed(text()));
  const paths = [
    '/api/v1/balance',
    '/api/v1/payments',
    '/api/v1/payments',
    '/api/v1/quotes',
    '/api/v1/transactions',
    '/api/v1/payments/x',
    '/_sandbox/accounts',
    '/_sandbox/profile',
    '/_sandbox/ui',
    '/_sandbox/openapi.json',
    '/',
  ];
  const path = (): string =>
    chance(0.6) ? pick(paths) : `/${listOf(5, segment).join(pick(['/', '/', '//', '\\']))}`;
  const query = (): string =>
    chance(0.75)
      ? ''
      : `?${listOf(4, () => `${pick(['page', 'per_page', 'status', 'account', '__proto__', 'x'])}=${chance(0.5) ? below(300) : encodeURIComponent(wellFormed(text()))}`).join('&')}`;
  const target = (): string =>
    (chance(0.05)
      ? pick(['*', 'http://localhost/api/v1/balance', 'http://[', 'ftp://x/', '//x/api'])
      : path() + query()) + (chance(0.05) ? pick(['#x', '\u00e9', '%', '\ttab', '|{}"']) : '');
  const body = (): string => {
    if (chance(0.8))
      return JSON.stringify({
        ...order(),
        ...Object.fromEntries(
          listOf(3, () => [chance(0.7) ? pick(Object.keys({ ...order(), purpose: 1 })) : text(), value()]),
        ),
      });
    return chance(0.5) ? JSON.stringify(value()) : text();
  };
  /** Returns the bytes of a request, and whether the client ends before a complete request. */
  const request = (key: string): { readonly bytes: Buffer; readonly isIncomplete: boolean } => {
    const usual = ['GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    const method = chance(0.95) ? pick(usual) : pick(['TRACE', 'PROPFIND', 'BREW', 'get', '', 'A B', 'é']);
    const hasBody = method === 'POST' || method === 'PUT' || chance(0.1);
    const content = Buffer.from(hasBody ? body() : '', chance(0.9) ? 'utf8' : 'latin1');
    const isIncomplete = hasBody && chance(0.03);
    const isChunked = hasBody && chance(0.1);
    const lines = [
      `${method} ${target()} HTTP/1.${chance(0.97) ? 1 : 0}`,
      `Host: ${chance(0.98) ? 'localhost' : text().replaceAll(/[\r\n]/g, '')}`,
      ...(chance(0.8)
        ? [`${pick(['Authorization: Bearer ', 'X-API-Key: '])}${chance(0.9) ? key : text()}`]
        : []),
      ...(hasBody ? [`Content-Type: ${chance(0.9) ? 'application/json' : text()}`] : []),
      ...(isChunked
        ? ['Transfer-Encoding: chunked']
        : hasBody
          ? [`Content-Length: ${content.length + (isIncomplete ? 9 : 0)}`]
          : []),
      ...(chance(0.2) ? [`Idempotency-Key: ${pick(['a', 'b', 'c', chance(0.9) ? 'd' : text()])}`] : []),
      ...(chance(0.05) ? ['Expect: 100-continue'] : []),
      ...(chance(0.1)
        ? [`Origin: ${pick(['http://localhost:1', 'https://x.example', chance(0.7) ? 'null' : text()])}`]
        : []),
      ...listOf(chance(0.8) ? 0 : 1, () => `${pick(['X-A', 'Cookie', 'Link', 'Accept'])}: ${text()}`),
    ];
    const framed = isChunked ? [`${content.length.toString(16)}\r\n`, content, '\r\n0\r\n\r\n'] : [content];
    return {
      bytes: Buffer.concat(
        [`${lines.join('\r\n')}\r\n\r\n`, ...framed].map((part) => Buffer.from(part as string, 'utf8')),
      ),
      isIncomplete,
    };
  };
  return { request, settings };
}

/** Sends bytes on a new connection. Resolves with what was received once a response is complete or the connection ends. */
function exchange(
  port: number,
  { bytes, isIncomplete }: { bytes: Buffer; isIncomplete: boolean },
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(bytes);
    if (isIncomplete) socket.end();
  });
  socket.setEncoding('latin1');
  const end = (): void => {
    resolve(received);
    socket.resetAndDestroy();
  };
  socket.on('data', (part: string) => {
    received += part;
    const final = received.replace(/^HTTP\/1\.1 100 .*?\r\n\r\n/s, '');
    const start = final.indexOf('\r\n\r\n');
    if (start < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(final.slice(0, start))?.[1] ?? 0);
    const isHead = bytes.subarray(0, 5).toString() === 'HEAD ';
    if (isHead || final.length - start - 4 >= length) end();
  });
  socket.on('error', end);
  socket.on('close', end);
  return promise;
}

describe('the HTTP server', () => {
  it('survives random requests and random profiles', async () => {
    const random = createRandom(20_260_131);
    const { request, settings } = createGenerator(random);
    const defects: unknown[] = [];
    const mock = createMock({
      accounts: 'open',
      requestLog: { requests: 100 },
      fetch: async () => new Response(),
      onDefect: (error) => defects.push(error),
    });
    const server = await listen(mock, { port: 0 });
    onTestFinished(async () => {
      await server.close();
      await mock.close();
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:9/x' });
    mock.sandbox.baseline();
    const counts: Record<string, number> = {};
    const violations: string[] = [];
    const note = (answer: string, sent: () => string): void => {
      const status = /^(?:HTTP\/1\.1 100 .*?\r\n\r\n)?HTTP\/1\.1 (\d{3}) /s.exec(answer)?.[1] ?? 'closed';
      counts[status] = (counts[status] ?? 0) + 1;
      if (status.startsWith('5') && !answer.includes('The sandbox '))
        violations.push(`${sent()}\n=> ${answer.slice(0, 600)}`);
    };
    const changeProfile = async (): Promise<void> => {
      const body = JSON.stringify({
        settings: settings(),
        ...(random() < 0.3 && { account: mock.account.id }),
      });
      const head = `PATCH /_sandbox/profile HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
      const answer = await exchange(server.port, { bytes: Buffer.from(head + body), isIncomplete: false });
      const status = answer.slice(9, 12);
      counts[`profile ${status}`] = (counts[`profile ${status}`] ?? 0) + 1;
      if (!['200', '400', '413'].includes(status)) violations.push(`${body}\n=> ${answer.slice(0, 600)}`);
    };
    const runHalf = async (): Promise<number> => {
      for (let change = 0; change < CHANGES / 2; change += 1) {
        await changeProfile();
        const share = Math.round(REQUESTS / CHANGES);
        for (let done = 0; done < share; done += CONCURRENCY) {
          const sent = Array.from({ length: Math.min(CONCURRENCY, share - done) }, () =>
            request(mock.account.testKey),
          );
          const answers = await Promise.all(sent.map((each) => exchange(server.port, each)));
          for (const [index, answer] of answers.entries()) note(answer, () => sent[index]!.bytes.toString());
        }
        // Valid settings must not hide those after them.
        if (change % 10 === 9) mock.sandbox.reset();
      }
      await mock.sandbox.idle();
      mock.sandbox.reset();
      await collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const first = await runHalf();
    const second = await runHalf();
    const growth = (second - first) / 2 ** 20;
    expect(violations.slice(0, 3)).toEqual([]);
    expect(
      defects
        .filter((each) => !String(each).includes('more than 5 MB'))
        .map(String)
        .slice(0, 3),
    ).toEqual([]);
    const health = await fetch(`${server.url}/_sandbox/health`);
    expect(health.status).toBe(200);
    expect(growth).toBeLessThan(16);
    const answered = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect(answered).toBeGreaterThanOrEqual(REQUESTS + CHANGES - CONCURRENCY);
    if (process.env.FUZZ_REPORT)
      process.stderr.write(
        `${JSON.stringify({ counts, defects: defects.length, growth, heap: [first, second] })}\n`,
      );
  });
});
