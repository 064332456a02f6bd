import type { Mode } from '@service/webhooks';
import { type Command, Option } from 'commander';
import { modes } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { checkStdin, readBytes, STDIN } from '../input.ts';
import type { CreateAction, Handler, Session } from '../session.ts';
import { addSecretFile, requireSecret } from '../signing-secret.ts';
import { toFields } from '../table.ts';
import { addDeliveries } from './deliveries.ts';
import { addTrigger } from './trigger.ts';
import { addListen } from './listen.ts';

/** Adds the commands of `webhooks` (docs/contract.md#webhooks). */
export function addWebhooks(program: Command, act: CreateAction): void {
  const webhooks = program.command('webhooks').description('Sign, verify, receive and send webhooks.');
  addSecretFile(webhooks.command('sign'))
    .description('Print the signature of a body: HMAC-SHA256 over its raw bytes, in lowercase hexadecimal.')
    .argument('[file]', "file with the raw body, '-' for stdin", STDIN)
    .addHelpText(
      'after',
      '\nExample:\n  $ printf %s \'{"event":"payment.completed"}\' | service-cli webhooks sign',
    )
    .action(act(signBody));
  addSecretFile(webhooks.command('verify'))
    .description('Verify the raw bytes of a body and print its event. Exits 4 if verification fails.')
    .argument('[file]', "file with the raw body, '-' for stdin", STDIN)
    .requiredOption('--signature <hex>', 'value of the header X-Service-Signature')
    .addOption(new Option('--mode <mode>', 'reject events of the other mode').choices(modes))
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli webhooks verify body.json --signature 5f2c… --mode test',
    )
    .action(act(verifyBody));
  addDeliveries(webhooks, act);
  addTrigger(webhooks, act);
  addListen(webhooks, act);
}

type Args = readonly [file: string];
interface SignOptions {
  readonly secretFile?: string;
}
type VerifyOptions = SignOptions & { readonly signature: string; readonly mode?: Mode };

const signBody: Handler<Args, SignOptions> = async (session, { args, options }) => {
  const { secret, body } = await readInput(session, args[0], options);
  const { sign } = await import('@service/webhooks');
  const signature = sign(body, secret);
  await session.output.result({ signature }, [signature]);
  return exitCodes.ok;
};

const verifyBody: Handler<Args, VerifyOptions> = async (session, { args, options }) => {
  const { secret, body } = await readInput(session, args[0], options);
  const { createVerifier } = await import('@service/webhooks');
  const event = createVerifier({ secrets: secret, mode: options.mode }).verify(body, options.signature);
  await session.output.result(event, toFields(event));
  return exitCodes.ok;
};

async function readInput(
  session: Session,
  file: string,
  { secretFile }: SignOptions,
): Promise<{ secret: string; body: Uint8Array }> {
  checkStdin([file, secretFile]);
  const secret = await requireSecret(session, secretFile);
  return { secret, body: await readBytes(file, session) };
}
