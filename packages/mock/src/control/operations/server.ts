import manifest from '../../../package.json' with { type: 'json' };
import { type Operation, operation } from '../operation.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { type ClockView, toClockView } from './clock.ts';

interface Health extends ClockView {
  readonly status: 'ok' | 'failing';
  /** The reason why the sandbox fails. */
  readonly problem?: string;
  readonly version: string;
}

/** The health of the sandbox, and the document of this API. */
export const server: Readonly<Record<string, Operation>> = {
  /** Checks that the sandbox is running. Needs no token and accepts any host. */
  health: operation('getHealth', 'GET /health', {
    isOpen: true,
    input: {},
    run(context): Health {
      const failure = context.state.durability.recorder?.failure;
      const time = toClockView(context);
      const { version } = manifest;
      if (failure === undefined) return { status: 'ok', ...time, version };
      return { status: 'failing', problem: failure.message, ...time, version };
    },
  }),
  /**
   * Checks that the sandbox accepts payments. Responds 503 while the server is closing and while changes cannot be
   * stored. Needs no token and accepts any host.
   */
  ready: operation('getReadiness', 'GET /ready', {
    isOpen: true,
    input: {},
    run({ state }, _input, { draining }): { readonly ready: boolean } {
      if (draining?.aborted) throw new SandboxError('unavailable', 'The server is closing.');
      const failure = state.durability.recorder?.failure;
      if (failure !== undefined) throw new SandboxError('unavailable', failure.message);
      return { ready: true };
    },
  }),
  /** Returns this document. */
  openapi: operation('getDocument', 'GET /openapi.json', {
    cli: { isDocument: true },
    input: {},
    run: async (): Promise<Readonly<Record<string, unknown>>> =>
      (await import('@service/mock/openapi')).document as Readonly<Record<string, unknown>>,
  }),
};
