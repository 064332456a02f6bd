import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as node from '@service/webhooks';
import * as edge from '@service/webhooks/edge';
import { createFailure } from '../src/errors.ts';
import { errorCodes, isReceiverCode } from './error-codes.ts';

/** Returns the sources of an entry point and its imports, without doc comments. */
function collectSources(url: URL, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(url.href)) return seen;
  const source = readFileSync(url, 'utf8').replaceAll(/\/\*\*.*?\*\//gs, '');
  seen.set(url.href, source);
  for (const [, path] of source.matchAll(/from '(\.[^']+)'/g)) collectSources(new URL(path!, url), seen);
  return seen;
}

describe('the entry points', () => {
  it('export the public names only', () => {
    const shared = ['SIGNATURE_HEADER', 'WebhookError', 'createReceiver', 'isStale', 'memoryStore'];
    expect(Object.keys(node).toSorted()).toEqual(
      [...shared, 'createVerifier', 'isValidSignature', 'sign', 'verifyEvent'].toSorted(),
    );
    expect(Object.keys(edge).toSorted()).toEqual(
      [...shared, 'createAsyncVerifier', 'signAsync', 'verifyEventAsync'].toSorted(),
    );
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

describe('WebhookError', () => {
  it.each(errorCodes)('has a message and a page for %s', (code) => {
    const error = isReceiverCode(code) ? createFailure(code) : new node.WebhookError(code);
    expect(error).toMatchObject({ name: 'WebhookError', code, docs: expect.stringMatching(`#${code}$`) });
    expect(error.message.length).toBeGreaterThan(20);
  });

  it('is recognized by instanceof across entries, copies and realms', async () => {
    const path = fileURLToPath(new URL('../src/errors.ts', import.meta.url));
    const copy = (await import(/* @vite-ignore */ `${path}?copy`)) as typeof node;
    const foreign = runInNewContext(`
      class WebhookError extends Error {}
      Object.assign(new WebhookError('of another realm'), { name: 'WebhookError', code: 'stale_event', docs: '' })
    `) as unknown;
    expect(copy.WebhookError).not.toBe(node.WebhookError);
    for (const error of [new copy.WebhookError('stale_event'), new edge.WebhookError('stale_event'), foreign])
      for (const { WebhookError } of [node, edge, copy]) expect(error instanceof WebhookError).toBe(true);
  });

  it.each([undefined, null, 'WebhookError', new Error('x'), { name: 'WebhookError', code: 'stale_event' }])(
    'is not %j',
    (value) => {
      expect(value instanceof node.WebhookError).toBe(false);
    },
  );

  it('has subclasses of the caller that match only their own instances', () => {
    class OwnError extends node.WebhookError {}
    expect(new OwnError('stale_event') instanceof OwnError).toBe(true);
    expect(new OwnError('stale_event') instanceof node.WebhookError).toBe(true);
    expect(new node.WebhookError('stale_event') instanceof OwnError).toBe(false);
  });
});
