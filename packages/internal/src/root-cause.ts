const TLS_HINT = 'the server does not use TLS: is it an http address? (ERR_SSL_WRONG_VERSION_NUMBER)';

/** Returns the message of the innermost cause, such as a DNS or certificate error. */
export function findRootCause(cause: unknown): string | undefined {
  const root = findRootError(cause);
  return codeOf(root) === 'ERR_SSL_WRONG_VERSION_NUMBER' ? TLS_HINT : root?.message;
}

/** Returns the message of the innermost cause with its code, such as `ENOSPC`. */
export function findSystemError(cause: unknown): string {
  const root = findRootError(cause);
  const message = root?.message ?? String(cause);
  const code = codeOf(root);
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}

function findRootError(cause: unknown, depth = 0): Error | undefined {
  if (!(cause instanceof Error) || depth > 8) return undefined;
  const [first] = (cause as Partial<AggregateError>).errors ?? [];
  return findRootError(first ?? cause.cause, depth + 1) ?? (cause.message === '' ? undefined : cause);
}

function codeOf(error: Error | undefined): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
