import manifest from '../../../package.json' with { type: 'json' };
import document from '../../../sandbox.openapi.json' with { type: 'json' };
import type { Operation, Route, SandboxParts } from '../operation.ts';
import { anything, object, oneOf, text } from '../../domain/schema.ts';
import { clockMode, type ClockView, toClockView } from './clock.ts';

interface Health extends ClockView {
  readonly status: 'ok';
  readonly version: string;
}

/** The health of the sandbox, and the document of this API. */
export const server: Readonly<Record<string, Operation & Route>> = {
  /** Checks that the sandbox is running. Needs no token and accepts any host. */
  health: {
    id: 'getHealth',
    method: 'GET',
    path: '/health',
    input: {},
    output: object<Health>({ status: oneOf(['ok']), now: text(), clock: clockMode, version: text() }),
    isOpen: true,
    run: (parts: SandboxParts): Health => ({
      status: 'ok',
      ...toClockView(parts),
      version: manifest.version,
    }),
  },
  /** Returns this document. */
  openapi: {
    id: 'getDocument',
    method: 'GET',
    path: '/openapi.json',
    input: {},
    output: { ...anything, json: { type: 'object', additionalProperties: true } },
    cli: { isDocument: true },
    run: (): unknown => document,
  },
};
