import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as node from '@service/webhooks';
import * as edge from '@service/webhooks/edge';
import { createFailure } from '../src/errors.ts';
import { errorCodes, isReceiverCode } from './error-codes.ts';

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
