import { isLoopback } from '@service/internal';
import * as s from '../domain/schema.ts';
import type { HandleControl } from '../control/http/handler.ts';
import type { Context } from '../control/operation.ts';
import { type Mock, PARTS, REPORT_DEFECT } from '../core.ts';

/** Access to the control API over HTTP. */
export type ControlSetting =
  | 'off'
  | {
      /**
       * The bearer token of the control API: 16 to 512 letters, digits and any of `-._~+/=`.
       *
       * @default none on a loopback address without `selfService`; otherwise a random token, see `MockServer.controlToken`
       */
      readonly token?: string | undefined;
      /**
       * Whether the API key of an account, in place of the token, is enough for operations on that account. Then every
       * other operation needs the token, also on a loopback address.
       *
       * @default false
       */
      readonly selfService?: boolean | undefined;
    };

/** The control API of a listening mock. */
export interface MockControl {
  /** The bearer token, or null if none is required. */
  readonly token: string | null;
  /** Handles a request under `/_sandbox`. */
  readonly handle: HandleControl;
}

/** The schema of the `control` option. */
export const controlSetting: s.Schema<ControlSetting | undefined> = s.optional(
  s.nameOr(
    ['off'],
    s.choiceOf<Exclude<ControlSetting, 'off'>>({
      token: s.text('text of 16 to 512 letters, digits and any of -._~+/=', {
        pattern: '^[\\w\\-.~+/=]{16,512}$',
      }),
      selfService: s.boolean,
    }),
    '{ token, selfService }',
  ),
);

/** Creates the control API of a mock that listens on an address. `draining` is aborted while the server is closing. Undefined when it is off. */
export function openControl(
  mock: Mock,
  setting: ControlSetting,
  address: string,
  draining?: AbortSignal,
): MockControl | undefined {
  if (setting === 'off') return undefined;
  const { selfService: isSelfService = false } = setting;
  const token = setting.token ?? (isLoopback(address) && !isSelfService ? null : drawToken());
  const onDefect = mock[REPORT_DEFECT];
  // Loaded with the first request, to shorten the start of the mock.
  const load = async (): Promise<HandleControl> => {
    const { createControl } = await import('../control/http/handler.ts');
    return createControl(mock[PARTS] as Context, { token, isSelfService, draining, onDefect });
  };
  let loading: Promise<HandleControl> | undefined;
  const handle: HandleControl = async (request) => (await (loading ??= load()).catch(onDefect))?.(request);
  return { token, handle };
}

function drawToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
