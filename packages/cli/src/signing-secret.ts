import type { Command } from 'commander';
import { readSecret } from './input.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Adds the option that names where the signing secret is. */
export function addSecretFile(command: Command): Command {
  return command.option(
    '--secret-file <file>',
    "read the signing secret from a file, '-' for stdin (default: SERVICE_WEBHOOK_SECRET)",
  );
}

/** Reads the signing secret from its file or the environment; undefined where there is none. Throws UsageError. */
export async function findSecret(session: Session, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return readSecret(file, session);
  return session.environment.env.SERVICE_WEBHOOK_SECRET || undefined;
}

/** Reads the signing secret from its file or the environment. Throws UsageError, also where there is none. */
export async function needSecret(session: Session, file: string | undefined): Promise<string> {
  const secret = await findSecret(session, file);
  if (secret !== undefined) return secret;
  throw new UsageError('There is no signing secret: set SERVICE_WEBHOOK_SECRET, or pass --secret-file FILE.');
}
