import { redactKeys } from '../sandbox/redact.ts';
import { type SandboxErrorCode, sandboxErrorCodes } from '../world/sandbox-error.ts';

/** Names why the control plane refuses a request: the reasons of the sandbox itself, and those of HTTP. */
export type RefusalCode =
  | SandboxErrorCode
  | 'unauthenticated'
  | 'forbidden'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'defect';

type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 500;

const statuses: Readonly<Record<RefusalCode, RefusalStatus>> = {
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
export const refusalCodes: readonly RefusalCode[] = Object.keys(statuses) as RefusalCode[];

/** Reports that a request to the control plane was refused; nothing has changed. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal' as const;
  readonly code: RefusalCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message: string, headers: Readonly<Record<string, string>> = {}) {
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
export interface RefusalAnswer {
  readonly status: RefusalStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: { readonly code: RefusalCode; readonly message: string } };
}

/** Turns what was thrown into an answer; undefined for what only a defect can throw. */
export function toAnswer(error: unknown): RefusalAnswer | undefined {
  if (error instanceof ControlRefusal) return answer(error.code, error.message, error.headers);
  return isSandboxError(error) ? answer(error.code, error.message, {}) : undefined;
}

/** Reports a defect, and makes the answer to the request that met it, which shows nothing of it. */
export function answerDefect({ onDefect }: DefectListener, error: unknown): RefusalAnswer {
  try {
    onDefect(error);
  } catch {
    // Whoever hears of a defect must not make another one.
  }
  return answer('defect', 'The sandbox failed.', {});
}

function answer(
  code: RefusalCode,
  message: string,
  headers: Readonly<Record<string, string>>,
): RefusalAnswer {
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
