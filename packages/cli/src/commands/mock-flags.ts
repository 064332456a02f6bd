import type { MockOptions, ProfileChoice } from '@service/mock';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parsePositive, parseWhole } from '../parse.ts';
import { type ProfileFile, readProfileFile } from '../profile-file.ts';
import type { Session } from '../session.ts';

/** Balances by currency code. */
export type Balances = Readonly<Record<string, string>>;

/** The options of `mock`. */
export interface MockFlags {
  readonly port: number;
  readonly host: string;
  readonly seed?: string;
  readonly speed?: number;
  readonly clock?: 'real' | 'manual';
  readonly webhookUrl?: string;
  readonly data?: string;
  /** False with `--no-control`. */
  readonly control: boolean;
  readonly accounts: NonNullable<MockOptions['accounts']>;
  readonly cors: NonNullable<MockOptions['cors']>;
  readonly profile?: string;
  readonly setting?: ProfileFile;
  readonly balance?: Balances;
}

/** Adds the options of `mock`. */
export function addFlags(command: Command): Command {
  return command
    .option('--port <port>', 'port to listen on; 0 for any free port', parseWhole(0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <file>', 'keep all data in this file across restarts; it contains keys and secrets')
    .option('--seed <text>', 'seed of ids, keys and secrets (default: random)')
    .addOption(
      new Option('--clock <kind>', 'clock of the mock').choices(['real', 'manual']).conflicts('speed'),
    )
    .option('--speed <factor>', 'speed of the clock: with 60, a minute takes a second', parsePositive)
    .addOption(
      new Option('--accounts <rule>', "accepted keys; with 'open', each new test key opens an account")
        .choices(['strict', 'open'])
        .default('strict'),
    )
    .option(
      '--cors <origins>',
      "origins of web pages that can call the mock: 'off', 'loopback', '*' or a list with commas",
      parseCors,
      'loopback',
    )
    .option('--no-control', 'disable the control API under /_sandbox')
    .option('--webhook-url <url>', 'loopback URL for the webhooks of test mode')
    .option('--profile <file>', 'JSON file with profile settings')
    .option('--setting <name=value>', 'profile setting; repeatable; overrides the file', addSetting)
    .option(
      '--balance <CODE=amount>',
      'wallet in test mode in place of the default wallets; repeatable',
      addWallet,
    );
}

/**
 * Reads the profile of the options: the file, overridden by single settings.
 *
 * @throws {UsageError} when the file cannot be read or is not a JSON object.
 */
export async function readProfile({ profile, setting }: MockFlags, session: Session): Promise<ProfileChoice> {
  const settings = profile === undefined ? {} : await readProfileFile(profile, session);
  // The mock validates the settings.
  return { ...settings, ...setting };
}

function addSetting(text: string, before: ProfileFile = {}): ProfileFile {
  const [, name, value] = /^([A-Za-z0-9]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Write a setting and its value, such as createStatus=200.');
  return { ...before, [name]: readValue(name, value) };
}

function readValue(name: string, text: string): unknown {
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
