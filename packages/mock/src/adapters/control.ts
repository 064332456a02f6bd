import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ControlListener } from '../control/http/listener.ts';
import { isLoopback } from '../control/http/loopback.ts';
import { type Mock, REPORT_DEFECT } from '../core.ts';

/** Says whether a mock that listens can be steered over HTTP, and by whom. */
export type ControlSetting =
  | 'off'
  | {
      /**
       * What `Authorization: Bearer` must carry: 16 to 512 letters, digits and any of `-._~+/=`.
       *
       * @default none on a loopback address; on any other a random one, which `MockServer.controlToken` shows
       */
      readonly token?: string;
    };

/** Is the control plane of a mock that listens. */
export interface MockControl {
  /** What requests must carry; null when they need nothing. */
  readonly token: string | null;
  /** Answers a request under `/_sandbox`. */
  readonly listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
}

/** Checks who may steer a mock. Throws a `TypeError` that does not show the token. */
export function checkControlSetting(setting: ControlSetting): void {
  if (setting === 'off') return;
  if (typeof setting !== 'object' || setting === null)
    throw new TypeError("control must be 'off' or { token }.");
  const { token, ...unknownNames } = setting;
  const [unknownName] = Object.keys(unknownNames);
  if (unknownName !== undefined) throw new TypeError(`control has no option ${unknownName}; it takes token.`);
  if (token === undefined || (typeof token === 'string' && /^[\w\-.~+/=]{16,512}$/.test(token))) return;
  throw new TypeError('control.token must be text of 16 to 512 letters, digits and any of -._~+/=.');
}

/** Opens the control plane of a mock that listens at an address; undefined when it is off. */
export function openControl(mock: Mock, setting: ControlSetting, address: string): MockControl | undefined {
  if (setting === 'off') return undefined;
  const token = setting.token ?? (isLoopback(address) ? null : drawToken());
  return { token, listener: listenLazily(mock, token) };
}

/** Loads the control plane with the first request to it, so that a mock starts without. */
function listenLazily(mock: Mock, token: string | null): MockControl['listener'] {
  const onDefect = mock[REPORT_DEFECT];
  const load = async (): Promise<ControlListener> => {
    const { createControlListener } = await import('../control/http/listener.ts');
    return createControlListener(mock.sandbox, { token, onDefect });
  };
  let loading: Promise<ControlListener> | undefined;
  return (incoming, outgoing) => {
    loading ??= load();
    loading
      .then((listen) => listen(incoming, outgoing))
      .catch((error: unknown) => {
        outgoing.destroy();
        onDefect(error);
      })
      // Whoever hears of a defect must not make another one.
      .catch(() => {});
  };
}

function drawToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
