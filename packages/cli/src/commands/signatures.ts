import { findSignatureHints, type RejectedWebhook, type SignatureHint } from '@service/internal';
import { createVerifier, sign, WebhookError } from '@service/webhooks';
import { defineCommand, optional, value } from '../command.ts';
import { requireSecret } from '../config.ts';
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
  },
  help: 'Example:\n  $ service-cli webhooks verify body.json --signature 5f2c…',
  async run(session, { signature = '', ...input }) {
    const { secret, body } = await readInput(session, input.file, input.secretFile);
    const { output } = session;
    const onWarning = ({ message }: { readonly message: string }): void => output.note(`warning: ${message}`);
    const verifier = createVerifier({ secrets: secret, onWarning });
    try {
      const event = verifier.verify(body, signature);
      await output.result(event, toFields(event, output.terminal));
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      throw Object.assign(error, { hints: await findCauses({ error, body, signature, secret }) });
    }
  },
});

/** Returns probable causes of a rejected webhook, none in production: they would help a forger. */
export async function findCauses(webhook: RejectedWebhook): Promise<readonly SignatureHint[]> {
  return process.env.NODE_ENV === 'production' ? [] : findSignatureHints(webhook);
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
