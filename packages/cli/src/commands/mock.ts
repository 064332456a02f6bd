import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isLoopback, isRecord, type JsonObject, parseJson, toRecord } from '@service/internal';
import {
  createMock,
  type Mock,
  type MockOptions,
  type ProfileChoice,
  type Respond,
  type SandboxSeed,
} from '@service/mock';
import { type DataFile, keepData } from '@service/mock/node';
import { InvalidArgumentError } from 'commander';
import { choice, defineCommand, flag, offSwitch, value, type ValuesOf } from '../command.ts';
import { configure, describeDefect, toMessage, UsageError } from '../errors.ts';
import { readProfileFile } from '../input.ts';
import { serveMock } from '../mock-server.ts';
import { type Output, quoteForShell } from '../output.ts';
import { collect, listenOptions, parseDuration, parsePositive, parseWhole } from '../parse.ts';
import { findSeed, watchSeed } from '../seed-file.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session, whenAborted } from '../session.ts';
import { toFields } from '../terminal.ts';

const input = {
  ...listenOptions(4010),
  seedFile: value('<file>', 'initial state in YAML or JSON (default: service.sandbox.yaml, .json)'),
  data: value('<file>', 'keep all data in this file, including keys and secrets'),
  clock: choice('<kind>', 'clock of the mock', ['real', 'manual'], { conflicts: ['speed'] }),
  speed: value('<factor>', 'speed of the clock: with 60, a minute takes a second', parsePositive),
  balance: value('<CODE=amount>', 'wallet of the first account in test mode; repeatable', addWallet),
  profile: value('<file>', 'JSON file with profile settings'),
  setting: value('<name=value>', 'profile setting; overrides the file; repeatable', addSetting),
  respond: value('<file>', 'module whose default export changes each response'),
  webhookUrl: value('<url>', 'URL for the webhooks of test mode'),
  quiet: flag('do not log requests to stderr'),
  watch: flag('load the seed file again when it changes, and reset', { conflicts: ['data'] }),
  seed: value('<text>', 'seed of ids, keys and secrets (default: random)'),
  accounts: choice('<rule>', "with 'open', a new test key opens an account", ['strict', 'open'], {
    default: 'strict',
  }),
  allowWebhookHost: value('<host>', 'another host that may get webhooks; repeatable', collect),
  requests: value('<number>', 'maximum of logged requests (default: 10000)', parseWhole(0, 1_000_000)),
  grace: value('<span>', 'maximum time for running requests at the end (default: 1s)', parseDuration),
  selfService: flag('let each API key control its own account'),
  control: offSwitch('disable the control API under /_sandbox'),
};

type Options = ValuesOf<typeof input>;

/** Defines `mock`, which runs a mock of the API with generated keys. */
export const mockCommand: DefineCommand = defineCommand({
  input,
  help: 'Example:\n  $ service-cli mock --speed 10 --balance USD=1000.00 --balance EUR=0',
  run: runMock,
});

type Balances = Readonly<Record<string, string>>;

function addWallet(text: string, before: Balances = {}): Balances {
  const [, code, amount] = /^([A-Za-z]{3})=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (code !== undefined && amount !== undefined) return { ...before, [code.toUpperCase()]: amount };
  throw new InvalidArgumentError('Write a currency and an amount, such as USD=1000.00.');
}

function addSetting(text: string, before: JsonObject = {}): JsonObject {
  const [, name, field, content] = /^([A-Za-z0-9]+)(?:\.([A-Za-z0-9]+))?=(.+)$/.exec(text) ?? [];
  if (name === undefined || content === undefined)
    throw new InvalidArgumentError(
      'Write a setting and its value, such as numbers=string or successStatus.createPayment=200.',
    );
  const read = readSetting(name, content);
  return { ...before, [name]: field === undefined ? read : { ...toRecord(before[name]), [field]: read } };
}

function readSetting(name: string, content: string): unknown {
  if (name === 'events') return content.split(',');
  if (!/^[[{]/.test(content)) return /^\d+$/.test(content) ? Number(content) : content;
  const parsed = parseJson(content);
  if (parsed === undefined) throw new InvalidArgumentError(`The value of ${name} is not valid JSON.`);
  return parsed;
}

async function runMock(session: Session, options: Options): Promise<ExitCode> {
  const { output, env, signal } = session;
  const profile = await readProfile(session, options);
  const seedOption = options.seedFile && '--seed-file';
  const file = await configure(() => findSeed(session, options.seedFile, options), seedOption);
  if (options.selfService && !options.control)
    throw new UsageError('--self-service needs the control API. Remove --no-control.');
  if (options.watch && file.path === undefined)
    throw new UsageError('--watch needs a seed file. `service-cli init` writes one.');
  await checkOverrides(options, profile);
  const seed = await configure(file.read, seedOption);
  const respond = await readRespond(options.respond);
  await using mock = await configure(() => openMock(options, { profile, initial: seed, respond }, output));
  await using data = await openData(mock, options.data, output);
  if (file.path !== undefined)
    output.note(
      data?.isRestored
        ? `Using ${file.path} for clock, faults and rate limit only, because ${data.path} has the accounts.`
        : `Using ${file.path}.`,
    );
  const webhookSecret = data?.isRestored ? undefined : findNewSecret(mock, seed);
  const { port, host, control: hasControl, selfService, grace = 1000, quiet } = options;
  const log = quiet ? undefined : output.log;
  await using server = await serveMock(session, mock, { port, host, hasControl, selfService, grace, log });
  if (!isLoopback(host)) output.note(`warning: everyone with a key who can reach ${host} can use this mock.`);
  // A token from the environment is a secret of the user, so it is not printed.
  const token = env.SERVICE_SANDBOX_TOKEN === undefined ? server.controlToken : null;
  // The fragment logs the page in, and no browser sends it.
  const fragment = token === null ? '' : `#token=${token}`;
  /** Returns the addresses, keys and secrets. Those of the environment are secrets of the user: it returns their names. */
  const describe = (secret: string | undefined): Startup => ({
    url: server.url,
    baseUrl: server.baseUrl,
    ...(hasControl && { dashboard: `${toReachable(`${server.url}/`)}${fragment}` }),
    testKey: nameVariable(env, mock.account.testKey),
    liveKey: nameVariable(env, mock.account.liveKey),
    ...(secret && { webhookSecret: secret }),
    ...(token !== null && { controlToken: token }),
  });
  const startup = describe(webhookSecret);
  let latest = JSON.stringify(startup);
  const load = async (changed: SandboxSeed): Promise<void> => {
    mock.sandbox.load(changed);
    const present = describe(findNewSecret(mock, changed));
    if (JSON.stringify(present) !== latest) await printStartup(session, present);
    latest = JSON.stringify(present);
  };
  if (options.watch) void watchSeed(session, file, load);
  await printStartup(session, startup);
  await whenAborted(signal);
  await server.close();
  // Closed before the data file, so that the file has the results of the last deliveries.
  await mock.close();
  try {
    await data?.close();
  } catch (error) {
    // Changes since the last failure of the file can be missing.
    output.note(toMessage(error));
    return exitCodes.unknown;
  }
  return exitCodes.ok;
}

/** Reads the file of the profile, and changes the settings of the options in it. The mock validates them. */
async function readProfile(session: Session, { profile, setting = {} }: Options): Promise<ProfileChoice> {
  const settings = profile === undefined ? {} : await readProfileFile(profile, session, '--profile');
  const changed = Object.entries(setting).map(([name, content]) => {
    const given = settings[name];
    return [name, isRecord(given) && isRecord(content) ? { ...given, ...content } : content];
  });
  return { ...settings, ...Object.fromEntries(changed) };
}

/**
 * Loads the function that changes responses.
 *
 * @throws {UsageError} when the file is no module with such a function
 */
async function readRespond(path: string | undefined): Promise<Respond | undefined> {
  if (path === undefined) return undefined;
  const module = (await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw new UsageError(`--respond: cannot load ${JSON.stringify(path)}: ${toMessage(error)}`);
  })) as { readonly default?: unknown };
  if (typeof module.default === 'function') return module.default as Respond;
  throw new UsageError(`--respond: the default export of ${JSON.stringify(path)} must be a function.`);
}

function openMock(options: Options, given: MockOptions, output: Output): Mock {
  const { seed, speed, clock, accounts, requests, allowWebhookHost: allowHosts } = options;
  return createMock({
    ...given,
    accounts,
    requestLog: requests === 0 ? 'off' : { requests },
    onDefect: (error) => output.note(describeDefect(error)),
    clock: speed === undefined ? clock : { speed },
    seed,
    webhooks: { allowHosts },
  });
}

/**
 * Checks the options that change the seed, because an error of the seed would name a line of the file.
 *
 * @throws {UsageError} for an invalid setting, balance, host or URL
 */
async function checkOverrides(
  { balance, webhookUrl, setting, allowWebhookHost: allowHosts }: Options,
  profile: ProfileChoice,
): Promise<void> {
  const hasOverrides = balance !== undefined || webhookUrl !== undefined || Object.keys(profile).length > 0;
  if (!hasOverrides && allowHosts === undefined) return;
  const create = (): Mock => createMock({ profile, webhooks: { allowHosts } });
  const { accounts, webhooks } = (await configure(create, setting ? '--setting' : '--profile')).sandbox;
  if (balance !== undefined) await configure(() => accounts.create({ balances: balance }), '--balance');
  if (webhookUrl !== undefined)
    await configure(() => webhooks.setEndpoint({ url: webhookUrl }), '--webhook-url');
}

/** The part of a snapshot with the signing secrets. */
interface StoredState {
  readonly accounts: readonly {
    readonly modes: { readonly test: { readonly endpoint?: { readonly secret: string } | null } };
  }[];
}

/** Returns the derived signing secret of the first account. A secret of the seed belongs to the user. */
function findNewSecret({ sandbox }: Mock, { accounts: [given] = [] }: SandboxSeed): string | undefined {
  if (given?.endpoint?.secret !== undefined || !sandbox.webhooks.endpoint()) return undefined;
  const { accounts } = sandbox.snapshot().state as StoredState;
  return accounts[0]?.modes.test.endpoint?.secret;
}

/** Restores the data in a file, and saves all changes to it from now on. */
async function openData(mock: Mock, path: string | undefined, output: Output): Promise<DataFile | undefined> {
  if (path === undefined) return undefined;
  const data = await configure(() => keepData(mock, path), '--data');
  output.note(
    data.isRestored
      ? `Restored ${data.path}. --seed, --balance, --webhook-url, --profile and --setting apply to new files only.`
      : `All data is kept in ${data.path}, including keys and signing secrets.`,
  );
  return data;
}

/** Returns the reference to a value of the environment in a seed file, or the value. */
function nameVariable(env: Session['env'], key: string): string {
  const found = Object.entries(env).find(([name, each]) => name.startsWith('SERVICE_SEED_') && each === key);
  return found === undefined ? key : `\${${found[0]}}`;
}

/** The addresses, keys and secrets of a running mock. */
interface Startup {
  readonly url: string;
  readonly baseUrl: string;
  readonly dashboard?: string;
  readonly testKey: string;
  readonly liveKey: string;
  readonly webhookSecret?: string;
  readonly controlToken?: string;
}

/** Replaces the address of all interfaces, which cannot be called, with the loopback address. */
function toReachable(baseUrl: string): string {
  return baseUrl.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Prints addresses, keys and shell commands. */
async function printStartup({ output }: Session, startup: Startup): Promise<void> {
  const variables = {
    SERVICE_BASE_URL: toReachable(startup.baseUrl),
    SERVICE_API_KEY: startup.testKey,
    SERVICE_WEBHOOK_SECRET: startup.webhookSecret,
    SERVICE_SANDBOX_TOKEN: startup.controlToken,
  };
  const exports = Object.entries(variables).flatMap(([name, text]) =>
    text === undefined ? [] : [`export ${name}=${name === 'SERVICE_API_KEY' ? text : quoteForShell(text)}`],
  );
  const fields = toFields(startup, output.terminal);
  await output.reveal(startup, [...fields, '', ...exports, '', 'Ready. Press Ctrl+C to stop.']);
}
