import { createVerifier, isWebhookError, sign } from '@service/webhooks';
import { choice, defineCommand, flag, optional, value } from '../command.ts';
import { modes, requireSecret } from '../config.ts';
import { checkStdin, readBytes, STDIN } from '../input.ts';
import { secretFile } from '../parse.ts';
import { type DefineCommand, exitCodes, type Session } from '../session.ts';
import { toFields } from '../table.ts';

const file = optional('[file]', "file with the raw body, '-' for stdin", { default: STDIN });

/** Defines `webhooks sign` (docs/contract.md#webhooks). */
export const webhooksSignCommand: DefineCommand = defineCommand({
  input: { file, secretFile },
  help: 'Example:\n  $ printf %s \'{"event":"payment.completed"}\' | service-cli webhooks sign',
  async run(session, input) {
    const { secret, body } = await readInput(session, input.file, input.secretFile);
    const signature = sign(body, secret);
    await session.output.result({ signature }, [signature]);
    return exitCodes.ok;
  },
});

/** Defines `webhooks verify` (docs/contract.md#webhooks). */
export const webhooksVerifyCommand: DefineCommand = defineCommand({
  input: {
    file,
    secretFile,
    signature: value('<hex>', 'value of the header X-Service-Signature', undefined, { isRequired: true }),
    mode: choice('<mode>', 'reject events of the other mode', modes),
    explain: flag('print probable causes if verification fails'),
  },
  help: 'Example:\n  $ service-cli webhooks verify body.json --signature 5f2c… --explain',
  async run(session, { signature = '', mode, explain, ...input }) {
    const { secret, body } = await readInput(session, input.file, input.secretFile);
    const options = { secrets: secret, mode };
    try {
      const event = createVerifier(options).verify(body, signature);
      await session.output.result(event, toFields(event, session.output.terminal));
      return exitCodes.ok;
    } catch (error) {
      if (explain && isWebhookError(error)) {
        const { explain: findCauses } = await import('@service/webhooks/testing');
        const { hints } = await findCauses(body, signature, options);
        session.output.note(...hints.map(({ message }) => `probable cause: ${message}`));
      }
      throw error;
    }
  },
});

async function readInput(
  session: Session,
  path = STDIN,
  secretPath?: string,
): Promise<{ secret: string; body: Uint8Array }> {
  checkStdin([path, secretPath]);
  const secret = await requireSecret(session, secretPath);
  return { secret, body: await readBytes(path, session) };
}
