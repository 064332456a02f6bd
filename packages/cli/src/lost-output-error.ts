/** Reports output that nobody got: a full disk, a stream that is closed, a reader that went away. */
export class LostOutputError extends Error {
  override readonly name = 'LostOutputError' as const;
  /** Says that the reader wanted no more (`| head`), which needs no words. */
  readonly isHangUp: boolean;

  constructor(cause: unknown) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    super(`The output cannot be written (${code}).`, { cause });
    this.isHangUp = code === 'EPIPE';
  }
}
