import { UsageError } from './usage-error.ts';

/** Makes the error of an address at which nothing can listen; its text says what to change. */
export function refuseAddress(hostname: string, port: number, error: unknown): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new UsageError(`Port ${port} is in use. Choose another with --port, or 0 for a free one.`);
  return new UsageError(`Cannot listen at ${hostname}, port ${port}: ${code ?? 'unknown error'}.`);
}

/** Resolves when the run is to end. */
export function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
