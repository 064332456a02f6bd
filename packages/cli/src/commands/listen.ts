import type { Command } from 'commander';
import { addListenOptions, type ListenOptions } from '../listen/options.ts';
import type { Act, Handler } from '../session.ts';
import { addSecretFile } from '../signing-secret.ts';

/** Adds `webhooks listen`: receives webhooks on this machine, verifies them and shows their events (spec §6). */
export function addListen(webhooks: Command, act: Act): void {
  addListenOptions(addSecretFile(webhooks.command('listen')))
    .description('Receive webhooks on this machine until Ctrl+C, verify them and show their events.')
    .addHelpText('after', helpText)
    .action(act(listen));
}

const helpText = `
What is forged or malformed is shown as refused, and answered as a receiver answers it. A secret of your own becomes that
of the endpoint with --sandbox, so that the app behind --forward can verify as well.

Example:
  $ service-cli webhooks listen --sandbox     # beside \`service-cli mock\`, with its key in SERVICE_API_KEY
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd'   # in another terminal: its events are shown
  $ service-cli webhooks listen --sandbox --until payment.completed --timeout 60s --json`;

/** Loads the listener only now: no other command needs it. */
const listen: Handler<readonly [], ListenOptions> = async (session, { options }) =>
  (await import('../listen/listen.ts')).listen(session, options);
