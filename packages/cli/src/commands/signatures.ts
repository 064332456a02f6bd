import { findSignatureHints, type RejectedWebhook, type SignatureHint } from '@service/internal';
import { createVerifier, WebhookError } from '@service/webhooks';
import { defineCommand, optional, value } from '../command.ts';
import { requireSecret } from '../config.ts';
import { checkStdin, readBytes, STDIN } from '../input.ts';
import { secretFile } from '../parse.ts';
import type { DefineCommand } from '../session.ts';
import { toFields } from '../terminal.ts';

/** Defines `webhooks verify` (docs/contract.md#webhooks). */
export const webhooksVerifyCommand: DefineCommand = defineCommand({
  input: {
    file: optional('[file]', "file with the raw body, '-' for stdin", { default: STDIN }),
    secretFile,
    signature: value('<hex>', 'value of the header X-Service-Signature', undefined, { isRequired: true }),
  },
  help: 'Example:\n  $ service-cli webhooks verify body.json --signature 5f2c…',
  async run(session, { file = STDIN, secretFile: secretPath, signature = '' }) {
    const { output } = session;
    checkStdin([file, secretPath]);
    const secret = await requireSecret(session, secretPath);
    const body = await readBytes(file, session);
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
