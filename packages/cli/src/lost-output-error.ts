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

/** Waits for an output whose reader may go away without ending the run. Rejects where it is lost for another reason. */
export async function tolerateHangUp(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof LostOutputError && error.isHangUp)) throw error;
  }
}
