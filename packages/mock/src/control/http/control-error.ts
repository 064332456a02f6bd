import { redactKeys } from '@service/internal';
import { type SandboxErrorCode, sandboxErrorCodes } from '../../state/sandbox-error.ts';

/** An error code of the control API: a code of the sandbox or one of HTTP. */
export type ControlErrorCode =
  | SandboxErrorCode
  | 'unauthenticated'
  | 'forbidden'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'defect';

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 500 | 503;

const statuses: Readonly<Record<ControlErrorCode, ErrorStatus>> = {
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
};

/** The error codes of the control API. */
export const controlErrorCodes: readonly ControlErrorCode[] = Object.keys(statuses) as ControlErrorCode[];

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

/** Converts an error to the status, headers and body of a response. Returns undefined for a defect. */
export function toErrorResponse(
  error: unknown,
):
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | undefined {
  if (!(error instanceof ControlError || isSandboxError(error))) return undefined;
  const { code, message } = error;
  const own = error instanceof ControlError ? error.headers : {};
  const headers = { 'Content-Type': 'application/json', ...own };
  // The message can contain an API key that was sent in the wrong field.
  const body = JSON.stringify({ error: { code, message: redactKeys(message) } });
  return { status: statuses[code], headers, body };
}

/** Recognizes a sandbox error by name: in CommonJS each entry of this package has its own class. */
function isSandboxError(error: unknown): error is Error & { readonly code: SandboxErrorCode } {
  return (
    error instanceof Error &&
    error.name === 'SandboxError' &&
    'code' in error &&
    sandboxErrorCodes.some((code) => code === error.code)
  );
}
