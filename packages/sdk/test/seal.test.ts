import { describe, expect, test, vi } from 'vitest';
import { seal } from '../src/transport/seal.ts';
import { baseUrl } from './service.ts';

const post = (body?: string): Request =>
  new Request(`${baseUrl}/payments`, { method: 'POST', headers: { 'x-trace': 'a' }, ...(body && { body }) });

const elsewhere: [string, object][] = [
  ['Deno', { versions: { undici: '7.0.0', deno: '2.0.0' } }],
  ['Bun', { versions: { undici: '7.0.0', bun: '1.0.0' } }],
  ['a runtime with a bare process', {}],
];

test('keeps everything of a request, and tells the length of its body', async () => {
  const controller = new AbortController();
  const request = new Request(post('{"é":1}'), { redirect: 'manual', signal: controller.signal });
  const sealed = await seal(request);
  expect(sealed).toMatchObject({ url: request.url, method: 'POST', redirect: 'manual' });
  expect(Object.fromEntries(sealed.headers)).toEqual({
    'content-length': '8',
    'content-type': 'text/plain;charset=UTF-8',
    'x-trace': 'a',
  });
  expect(await sealed.text()).toBe('{"é":1}');
  controller.abort();
  expect(sealed.signal.aborted).toBe(true);
});

test('gives a request without a body an empty one', async () => {
  const sealed = await seal(post());
  expect(sealed.headers.get('content-length')).toBe('0');
  expect(await sealed.text()).toBe('');
});

test('leaves a read as it is', async () => {
  const request = new Request(`${baseUrl}/balance`);
  expect(await seal(request)).toBe(request);
});

describe.each(elsewhere)('in %s', (_, process) => {
  test('leaves a request as it is', async () => {
    vi.stubGlobal('process', process);
    const request = post('{}');
    const sealed = await seal(request);
    vi.unstubAllGlobals();
    expect(sealed).toBe(request);
  });
});

test('leaves a request as it is in a browser, where streams cannot be sent', async () => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('document', {});
  const request = post('{}');
  const sealed = await seal(request);
  vi.unstubAllGlobals();
  expect(sealed).toBe(request);
});
