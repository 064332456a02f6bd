const noTls = 'no TLS is spoken there: is it an http address? (ERR_SSL_WRONG_VERSION_NUMBER)';

/** Finds what went wrong at the bottom: a DNS name, a refused port, a certificate. */
export function findRoot(cause: unknown, depth = 0): string | undefined {
  if (!(cause instanceof Error) || depth > 8) return undefined;
  if ((cause as NodeJS.ErrnoException).code === 'ERR_SSL_WRONG_VERSION_NUMBER') return noTls;
  const [first] = (cause as Partial<AggregateError>).errors ?? [];
  return findRoot(first ?? cause.cause, depth + 1) ?? (cause.message || undefined);
}
