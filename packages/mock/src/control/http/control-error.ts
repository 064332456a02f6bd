import { redactKeys } from '../redact.ts';
import { type SandboxErrorCode, sandboxErrorCodes } from '../../state/sandbox-error.ts';

/** Names why the control plane refuses a request: the reasons of the sandbox itself, and those of HTTP. */
export type ControlErrorCode =
  | SandboxErrorCode
  | 'unauthenticated'
  | 'forbidden'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'defect';

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 500;

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
};

/** Lists the codes of refusals. */
export const controlErrorCodes: readonly ControlErrorCode[] = Object.keys(statuses) as ControlErrorCode[];

/** Reports that a request to the control plane was refused; nothing has changed. */
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

/** Hears of defects. */
export interface DefectListener {
  /** Takes an error that only a defect of the sandbox itself can cause; the caller sees a plain 500. */
  readonly onDefect: (error: unknown) => void;
}

/** Holds the answer to a request that was refused. */
export interface ControlErrorResponse {
  readonly status: ErrorStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: { readonly code: ControlErrorCode; readonly message: string } };
}

/** Turns what was thrown into an answer; undefined for what only a defect can throw. */
export function toErrorResponse(error: unknown): ControlErrorResponse | undefined {
  if (error instanceof ControlError) return createResponse(error.code, error.message, error.headers);
  return isSandboxError(error) ? createResponse(error.code, error.message, {}) : undefined;
}

/** Reports a defect, and makes the answer to the request that met it, which shows nothing of it. */
export function respondWithDefect({ onDefect }: DefectListener, error: unknown): ControlErrorResponse {
  try {
    onDefect(error);
  } catch {
    // Whoever hears of a defect must not make another one.
  }
  return createResponse('defect', 'The sandbox failed.', {});
}

function createResponse(
  code: ControlErrorCode,
  message: string,
  headers: Readonly<Record<string, string>>,
): ControlErrorResponse {
  // What was refused may be a key in the wrong place.
  return { status: statuses[code], headers, body: { error: { code, message: redactKeys(message) } } };
}

/** Tells a refusal of the sandbox by its name: in CommonJS each entry of this package has a class of its own. */
function isSandboxError(error: unknown): error is Error & { readonly code: SandboxErrorCode } {
  return (
    error instanceof Error &&
    error.name === 'SandboxError' &&
    'code' in error &&
    sandboxErrorCodes.some((code) => code === error.code)
  );
}
