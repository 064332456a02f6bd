import { isLoopback } from '@service/internal';
import { type Mode, PAYMENT_EVENT_NAMES } from '@service/webhooks';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { modes } from '../config.ts';
import { UsageError } from '../errors.ts';
import { addListenAddress } from '../listen-address.ts';
import { parseDuration, parseUrl, parseWhole, statusOfEvent } from '../parse.ts';

/** The options of `webhooks listen`. Durations are in milliseconds. */
export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  readonly path?: string;
  readonly secretFile?: string;
  readonly mode?: Mode;
  readonly sandbox?: true;
  readonly forward?: URL;
  readonly answer?: number;
  readonly events?: readonly string[];
  readonly count?: number;
  readonly until?: string;
  readonly timeout?: number;
  readonly explain?: true;
  readonly printSecret?: true;
}

/** Adds the options of `webhooks listen`. */
export function addListenOptions(command: Command): Command {
  command.option(
    '--sandbox',
    'receive the events of a running service-cli mock, for the account of the API key',
  );
  return addListenAddress(command, 4020)
    .option('--path <path>', 'the only path to accept (default: any)', parsePath)
    .addOption(new Option('--mode <mode>', 'reject events of the other mode').choices(modes))
    .addOption(
      new Option('--forward <url>', 'forward each event to your app, and return its response')
        .argParser(parseUrl('http://localhost:3000/webhooks'))
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
    .option('--explain', 'print probable causes of a rejected delivery')
    .option('--print-secret', 'print the signing secret that --sandbox creates, for the app of --forward');
}

function parsePath(text: string): string {
  // In the form of a request line, because the two are compared as text.
  if (/^\/[^\s?#]*$/.test(text) && new URL(text, 'http://localhost').pathname === text) return text;
  throw new InvalidArgumentError('Write a URL path, such as /webhooks.');
}

function splitNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/**
 * Checks the names of events. Notes undocumented names.
 *
 * @throws {UsageError} when a name has another form, or `--events` leaves out the event of `--until`.
 */
export function checkEventNames({ events = [], until }: ListenOptions, note: (line: string) => void): void {
  const known: readonly string[] = PAYMENT_EVENT_NAMES;
  for (const name of [...events, ...(until === undefined ? [] : [until])]) {
    if (known.includes(name)) continue;
    const choice = `the documented events are ${known.join(', ')}`;
    if (statusOfEvent(name) === undefined)
      throw new UsageError(`${JSON.stringify(name)} is not an event name; ${choice}.`);
    note(`warning: ${name} is not documented; ${choice}.`);
  }
  if (until !== undefined && events.length > 0 && !events.includes(until))
    throw new UsageError(`--until ${until} must be one of --events.`);
}

/**
 * Checks that the app is not the listener itself, which would forward each event in a loop.
 *
 * @throws {UsageError} when `--forward` is the address of the listener.
 */
export function checkForward({ forward, host, port }: ListenOptions): void {
  if (forward === undefined || (forward.port || '80') !== String(port)) return;
  const name = forward.hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(name) || name === host || name === '0.0.0.0' || name === '::')
    throw new UsageError(`--forward leads back to this listener at port ${port}. Pass the URL of your app.`);
}
