import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@service/webhooks/edge';
import type { ReceiverOptions } from '@service/webhooks/edge';
import { implementations } from './implementations.ts';
import { setUpReceiver } from './receiver-setup.ts';
import { createDelivery, SECRET, writeEvent } from './samples.ts';

const PRIVATE = 'confidential';

describe.each(implementations)('onError over $name', ({ createReceiver }) => {
  async function logOf(body: string, options: Partial<ReceiverOptions> = {}): Promise<string[]> {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void lines.push(words.join(' ')));
    const { send } = setUpReceiver(createReceiver, { on: {}, onError: undefined, ...options });
    await send(body);
    return lines;
  }

  it.each([
    [
      'an unreadable event',
      writeEvent({ data: { send_amount: PRIVATE } }),
      {},
      'Webhook error unreadable_event: unreadable event: data.send_amount of payment.completed is not as documented (https://docs.example.com/payments-kit/webhooks/errors#unreadable_event)',
    ],
    [
      'a body that is not JSON',
      `[${PRIVATE}`,
      {},
      'Webhook error invalid_json: Webhook failed: invalid json. (https://docs.example.com/payments-kit/webhooks/errors#invalid_json)',
    ],
    [
      'a store that fails without a printable cause',
      writeEvent(),
      { store: { ...memoryStore(), claim: () => Promise.reject({ name: `${PRIVATE} text` }) } },
      'Webhook error store_failed for payment.completed: The deduplication store failed. The event was not acknowledged, so the sender retries. (https://docs.example.com/payments-kit/webhooks/errors#store_failed)',
    ],
  ])('logs %s in one line by default, without the body', async (_, body, options, line) => {
    expect(await logOf(body, options as Partial<ReceiverOptions>)).toEqual([line]);
  });

  it.each<[title: string, thrown: unknown, shown: readonly (string | RegExp)[]]>([
    [
      'an error',
      Object.assign(new Error('the database is down'), { code: 'ECONNREFUSED' }),
      [/^Error: the database is down\n +at .*error-log\.test\.ts/],
    ],
    [
      'an error with a cause',
      new Error('not saved', { cause: new TypeError('no column') }),
      [/^Error: not saved\n +at /, /\nCaused by: TypeError: no column\n +at /],
    ],
    [
      'errors',
      new AggregateError([new Error('one'), new Error('two')], 'several'),
      [/^AggregateError: several\n/, /\nCaused by: Error: one\n/, /\nCaused by: Error: two\n/],
    ],
    [
      'an error of another realm',
      runInNewContext("new RangeError('foreign')"),
      [/^RangeError: foreign\n +at /],
    ],
    [
      'a stack without the message, as in some engines',
      { message: 'apart', stack: 'handle@app.js:1' },
      [/^apart\nhandle@app\.js:1$/],
    ],
    ['text', 'just text', [/^just text$/]],
    ['nothing', undefined, [/^undefined$/]],
    ['an object', { reason: 5 }, [/^no message\n?$/]],
  ])('logs %s of a handler with its message and its stack', async (_, thrown, shown) => {
    const fallback = (): never => {
      throw thrown;
    };
    const [text = ''] = await logOf(writeEvent({ data: { purpose: PRIVATE } }), { fallback });
    const [line = '', ...stack] = text.split('\n');
    expect(line).toBe(
      'Webhook error handler_failed for payment.completed: The handler threw. The next delivery runs it again. Set onError to report it yourself. (https://docs.example.com/payments-kit/webhooks/errors#handler_failed)',
    );
    for (const each of shown) expect(stack.join('\n')).toMatch(each);
    expect(text).not.toContain(PRIVATE);
  });

  it('ends at a chain of causes without an end', async () => {
    const endless = new Error('again');
    endless.cause = endless;
    const fallback = () => Promise.reject(endless);
    const [text = ''] = await logOf(writeEvent(), { fallback });
    expect(text.match(/Error: again/g)).toHaveLength(5);
  });

  it('logs the error of a handler of an undocumented event, without its name', async () => {
    const fallback = () => Promise.reject(new Error('mine'));
    const [text, ...others] = await logOf(JSON.stringify({ event: `${PRIVATE}\n\u001b[2J` }), { fallback });
    expect(text).toMatch(
      /^Webhook error handler_failed: The handler threw\..*\(https:.*\)\nError: mine\n +at /,
    );
    expect(text).not.toContain(PRIVATE);
    expect(others).toEqual([]);
  });

  it('shows the message of a handler to nobody else', async () => {
    const fallback = () => Promise.reject(new Error(PRIVATE));
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const receive = createReceiver({ secrets: SECRET, on: {}, fallback });
    const response = await receive(await createDelivery(writeEvent()));
    expect([response.status, await response.text(), JSON.stringify([...response.headers])]).toEqual([
      500,
      'not processed',
      expect.not.stringContaining(PRIVATE),
    ]);
  });

  it('logs no message of a secrets function, which may contain the secret', async () => {
    const secrets = (): never => JSON.parse(`${PRIVATE} is no JSON`) as never;
    const [line] = await logOf(writeEvent(), { secrets });
    expect(line).toMatch(
      /^Webhook error unusable_secret: The secrets function failed\..*\(cause: SyntaxError\)/,
    );
    expect(line).not.toContain(PRIVATE);
  });

  it('logs nothing if the event is handled, and if the caller passes onError', async () => {
    const onError = vi.fn<() => void>();
    expect([await logOf(writeEvent()), await logOf('[1', { onError })]).toEqual([[], []]);
    expect(onError).toHaveBeenCalledOnce();
  });
});
