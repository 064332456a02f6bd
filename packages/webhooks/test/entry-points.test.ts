import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as node from '@service/webhooks';
import * as edge from '@service/webhooks/edge';
import { createFailure, RECEIVER_CODES, SETUP_CODES, VERIFICATION_CODES } from '../src/errors.ts';

/** Returns the sources of an entry point and its imports, without doc comments. */
function collectSources(url: URL, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(url.href)) return seen;
  const source = readFileSync(url, 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '');
  seen.set(url.href, source);
  for (const [, path] of source.matchAll(/from '(\.[^']+)'/g)) collectSources(new URL(path!, url), seen);
  return seen;
}

describe('the entry points', () => {
  it('have the same exports', () => {
    expect(Object.keys(edge).toSorted()).toEqual(Object.keys(node).toSorted());
  });

  it('export the public names only', () => {
    expect(Object.keys(node).toSorted()).toEqual([
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

  it('of the edge use no node modules and no Buffer', () => {
    const sources = collectSources(new URL('../src/edge.ts', import.meta.url));
    expect(sources.size).toBeGreaterThan(10);
    const nodeSources = [...sources].filter(([, source]) =>
      /from 'node:|\bBuffer\.\w|\bprocess\.\w/.test(source),
    );
    expect(nodeSources.map(([file]) => file)).toEqual([]);
  });
});

describe('isWebhookError', () => {
  it.each([...VERIFICATION_CODES, ...SETUP_CODES, ...RECEIVER_CODES])(
    'accepts an error with code %s',
    (code) => {
      const own = RECEIVER_CODES.find((each) => each === code);
      const error = own === undefined ? new node.WebhookError(code) : createFailure(own);
      expect(error).toMatchObject({ name: 'WebhookError', code });
      expect(error.message.length).toBeGreaterThan(20);
      expect(node.isWebhookError(error)).toBe(true);
      expect(edge.isWebhookError({ name: 'WebhookError', code })).toBe(true);
    },
  );

  it.each([undefined, null, 'WebhookError', new Error('x'), { name: 'WebhookError', code: 'ECONNRESET' }])(
    'rejects %j',
    (value) => {
      expect(node.isWebhookError(value)).toBe(false);
    },
  );
});
