const TLS_HINT = 'the server does not use TLS: is it an http address? (ERR_SSL_WRONG_VERSION_NUMBER)';

/** Returns the message of the innermost cause, such as a DNS or certificate error. */
export function findRootCause(cause: unknown, depth = 0): string | undefined {
  if (!(cause instanceof Error) || depth > 8) return undefined;
  if ((cause as { readonly code?: unknown }).code === 'ERR_SSL_WRONG_VERSION_NUMBER') return TLS_HINT;
  const [first] = (cause as Partial<AggregateError>).errors ?? [];
  return findRootCause(first ?? cause.cause, depth + 1) ?? (cause.message || undefined);
}
