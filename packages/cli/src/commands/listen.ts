import { type Command, InvalidArgumentError, Option } from 'commander';
import { addSecretFile, modes } from '../config.ts';
import { listen } from '../listen/listen.ts';
import { parseDuration, parseWhole } from '../parse.ts';
import type { CreateAction } from '../session.ts';

/** Defines `webhooks listen`, which receives, verifies and prints webhooks (docs/contract.md#webhooks). */
export function defineListen(command: Command, act: CreateAction): void {
  addListenOptions(addSecretFile(command)).addHelpText('after', helpText).action(act(listen));
}

const helpText = `
A forged or malformed webhook is printed as REFUSED and gets the response of a receiver of @service/webhooks.
With --sandbox, your own signing secret becomes the secret of the endpoint, so that the app of --forward can verify too.

Example:
  $ service-cli webhooks listen --sandbox     # with a running \`service-cli mock\` and its key in SERVICE_API_KEY
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd'   # in another terminal; its events are printed
  $ service-cli webhooks listen --sandbox --until payment.completed --timeout 60s --json`;

function addListenOptions(command: Command): Command {
  return command
    .option('--sandbox', 'receive the events of a running service-cli mock, for the account of the API key')
    .option('--port <port>', 'port to listen on; 0 for any free port', parseWhole(0, 65_535), 4020)
    .option('--host <address>', 'address to listen on', parseHost, '127.0.0.1')
    .option('--path <path>', 'the only path to accept (default: any)', parsePath)
    .addOption(new Option('--mode <mode>', 'reject events of the other mode').choices(modes))
    .addOption(
      new Option('--forward <url>', 'forward each event to your app, and return its response')
        .argParser(parseUrl)
        .conflicts('answer'),
    )
    .option(
      '--answer <status>',
      'status of the response to events, such as 500 to test retries',
      parseWhole(200, 599),
    )
    .option(
      '--events <names>',
      'print only these events, with commas: payment.completed,payment.failed',
      splitNames,
    )
    .addOption(
      new Option('--count <count>', 'exit 0 after this number of events')
        .argParser(parseWhole(1, Number.MAX_SAFE_INTEGER))
        .conflicts('until'),
    )
    .option('--until <event>', 'exit 0 after an event of this name, such as payment.completed')
    .option('--timeout <span>', 'maximum time; exits 3 if --count or --until was not reached', parseDuration)
    .option('--explain', 'print probable causes of a rejected delivery');
}

function parseHost(text: string): string {
  // Node listens on all addresses for an empty host, such as an unset variable.
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError(
    'Write an address, such as 127.0.0.1, or 0.0.0.0 for all addresses of this machine.',
  );
}

function parsePath(text: string): string {
  // In the form of a request line, because the two are compared as text.
  if (/^\/[^\s?#]*$/.test(text) && new URL(text, 'http://localhost').pathname === text) return text;
  throw new InvalidArgumentError('Write a URL path, such as /webhooks.');
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (isPlain) return url;
  throw new InvalidArgumentError(
    'Write an http or https URL without user name and password, such as http://localhost:3000/webhooks.',
  );
}

function splitNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}
