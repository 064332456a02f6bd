/** Reports a run that was called or set up wrongly; its text says what to change. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const;
}
