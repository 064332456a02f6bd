/** Wrong arguments or configuration. The message states the change to make. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const;
}
