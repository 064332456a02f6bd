/** Lists why the control of the sandbox refuses something. */
export const sandboxErrorCodes = ['invalid_argument', 'invalid_state', 'not_found', 'timeout'] as const;

/** Names why the control of the sandbox refuses something. */
export type SandboxErrorCode = (typeof sandboxErrorCodes)[number];

/** Reports that the control of the sandbox refused something; nothing has changed. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError' as const;
  readonly code: SandboxErrorCode;

  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
