import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { createRandom } from '../../../test/support/random.ts';
import { createRandomProfile } from '../../../test/support/random-profile.ts';
import { runs } from '../../../test/support/runs.ts';
import { collectGarbage } from './collect-garbage.ts';
import { order, prototypeNames } from './support.ts';

// Random requests over raw sockets and random profiles against one HTTP server. `TEST_RUNS=100` sends 20 000 requests and
// changes the profile 2 000 times: no request ends the process or stays without a response, each 5xx is the sandbox's own,
// and memory does not grow.

const REQUESTS = runs(200);
const CHANGES = runs(20);
const CONCURRENCY = 8;

/** Replaces lone surrogates, which a URL cannot have. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\uFFFD');
}

const hostileTexts = [
  ...prototypeNames,
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
const hostileTemplates: readonly unknown[] = [
  '{constructor}',
  '{__proto__ upper}',
  '{id else=é}',
  '{id or=}',
  '{id "}',
  '{created_at digits=999999}',
  '{send_amount fraction=99999999}',
  '{created_at zone=+99:99}',
  '{now plus=99999999d}',
  { '{each rows}': { '{each rows}': '{row}' } },
  ['{each wallets}', '{each fields}', '{issue}'],
  Array.from({ length: 1_500 }, () => '{request_id}{message}'),
];
const headerNames = ['Content-Length', 'Set-Cookie', 'Transfer-Encoding', 'Connection', 'a b'];

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

  /** Replaces some values and names of a setting. */
  const damage = (given: unknown): unknown => {
    if (chance(0.03)) return pick<() => unknown>([text, value, () => pick(hostileTemplates)])();
    if (Array.isArray(given)) return given.map(damage);
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(
      Object.entries(given).map(([name, each]) => [
        chance(0.02) ? pick([text(), ...headerNames]) : name,
        damage(each),
      ]),
    );
  };

  /** Settings of a random profile, some of them damaged. */
  const settings = (): Record<string, unknown> => {
    const profile = Object.entries(createRandomProfile(below(2 ** 30), { hasReadLag: true }));
    const chosen = listOf(2, () => pick(profile)).map(([name, each]) => [name, damage(each)]);
    return Object.fromEntries(chance(0.03) ? [...chosen, [text(), value()]] : chosen);
  };

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
  const segments = [...paths.flatMap((each) => each.split('/')), 'docs', 'find', '..', '.', '%2e%2E'];
  const segment = (): string => (chance(0.7) ? pick(segments) : encodeURI(wellFormed(text())));
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
    let answered = 0;
    const violations: string[] = [];
    const note = (answer: string, sent: string): void => {
      answered += 1;
      if (/^(?:HTTP\/1\.1 100 .*?\r\n\r\n)?HTTP\/1\.1 5/s.test(answer) && !answer.includes('The sandbox '))
        violations.push(`${sent}\n=> ${answer.slice(0, 600)}`);
    };
    const changeProfile = async (): Promise<void> => {
      const account = random() < 0.3 ? mock.account.id : undefined;
      const body = JSON.stringify({ settings: settings(), account });
      const head = `PATCH /_sandbox/profile HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
      const answer = await exchange(server.port, { bytes: Buffer.from(head + body), isIncomplete: false });
      answered += 1;
      if (!/^.{9}(?:200|400|413)/.test(answer)) violations.push(`${body}\n=> ${answer.slice(0, 600)}`);
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
          for (const [index, answer] of answers.entries()) note(answer, sent[index]!.bytes.toString());
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
    expect(answered).toBeGreaterThanOrEqual(REQUESTS + CHANGES - CONCURRENCY);
  });
});
