import type { Command } from 'commander';
import { addListenOptions, type ListenOptions } from '../listen/options.ts';
import type { CreateAction, Handler } from '../session.ts';
import { addSecretFile } from '../signing-secret.ts';

/** Adds `webhooks listen`, which receives, verifies and prints webhooks (docs/contract.md#webhooks). */
export function addListen(webhooks: Command, act: CreateAction): void {
  addListenOptions(addSecretFile(webhooks.command('listen')))
    .description('Receive webhooks on this machine until Ctrl+C, verify them and print their events.')
    .addHelpText('after', helpText)
    .action(act(listen));
}

const helpText = `
A forged or malformed webhook is printed as REFUSED and gets the response of a receiver of @service/webhooks.
With --sandbox, your own signing secret becomes the secret of the endpoint, so that the app of --forward can verify too.

Example:
  $ service-cli webhooks listen --sandbox     # with a running \`service-cli mock\` and its key in SERVICE_API_KEY
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd'   # in another terminal; its events are printed
  $ service-cli webhooks listen --sandbox --until payment.completed --timeout 60s --json`;

/** Loads the listener lazily, because no other command needs it. */
const listen: Handler<readonly [], ListenOptions> = async (session, { options }) =>
  (await import('../listen/listen.ts')).listen(session, options);
