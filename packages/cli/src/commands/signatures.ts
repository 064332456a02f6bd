import { createVerifier, type Mode, sign } from '@service/webhooks';
import { type Command, Option } from 'commander';
import { addSecretFile, modes, requireSecret } from '../config.ts';
import { checkStdin, readBytes, STDIN } from '../input.ts';
import { type CreateAction, exitCodes, type Handler, type Session } from '../session.ts';
import { toFields } from '../table.ts';

/** Defines `webhooks sign` (docs/contract.md#webhooks). */
export function defineSign(command: Command, act: CreateAction): void {
  addSecretFile(command)
    .argument('[file]', "file with the raw body, '-' for stdin", STDIN)
    .addHelpText(
      'after',
      '\nExample:\n  $ printf %s \'{"event":"payment.completed"}\' | service-cli webhooks sign',
    )
    .action(act(signBody));
}

/** Defines `webhooks verify` (docs/contract.md#webhooks). */
export function defineVerify(command: Command, act: CreateAction): void {
  addSecretFile(command)
    .argument('[file]', "file with the raw body, '-' for stdin", STDIN)
    .requiredOption('--signature <hex>', 'value of the header X-Service-Signature')
    .addOption(new Option('--mode <mode>', 'reject events of the other mode').choices(modes))
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli webhooks verify body.json --signature 5f2c… --mode test',
    )
    .action(act(verifyBody));
}

type Args = readonly [file: string];
interface SignOptions {
  readonly secretFile?: string;
}
type VerifyOptions = SignOptions & { readonly signature: string; readonly mode?: Mode };

const signBody: Handler<Args, SignOptions> = async (session, { args, options }) => {
  const { secret, body } = await readInput(session, args[0], options);
  const signature = sign(body, secret);
  await session.output.result({ signature }, [signature]);
  return exitCodes.ok;
};

const verifyBody: Handler<Args, VerifyOptions> = async (session, { args, options }) => {
  const { secret, body } = await readInput(session, args[0], options);
  const event = createVerifier({ secrets: secret, mode: options.mode }).verify(body, options.signature);
  await session.output.result(event, toFields(event, session.output.terminal));
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
