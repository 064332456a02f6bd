import { redactKeys } from '@service/internal';
import type { MockResponse } from '../../domain/response.ts';
import type { SandboxErrorCode } from '../../state/sandbox-error.ts';

/** The HTTP status of each error code. */
const statuses = {
  invalid_argument: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  invalid_state: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  defect: 500,
  unavailable: 503,
} satisfies Readonly<Record<SandboxErrorCode, number>> & Readonly<Record<string, number>>;

/** An error code of the control API: a code of the sandbox or one of HTTP. */
type ControlErrorCode = keyof typeof statuses;

/** The error codes of the control API. */
export const controlErrorCodes: readonly string[] = Object.keys(statuses);

/** A rejected request to the control API. Except for `unavailable`, it has changed nothing. */
export class ControlError extends Error {
  override readonly name = 'ControlError' as const;
  readonly code: ControlErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ControlErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

/** Converts an error to a response. Reports a defect, without details in the response. */
export function toErrorResponse(error: unknown, onDefect: (error: unknown) => void): MockResponse {
  const { name, code = 'defect', message = '', headers } = (error ?? {}) as Partial<ControlError>;
  // By name: in CommonJS each entry of this package has its own class of sandbox errors.
  if (!/^(?:Control|Sandbox)Error$/.test(String(name)) || !Object.hasOwn(statuses, code)) {
    onDefect(error);
    return toErrorResponse(new ControlError('defect', 'The sandbox failed.'), onDefect);
  }
  // The message can contain an API key that was sent in the wrong field.
  const body = JSON.stringify({ error: { code, message: redactKeys(message) } });
  return { status: statuses[code], headers: { 'Content-Type': 'application/json', ...headers }, body };
}
