import { docs } from '../generated/docs.ts';

/** The error codes of the sandbox. */
export const sandboxErrorCodes: readonly SandboxErrorCode[] = [
  'invalid_argument',
  'invalid_state',
  'not_found',
  'timeout',
  'unavailable',
];

/** The reason of a `SandboxError`, for code to branch on. */
export type SandboxErrorCode = 'invalid_argument' | 'invalid_state' | 'not_found' | 'timeout' | 'unavailable';

/** An invalid call of the sandbox. Except for `unavailable`, the call has changed nothing. */
export class SandboxError extends Error {
  /** Always `'SandboxError'`. Compare it where two copies of the package can meet. */
  override readonly name = 'SandboxError' as const;
  /** The reason, for code to branch on. */
  readonly code: SandboxErrorCode;
  /** The address of the documentation of this code. */
  readonly docs: string;

  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.docs = `${docs.errors}#${code}`;
  }
}
