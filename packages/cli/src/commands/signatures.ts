import { findSignatureHints, type RejectedWebhook, type SignatureHint } from '@service/internal';
import { createVerifier, sign, WebhookError, type WebhookEvent } from '@service/webhooks';
import { choice, defineCommand, flag, optional, value } from '../command.ts';
import { modes, requireSecret } from '../config.ts';
import { UsageError } from '../errors.ts';
import { checkStdin, readBytes, STDIN } from '../input.ts';
import { secretFile } from '../parse.ts';
import type { DefineCommand, Session } from '../session.ts';
import { toFields } from '../terminal.ts';

const file = optional('[file]', "file with the raw body, '-' for stdin", { default: STDIN });

/** Defines `webhooks sign` (docs/contract.md#webhooks). */
export const webhooksSignCommand: DefineCommand = defineCommand({
  input: { file, secretFile },
  help: 'Example:\n  $ printf %s \'{"event":"payment.completed"}\' | service-cli webhooks sign',
  async run(session, input) {
    const { secret, body } = await readInput(session, input.file, input.secretFile);
    const signature = sign(body, secret);
    await session.output.result({ signature }, [signature]);
  },
});

/** Defines `webhooks verify` (docs/contract.md#webhooks). */
export const webhooksVerifyCommand: DefineCommand = defineCommand({
  input: {
    file,
    secretFile,
    signature: value('<hex>', 'value of the header X-Service-Signature', undefined, { isRequired: true }),
    mode: choice('<mode>', 'reject events of the other mode', modes),
    explain: flag('print probable causes if verification fails, else the time of the event'),
  },
  help: 'Example:\n  $ service-cli webhooks verify body.json --signature 5f2c… --explain',
  async run(session, { signature = '', mode, explain: isExplained, ...input }) {
    const { secret, body } = await readInput(session, input.file, input.secretFile);
    const { output } = session;
    const onWarning = ({ message }: { readonly message: string }): void => output.note(`warning: ${message}`);
    const verifier = createVerifier({ secrets: secret, mode, onWarning });
    try {
      const event = verifier.verify(body, signature);
      await output.result(event, toFields(event, output.terminal));
      if (isExplained) output.note(describeAge(event));
    } catch (error) {
      if (!isExplained || !(error instanceof WebhookError)) throw error;
      throw Object.assign(error, { hints: await findCauses({ error, body, signature, secret }) });
    }
  },
});

function describeAge({ created_at }: WebhookEvent): string {
  const start = 'The signature is valid.';
  if (typeof created_at !== 'string' || Number.isNaN(Date.parse(created_at))) return start;
  return `${start} The event was created at ${created_at}: a receiver with a lower maxEventAge rejects it as stale_event.`;
}

/**
 * Finds probable causes of a rejected webhook.
 *
 * @throws {UsageError} in production.
 */
export async function findCauses(webhook: RejectedWebhook): Promise<SignatureHint[]> {
  checkExplain();
  return findSignatureHints(webhook);
}

/**
 * Checks that `--explain` may run.
 *
 * @throws {UsageError} in production.
 */
export function checkExplain(): void {
  if (process.env.NODE_ENV !== 'production') return;
  throw new UsageError(
    '--explain does not run while NODE_ENV is production, because its hints would help a forger.',
  );
}

async function readInput(
  session: Session,
  path = STDIN,
  secretPath?: string,
): Promise<{ secret: string; body: Uint8Array }> {
  checkStdin([path, secretPath]);
  const secret = await requireSecret(session, secretPath);
  return { secret, body: await readBytes(path, session) };
}
