import { createVerifier, isWebhookError, sign, type WebhookEvent } from '@service/webhooks';
import type { explain, Hint } from '@service/webhooks/testing';
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
    const options = { secrets: secret, mode };
    try {
      const event = createVerifier({ ...options, onWarning }).verify(body, signature);
      await output.result(event, toFields(event, output.terminal));
      if (isExplained) output.note(describeAge(event));
    } catch (error) {
      if (!isExplained || !isWebhookError(error)) throw error;
      throw Object.assign(error, {
        hints: await findCauses(body, signature, { ...options, onWarning: () => {} }),
      });
    }
  },
});

function describeAge({ created_at }: WebhookEvent): string {
  const start = 'The signature is valid.';
  if (typeof created_at !== 'string' || Number.isNaN(Date.parse(created_at))) return start;
  return `${start} The event was created at ${created_at}: a receiver with a lower maxEventAge rejects it as stale_event.`;
}

const CHANGED =
  'The body was changed after it was signed, or another secret signed it. Compare the secret with that of the endpoint, and the bytes of the body with those that the service sent.';

/**
 * Returns probable causes of a rejected webhook.
 *
 * @throws {UsageError} in production.
 */
export async function findCauses(...[body, source, options]: Parameters<typeof explain>): Promise<Hint[]> {
  const { explain: findHints } = await import('@service/webhooks/testing');
  try {
    const { hints } = await findHints(body, source, options);
    return hints.map((hint) => (hint.code === 'unknown_cause' ? { ...hint, message: CHANGED } : hint));
  } catch (error) {
    if (!isWebhookError(error) || error.code !== 'invalid_options') throw error;
    throw new UsageError(
      '--explain does not run while NODE_ENV is production, because its hints would help a forger.',
    );
  }
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
