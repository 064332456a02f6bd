import { UsageError } from './errors.ts';

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Creates the error for an address that cannot be listened on. `advice` ends the message if the port is in use. */
export function createAddressError(
  { host, port }: ListenAddress,
  error: unknown,
  advice = 'Choose another one with --port, or 0 for any free port.',
): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new UsageError(`Port ${port} is in use. ${advice}`);
  return new UsageError(`Cannot listen on ${host}, port ${port}: ${code ?? 'unknown error'}.`);
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
