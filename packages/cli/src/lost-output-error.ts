/** Output that could not be written: the disk is full, or the reader has closed the stream. */
export class LostOutputError extends Error {
  override readonly name = 'LostOutputError' as const;
  /** Whether the reader has closed the pipe, as `head` does. Such an error needs no message. */
  readonly isHangUp: boolean;

  constructor(cause: unknown) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    super(`The output cannot be written (${code}).`, { cause });
    this.isHangUp = code === 'EPIPE';
  }
}

/**
 * Waits for output, and ignores a pipe that the reader has closed.
 *
 * @throws {LostOutputError} when the output is lost for another reason.
 */
export async function tolerateHangUp(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof LostOutputError && error.isHangUp)) throw error;
  }
}
