/**
 * The codes of log errors. `failed`: a write failed, and the log refuses appends until a compaction succeeds.
 * `lost`: another process has taken over the file.
 */
export type AppendLogErrorCode = 'in_use' | 'unusable' | 'damaged' | 'failed' | 'lost' | 'closed';

/** An append log cannot be opened or written. */
export class AppendLogError extends Error {
  override readonly name = 'AppendLogError' as const;
  readonly code: AppendLogErrorCode;

  constructor(code: AppendLogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
