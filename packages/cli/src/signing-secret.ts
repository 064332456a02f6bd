import type { Command } from 'commander';
import { readSecret } from './input.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Adds the option that names the file of the signing secret. */
export function addSecretFile(command: Command): Command {
  return command.option(
    '--secret-file <file>',
    "read the signing secret from a file, '-' for stdin (default: SERVICE_WEBHOOK_SECRET)",
  );
}

/** Reads the signing secret from a file or the environment. Throws UsageError when there is none. */
export async function findSecret(session: Session, secretFile: string | undefined): Promise<string> {
  if (secretFile !== undefined) return readSecret(secretFile, session);
  const found = session.environment.env.SERVICE_WEBHOOK_SECRET;
  if (found) return found;
  throw new UsageError('There is no signing secret: set SERVICE_WEBHOOK_SECRET, or pass --secret-file FILE.');
}
