import { describe, expect, it, vi } from 'vitest';
import { createReceiver, createVerifier } from '@service/webhooks/edge';
import { PAYMENT_STATUSES } from '../src/event.ts';
import { events, explain, signedRequest } from '@service/webhooks/testing';
import { encode, fromHex, OTHER_SECRET, rejectionOf, SECRET, signByOracle, writeEvent } from './samples.ts';

describe('events', () => {
  it.each(PAYMENT_STATUSES)('creates payment.%s, which passes verification', async (status) => {
    const body = JSON.stringify(events[status]({ data: { mode: 'live', send_amount: '5.00' } }));
    const event = await createVerifier({ secrets: SECRET, mode: 'live' }).verify(
      body,
      await signByOracle(body),
    );
    expect(event).toMatchObject({
      event: `payment.${status}`,
      data: { status, mode: 'live', send_amount: '5.00' },
    });
  });
});

describe('signedRequest', () => {
  it.each([
    ['an event', events.completed()],
    ['text', writeEvent()],
    ['bytes', encode(writeEvent())],
  ])('sends %s as the service does', async (_, event) => {
    const handler = vi.fn<() => void>();
    const receive = createReceiver({
      secrets: SECRET,
      on: { 'payment.completed': handler },
      fallback: () => {},
    });
    const request = await signedRequest(event, { secret: SECRET, url: 'https://shop.example/hooks' });
    expect(request.url).toBe('https://shop.example/hooks');
    expect((await receive(request)).status).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
  });

  it('rejects an unusable secret', async () => {
    const error = await rejectionOf(signedRequest(events.failed(), { secret: '' }));
    expect(error).toMatchObject({ code: 'unusable_secret' });
  });
});

describe('explain', () => {
  const body = writeEvent({ data: { purpose: 'José' } });
  const hintsOf = async (...[raw, source, more]: [raw: unknown, source: unknown, more?: object]) => {
    const { result, hints } = await explain(raw, source as string, {
      secrets: SECRET,
      onWarning: () => {},
      ...more,
    });
    return [result.ok ? 'ok' : result.code, ...hints.map(({ code }) => code)];
  };
  const base64 = (hex: string) => btoa(String.fromCharCode(...fromHex(hex)));

  it('has no hints for a valid request', async () => {
    expect(await hintsOf(body, await signByOracle(body))).toEqual(['ok']);
  });

  it.each<[hint: string, raw: unknown, signedBody: string, secret?: string]>([
    ['parsed_body', JSON.parse(body), body],
    ['re_serialised_body', JSON.stringify(JSON.parse(body)), JSON.stringify(JSON.parse(body), null, 2)],
    ['re_serialised_body', JSON.stringify(JSON.parse(body), null, 2), body],
    ['byte_order_mark', `\ufeff${body}`, body],
    ['byte_order_mark', body, `\ufeff${body}`],
    ['line_break_in_body', `${body}\n`, body],
    ['line_break_in_body', body, `${body}\r\n`],
    ['line_break_in_secret', body, body, `${SECRET}\n`],
    ['empty_body', '', body],
    ['unknown_cause', body.replace('José', 'Jose'), body],
    ['unknown_cause', body, body, 'a third secret'],
    ['other_secret', body, body, OTHER_SECRET],
  ])('returns the hint %s', async (hint, raw, signedBody, secret) => {
    const signature = await signByOracle(signedBody, secret);
    const codes = await hintsOf(raw, { 'X-Service-Signature': signature }, { otherSecrets: OTHER_SECRET });
    expect(codes.slice(1)).toEqual([hint]);
  });

  it('returns hints on the format of a signature', async () => {
    const genuine = await signByOracle(body);
    expect(await hintsOf(body, genuine.toUpperCase())).toEqual([
      'malformed_signature',
      'upper_case_signature',
    ]);
    expect(await hintsOf(body, `sha256=${genuine}`)).toEqual(['malformed_signature', 'prefixed_signature']);
    expect(await hintsOf(body, ` ${genuine}`)).toEqual(['malformed_signature', 'space_around_signature']);
    expect(await hintsOf(body, base64(genuine))).toEqual(['malformed_signature', 'base64_signature']);
    expect(await hintsOf(body, 'ab'.repeat(64))).toEqual(['malformed_signature', 'other_hash']);
    expect(await hintsOf(body, {})).toEqual(['missing_signature']);
  });

  it('returns hints on a decoded secret and swapped arguments', async () => {
    expect(await hintsOf(body, await signByOracle(body, fromHex(SECRET)))).toContain('encoded_secret');
    expect(await hintsOf(body, await signByOracle(SECRET, body))).toContain('swapped_arguments');
  });

  it('returns hints on an invalid field and on swapped body and signature', async () => {
    const odd = writeEvent({ data: { send_amount: 'a lot' } });
    const { hints } = await explain(odd, await signByOracle(odd), { secrets: SECRET });
    expect(hints).toMatchObject([{ code: 'refused_event', message: expect.stringContaining('send_amount') }]);
    expect(await hintsOf(await signByOracle(body), body)).toContain('swapped_arguments');
  });

  it('returns a hint on a body with a content encoding', async () => {
    const headers = { 'x-service-signature': await signByOracle('other'), 'Content-Encoding': 'br' };
    const { hints } = await explain(body, headers, { secrets: SECRET });
    expect(hints).toMatchObject([{ code: 'content_encoding' }]);
  });

  it('requires a secret', async () => {
    const without = explain as (...args: unknown[]) => Promise<unknown>;
    await expect(without(body, await signByOracle(body))).rejects.toMatchObject({ code: 'unusable_secret' });
  });

  it('returns a hint on a body that was read as latin1', async () => {
    const latin1 = Array.from(encode(body), (byte) => String.fromCharCode(byte)).join('');
    expect(await hintsOf(latin1, await signByOracle(body))).toContain('wrong_charset');
  });

  it('does not reveal body, signature or secret', async () => {
    const genuine = await signByOracle(body, OTHER_SECRET);
    const output = JSON.stringify(await explain(body, genuine, { secrets: SECRET }));
    for (const hidden of ['José', genuine, SECRET]) expect(output).not.toContain(hidden);
  });
});
