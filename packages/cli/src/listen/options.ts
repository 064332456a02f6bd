import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Mode } from '@service/webhooks';
import { modes } from '../config.ts';
import { parseDuration, parseWhole } from '../parse.ts';

/** Holds what `webhooks listen` was asked for; spans in milliseconds. */
export type ListenOptions = {
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
};

/** Adds the options of `webhooks listen`. */
export function addListenOptions(command: Command): Command {
  return command
    .option('--sandbox', "have service-cli mock send the events of your key's account here, for so long")
    .option('--port <port>', 'listen here; 0 takes a free port', parseWhole(0, 65_535), 4020)
    .option('--host <address>', 'bind this address', parseHost, '127.0.0.1')
    .option('--path <path>', 'answer this path alone (default: any)', parsePath)
    .addOption(new Option('--mode <mode>', 'refuse events of the other mode').choices(modes))
    .addOption(
      new Option('--forward <url>', 'repeat each event to your app, and answer what it answers')
        .argParser(parseUrl)
        .conflicts('answer'),
    )
    .option('--answer <status>', 'answer events with this, such as 500 to see retries', parseWhole(200, 599))
    .option('--events <names>', 'show these alone, with commas: payment.completed,payment.failed', splitNames)
    .addOption(
      new Option('--count <count>', 'end with exit 0 after so many events')
        .argParser(parseWhole(1, Number.MAX_SAFE_INTEGER))
        .conflicts('until'),
    )
    .option('--until <event>', 'end with exit 0 after an event of this name, such as payment.completed')
    .option(
      '--timeout <span>',
      'end after so long; exit 3 where --count or --until was not reached',
      parseDuration,
    )
    .option('--explain', 'say what is probably wrong with a delivery that is refused');
}

function parseHost(text: string): string {
  // An empty one, such as of an unset variable, would be every address of the machine.
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError(
    'Write an address, such as 127.0.0.1, or 0.0.0.0 for every one of this machine.',
  );
}

function parsePath(text: string): string {
  // Written as it comes in a request line, so that the two can be compared.
  if (/^\/[^\s?#]*$/.test(text) && new URL(text, 'http://localhost').pathname === text) return text;
  throw new InvalidArgumentError('Write a path as it stands in an address, such as /webhooks.');
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (isPlain) return url;
  throw new InvalidArgumentError(
    'Write an http or https address without user name and password, such as http://localhost:3000/webhooks.',
  );
}

function splitNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}
