import { isLoopback } from '@service/internal';
import * as s from '../domain/schema.ts';
import type { Context } from '../control/operation.ts';
import { handlerOf, type Mock, PARTS, REPORT_DEFECT } from '../core.ts';
import type { HandleRequest, MockRequest } from '../http/request.ts';

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

/**
 * Adds the control API to a mock that is reachable at an address. `handle` is by default the handler of the mock. The returned one
 * handles requests under `/_sandbox` too. The token is null if none is required or the control API is off.
 */
export function serveMock(
  mock: Mock,
  setting: ControlSetting,
  address: string,
  handle: HandleRequest = handlerOf(mock),
) {
  if (setting === 'off') return { token: null, handle };
  const { selfService: isSelfService = false } = setting;
  const token = setting.token ?? (isLoopback(address) && !isSelfService ? null : drawToken());
  const onDefect = mock[REPORT_DEFECT];
  let created: HandleRequest | undefined;
  const control: HandleRequest = async (request) => {
    // Loaded with the first request, to shorten the start of the mock.
    const { createControl } = await import('../control/http/handler.ts');
    created ??= createControl(mock[PARTS] as Context, { token, isSelfService, onDefect });
    return created(request);
  };
  const handleBoth: HandleRequest = (request) => (isForControl(request) ? control(request) : handle(request));
  return { token, handle: handleBoth };
}

/** Returns whether a request is for the control API, or for the dashboard from the address bar of a browser. */
function isForControl({ method, path, header }: MockRequest): boolean {
  const isAddressBar = path === '/' && method === 'GET';
  return /^\/_sandbox(?:\/|$)/.test(path) || (isAddressBar && (header('accept') ?? '').includes('text/html'));
}

function drawToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
