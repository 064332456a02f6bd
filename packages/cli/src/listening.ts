import { UsageError } from './usage-error.ts';

/** Names an address to listen at. */
export type ListenAddress = {
  readonly host: string;
  readonly port: number;
};

/** Makes the error of an address at which nothing can listen; its text says what to change, `advice` what to do of a port in use. */
export function refuseAddress(
  { host, port }: ListenAddress,
  error: unknown,
  advice = 'Choose another with --port, or 0 for a free one.',
): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new UsageError(`Port ${port} is in use. ${advice}`);
  return new UsageError(`Cannot listen at ${host}, port ${port}: ${code ?? 'unknown error'}.`);
}

/** Resolves when the run is to end. */
export function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
