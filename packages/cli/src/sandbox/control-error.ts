/** Adds to a ControlError: the HTTP status, and what went wrong below. */
export type ControlErrorOptions = { readonly status?: number | undefined; readonly cause?: unknown };

/** Reports that the control of a sandbox refused something, failed, or is not there. */
export class ControlError extends Error {
  override readonly name = 'ControlError' as const;
  /** Is the code of the control's refusal, or `no_control`, `no_answer`, `unreadable_answer`. */
  readonly code: string;
  readonly status: number | undefined;

  constructor(code: string, message: string, { status, cause }: ControlErrorOptions = {}) {
    super(message, { cause });
    this.code = code;
    this.status = status;
  }

  /** Tells whether it is certain that nothing was done: the answer says no. */
  get isRefusal(): boolean {
    return this.status !== undefined && this.status >= 400 && this.status < 500;
  }
}
