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

/** The listener for defects. */
export interface DefectListener {
  /** Called for an error that only a defect of the sandbox can cause. */
  readonly onDefect: (error: unknown) => void;
}

/** The response to a rejected request. */
export interface ControlErrorResponse {
  readonly status: ErrorStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: { readonly code: ControlErrorCode; readonly message: string } };
}

/** Converts an error to a response. Returns undefined for a defect. */
export function toErrorResponse(error: unknown): ControlErrorResponse | undefined {
  if (error instanceof ControlError) return createResponse(error.code, error.message, error.headers);
  return isSandboxError(error) ? createResponse(error.code, error.message, {}) : undefined;
}

/** Reports a defect and creates a response without details. */
export function respondWithDefect({ onDefect }: DefectListener, error: unknown): ControlErrorResponse {
  onDefect(error);
  return createResponse('defect', 'The sandbox failed.', {});
}

function createResponse(
  code: ControlErrorCode,
  message: string,
  headers: Readonly<Record<string, string>>,
): ControlErrorResponse {
  // The message can contain an API key that was sent in the wrong field.
  return { status: statuses[code], headers, body: { error: { code, message: redactKeys(message) } } };
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
