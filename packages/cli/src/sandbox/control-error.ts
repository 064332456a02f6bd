/** The HTTP status of a `ControlError`, and its cause. */
export interface ControlErrorOptions {
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** The control API of a mock rejected a request, failed, or does not exist. */
export class ControlError extends Error {
  override readonly name = 'ControlError' as const;
  /** The code of the control API, or `no_control`, `no_answer` or `unreadable_answer`. */
  readonly code: string;
  readonly status: number | undefined;

  constructor(code: string, message: string, { status, cause }: ControlErrorOptions = {}) {
    super(message, { cause });
    this.code = code;
    this.status = status;
  }

  /** Whether it is certain that the operation did not run: the status is 4xx. */
  get isRefusal(): boolean {
    return this.status !== undefined && this.status >= 400 && this.status < 500;
  }
}
