import manifest from '../../../package.json' with { type: 'json' };
import type { Operation, Route, SandboxParts } from '../operation.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { anything, boolean, object, oneOf, optional, text } from '../../domain/schema.ts';
import type { WaitLimits } from '../wait.ts';
import { clockMode, type ClockView, toClockView } from './clock.ts';

interface Health extends ClockView {
  readonly status: 'ok' | 'failing';
  /** The reason why the sandbox fails. */
  readonly problem?: string;
  readonly version: string;
}

interface Readiness {
  readonly ready: boolean;
}

/** The health of the sandbox, and the document of this API. */
export const server: Readonly<Record<string, Operation & Route>> = {
  /** Checks that the sandbox is running. Needs no token and accepts any host. */
  health: {
    id: 'getHealth',
    method: 'GET',
    path: '/health',
    input: {},
    output: object<Health>({
      status: oneOf(['ok', 'failing']),
      problem: optional(text()),
      now: text(),
      clock: clockMode,
      version: text(),
    }),
    isOpen: true,
    run(parts: SandboxParts): Health {
      const failure = parts.state.durability.recorder?.failure;
      const time = toClockView(parts);
      const { version } = manifest;
      if (failure === undefined) return { status: 'ok', ...time, version };
      return { status: 'failing', problem: failure.message, ...time, version };
    },
  },
  /**
   * Checks that the sandbox accepts payments. Responds 503 while the server is closing and while changes cannot be
   * stored. Needs no token and accepts any host.
   */
  ready: {
    id: 'getReadiness',
    method: 'GET',
    path: '/ready',
    input: {},
    output: object<Readiness>({ ready: boolean }),
    isOpen: true,
    run({ state }: SandboxParts, _input: object, { draining }: WaitLimits): Readiness {
      if (draining?.aborted) throw new SandboxError('unavailable', 'The server is closing.');
      const failure = state.durability.recorder?.failure;
      if (failure !== undefined) throw new SandboxError('unavailable', failure.message);
      return { ready: true };
    },
  },
  /** Returns this document. */
  openapi: {
    id: 'getDocument',
    method: 'GET',
    path: '/openapi.json',
    input: {},
    output: { ...anything, json: { type: 'object', additionalProperties: true } },
    cli: { isDocument: true },
    run: async (): Promise<unknown> => (await import('@service/mock/openapi')).document,
  },
};
