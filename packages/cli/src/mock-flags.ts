import { type JsonObject, parseJson, toRecord } from '@service/internal';
import type { MockOptions } from '@service/mock';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addListenAddress } from './listen-address.ts';
import { parseDuration, parsePositive, parseWhole } from './parse.ts';

/** Balances by currency code. */
type Balances = Readonly<Record<string, string>>;

/** The options of `mock`. */
export interface MockFlags {
  readonly port: number;
  readonly host: string;
  readonly seed?: string;
  readonly seedFile?: string;
  readonly watch?: true;
  readonly speed?: number;
  readonly clock?: 'real' | 'manual';
  readonly webhookUrl?: string;
  readonly allowWebhookHost?: readonly string[];
  readonly data?: string;
  readonly quiet?: true;
  readonly requests?: number;
  readonly open?: true;
  /** In milliseconds. */
  readonly grace: number;
  readonly selfService?: true;
  /** False with `--no-control`. */
  readonly control: boolean;
  readonly accounts: NonNullable<MockOptions['accounts']>;
  readonly cors: NonNullable<MockOptions['cors']>;
  readonly profile?: string;
  readonly setting?: JsonObject;
  readonly balance?: Balances;
}

/** Adds the options of `mock`. */
export function addMockFlags(command: Command): Command {
  return addListenAddress(addAccountFlags(addServerFlags(command)), 4010)
    .option('--data <file>', 'keep all data in this file across restarts; it contains keys and secrets')
    .option(
      '--seed-file <file>',
      'initial state in YAML or JSON (default: service.sandbox.yaml or .json, if present)',
    )
    .addOption(
      new Option('--watch', 'load the seed file again when it changes, and reset the mock').conflicts('data'),
    )
    .option('--seed <text>', 'seed of ids, keys and secrets (default: random)')
    .addOption(
      new Option('--clock <kind>', 'clock of the mock').choices(['real', 'manual']).conflicts('speed'),
    )
    .option('--speed <factor>', 'speed of the clock: with 60, a minute takes a second', parsePositive)
    .option(
      '--cors <origins>',
      "origins of web pages that can call the mock: 'off', 'loopback', '*' or a list with commas",
      parseCors,
      'loopback',
    )
    .option('--open', 'open the dashboard in a browser (BROWSER selects the program)')
    .option('--no-control', 'disable the control API under /_sandbox')
    .option('--self-service', 'let each API key control its own account; the rest needs the token')
    .option('--profile <file>', 'JSON file with profile settings')
    .option('--setting <name=value>', 'profile setting; repeatable; overrides the file', addSetting)
    .option(
      '--balance <CODE=amount>',
      'wallet of the first account in test mode, in place of its others; repeatable',
      addWallet,
    );
}

/** Adds the options for the accounts that keys open, and for the request log. */
function addAccountFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--accounts <rule>', "accepted keys; with 'open', each new test key opens an account")
        .choices(['strict', 'open'])
        .default('strict'),
    )
    .option(
      '--requests <number>',
      'maximum number of logged requests; 0 for none (default: 10000)',
      parseWhole(0, 1_000_000),
    );
}

/** Adds the options for webhooks and for the end of the server. */
function addServerFlags(command: Command): Command {
  return command
    .option('--quiet', 'do not log requests to stderr')
    .addOption(
      new Option('--grace <duration>', 'maximum time for running requests at the end')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
    .option('--webhook-url <url>', 'URL for the webhooks of test mode, on this machine or an allowed host')
    .option(
      '--allow-webhook-host <host>',
      'another host that webhooks may be sent to, such as the name of a container; repeatable',
      addHost,
    );
}

function addHost(host: string, before: readonly string[] = []): readonly string[] {
  return [...before, host];
}

function addSetting(text: string, before: JsonObject = {}): JsonObject {
  const [, name, field, value] = /^([A-Za-z0-9]+)(?:\.([A-Za-z0-9]+))?=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError(
      'Write a setting and its value, such as numbers=string or successStatus.createPayment=200.',
    );
  const read = readValue(name, value);
  return { ...before, [name]: field === undefined ? read : { ...toRecord(before[name]), [field]: read } };
}

function readValue(name: string, text: string): unknown {
  if (/^[[{]/.test(text)) {
    const value = parseJson(text);
    if (value === undefined) throw new InvalidArgumentError(`The value of ${name} is not valid JSON.`);
    return value;
  }
  if (name === 'events') return text.split(',');
  return /^\d+$/.test(text) ? Number(text) : text;
}

function parseCors(text: string): NonNullable<MockOptions['cors']> {
  return text === 'off' || text === 'loopback' || text === '*' ? text : text.split(',');
}

function addWallet(text: string, before: Balances = {}): Balances {
  const [, code, amount] = /^([A-Za-z]{3})=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (code !== undefined && amount !== undefined) return { ...before, [code.toUpperCase()]: amount };
  throw new InvalidArgumentError('Write a currency and an amount, such as USD=1000.00.');
}
