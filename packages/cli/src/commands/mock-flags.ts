import type { MockOptions, ProfileChoice } from '@service/mock';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parsePositive, parseWhole } from '../parse.ts';
import { type ProfileFile, readProfileFile } from '../profile-file.ts';
import type { Session } from '../session.ts';

/** Holds balances by currency code. */
export type Balances = Readonly<Record<string, string>>;

/** Holds what `mock` was asked for. */
export type MockFlags = {
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
};

/** Adds the flags of `mock`. */
export function addFlags(command: Command): Command {
  return command
    .option('--port <port>', 'listen here; 0 takes a free port', parseWhole(0, 65_535), 4010)
    .option('--host <address>', 'bind this address', '127.0.0.1')
    .option('--data <file>', 'keep the world in this file over restarts; it will hold keys and secrets')
    .option('--seed <text>', 'derive ids, keys and secrets from this (default: a random one)')
    .addOption(new Option('--clock <kind>', 'how time passes').choices(['real', 'manual']).conflicts('speed'))
    .option('--speed <factor>', 'let time pass faster: 60 makes a second of a minute', parsePositive)
    .addOption(
      new Option('--accounts <rule>', "whom to let in; 'open': any test key opens an account of its own")
        .choices(['strict', 'open'])
        .default('strict'),
    )
    .option(
      '--cors <origins>',
      "pages that may call: 'off', 'loopback', '*' or origins, with commas",
      parseCors,
      'loopback',
    )
    .option('--no-control', 'do not let anybody steer it under /_sandbox')
    .option('--webhook-url <url>', 'send the webhooks of test mode here, on this machine')
    .option('--profile <file>', 'play the settings in this JSON file')
    .option(
      '--setting <name=value>',
      'play this setting; may be repeated, and wins over the file',
      addSetting,
    )
    .option(
      '--balance <CODE=amount>',
      'open this wallet in test mode in place of the usual ones; may be repeated',
      addWallet,
    );
}

/** Reads the profile that the flags ask for: the file, and over it the single settings. Throws UsageError. */
export async function readProfile({ profile, setting }: MockFlags, session: Session): Promise<ProfileChoice> {
  const settings = profile === undefined ? {} : await readProfileFile(profile, session);
  // What is wrong with a setting is said by the sandbox, which knows them all.
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
