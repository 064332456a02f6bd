import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as node from '@service/webhooks';
import * as edge from '@service/webhooks/edge';
import { RECEIVER_CODES, SETUP_CODES, VERIFICATION_CODES } from '../src/errors.ts';
import { createFailure } from '../src/receiver-failure.ts';

/** Collects the sources, without doc comments, that an entry point imports, itself included. */
function sourcesOf(url: URL, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(url.href)) return seen;
  const source = readFileSync(url, 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '');
  seen.set(url.href, source);
  for (const [, path] of source.matchAll(/from '(\.[^']+)'/g)) sourcesOf(new URL(path!, url), seen);
  return seen;
}

describe('the entry points', () => {
  it('offer the same names', () => {
    expect(Object.keys(edge).toSorted()).toEqual(Object.keys(node).toSorted());
  });

  it('keep what belongs to their own house to themselves', () => {
    expect(Object.keys(node).toSorted()).toEqual([
      'MODES',
      'PAYMENT_EVENT_NAMES',
      'PAYMENT_STATUSES',
      'SETUP_CODES',
      'SIGNATURE_HEADER',
      'WebhookError',
      'createReceiver',
      'createVerifier',
      'isStale',
      'isValidSignature',
      'isWebhookError',
      'memoryStore',
      'sign',
    ]);
  });

  it('keep node modules and Buffer out of the edge', () => {
    const sources = sourcesOf(new URL('../src/edge.ts', import.meta.url));
    expect(sources.size).toBeGreaterThan(10);
    const bound = [...sources].filter(([, source]) => /from 'node:|\bBuffer\.\w|\bprocess\.\w/.test(source));
    expect(bound.map(([file]) => file)).toEqual([]);
  });
});

describe('isWebhookError', () => {
  it.each([...VERIFICATION_CODES, ...SETUP_CODES, ...RECEIVER_CODES])('knows an error of code %s', (code) => {
    const own = RECEIVER_CODES.find((each) => each === code);
    const error = own === undefined ? new node.WebhookError(code) : createFailure(own);
    expect(error).toMatchObject({ name: 'WebhookError', code });
    expect(error.message.length).toBeGreaterThan(20);
    expect(node.isWebhookError(error)).toBe(true);
    expect(edge.isWebhookError({ name: 'WebhookError', code })).toBe(true);
  });

  it.each([undefined, null, 'WebhookError', new Error('x'), { name: 'WebhookError', code: 'ECONNRESET' }])(
    'refuses %j',
    (value) => {
      expect(node.isWebhookError(value)).toBe(false);
    },
  );
});
