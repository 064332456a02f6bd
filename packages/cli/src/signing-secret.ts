import type { Command } from 'commander';
import { readSecret } from './input.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** Adds the option `--secret-file`. */
export function addSecretFile(command: Command): Command {
  return command.option(
    '--secret-file <file>',
    "read the signing secret from a file, '-' for stdin (default: SERVICE_WEBHOOK_SECRET)",
  );
}

/**
 * Reads the signing secret from its file or the environment. Returns undefined if there is none.
 *
 * @throws {UsageError} when the file cannot be read.
 */
export async function findSecret(session: Session, file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return readSecret(file, session);
  return session.environment.env.SERVICE_WEBHOOK_SECRET || undefined;
}

/**
 * Reads the signing secret from its file or the environment.
 *
 * @throws {UsageError} when there is no secret, or its file cannot be read.
 */
export async function requireSecret(session: Session, file: string | undefined): Promise<string> {
  const secret = await findSecret(session, file);
  if (secret !== undefined) return secret;
  throw new UsageError(
    'The signing secret is missing. Set SERVICE_WEBHOOK_SECRET, or pass --secret-file FILE.',
  );
}
