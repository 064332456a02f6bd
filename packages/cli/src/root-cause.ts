/** Finds what went wrong at the bottom: a DNS name, a refused port, a certificate. */
export function findRoot(cause: unknown, depth = 0): string | undefined {
  if (!(cause instanceof Error) || depth > 8) return undefined;
  const [first] = (cause as Partial<AggregateError>).errors ?? [];
  return findRoot(first ?? cause.cause, depth + 1) ?? (cause.message || undefined);
}
