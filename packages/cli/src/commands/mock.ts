import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isLoopback } from '@service/internal';
import { createMock, type Mock, type Respond, type SandboxSeed } from '@service/mock';
import { type DataFile, keepData } from '@service/mock/node';
import { choice, defineCommand, flag, value, type ValuesOf } from '../command.ts';
import { configure, describeDefect, toMessage, UsageError } from '../errors.ts';
import { readProfileFile } from '../input.ts';
import { serveMock } from '../mock-server.ts';
import { type Output, quoteForShell } from '../output.ts';
import { collect, listenOptions, parseDuration, parsePositive } from '../parse.ts';
import { findSeed } from '../seed-file.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session, whenAborted } from '../session.ts';
import { toFields } from '../terminal.ts';

const input = {
  ...listenOptions(4010),
  seedFile: value('<file>', 'initial state in YAML or JSON (default: service.sandbox.yaml, .json)'),
  data: value('<file>', 'keep all data in this file, including keys and secrets'),
  clock: choice('<kind>', 'clock of the mock', ['real', 'manual'], { conflicts: ['speed'] }),
  speed: value('<factor>', 'speed of the clock: with 60, a minute takes a second', parsePositive),
  profile: value('<file>', 'JSON file with profile settings'),
  respond: value('<file>', 'module whose default export changes each response'),
  webhookUrl: value('<url>', 'URL for the webhooks of test mode'),
  quiet: flag('do not log requests to stderr'),
  seed: value('<text>', 'seed of ids, keys and secrets (default: random)'),
  accounts: choice('<rule>', "with 'open', a new test key opens an account", ['strict', 'open'], {
    default: 'strict',
  }),
  allowWebhookHost: value('<host>', 'another host that may get webhooks; repeatable', collect),
  grace: value('<span>', 'maximum time for running requests at the end (default: 1s)', parseDuration),
  selfService: flag('let each API key control its own account'),
};

type Options = ValuesOf<typeof input>;

/** Defines `mock`, which runs a mock of the API with generated keys. */
export const mockCommand: DefineCommand = defineCommand({
  input,
  help: 'Example:\n  $ service-cli mock --speed 10 --webhook-url http://localhost:3000/webhooks',
  run: runMock,
});

async function runMock(session: Session, options: Options): Promise<ExitCode> {
  const { output, env, signal } = session;
  const profile =
    options.profile === undefined ? undefined : await readProfileFile(options.profile, session, '--profile');
  // Checked apart from the seed, so that an error names its option.
  if (profile !== undefined) await configure(() => createMock({ profile }), '--profile');
  const file = await findSeed(session, options.seedFile);
  const { seed } = file;
  const respond = await readRespond(options.respond);
  const { speed, clock, accounts, allowWebhookHost: allowHosts } = options;
  const create = (): Mock =>
    createMock({
      profile,
      initial: seed,
      respond,
      accounts,
      onDefect: (error) => output.note(describeDefect(error)),
      clock: speed === undefined ? clock : { speed },
      seed: options.seed ?? seed.seed ?? drawSeed(),
      webhooks: { allowHosts },
    });
  await using mock = await configure(create);
  const secret = await setEndpoint(mock, seed, options.webhookUrl);
  await using data = await openData(mock, options.data, output);
  if (file.path !== undefined)
    output.note(
      data?.isRestored
        ? `Using ${file.path} for clock, faults and rate limit only, because ${data.path} has the accounts.`
        : `Using ${file.path}.`,
    );
  const webhookSecret = data?.isRestored ? undefined : secret;
  const { port, host, selfService, grace = 1000, quiet } = options;
  const log = quiet ? undefined : output.log;
  await using server = await serveMock(session, mock, { port, host, selfService, grace, log });
  if (!isLoopback(host)) output.note(`warning: everyone with a key who can reach ${host} can use this mock.`);
  // A token from the environment is a secret of the user, so it is not printed.
  const token = env.SERVICE_SANDBOX_TOKEN === undefined ? server.controlToken : null;
  // The fragment logs the page in, and no browser sends it.
  const fragment = token === null ? '' : `#token=${token}`;
  // Keys of the environment are secrets of the user, so their names are printed.
  const testKey = nameVariable(env, mock.account.testKey);
  const startup = {
    url: server.url,
    baseUrl: server.baseUrl,
    dashboard: `${toReachable(`${server.url}/`)}${fragment}`,
    testKey,
    liveKey: nameVariable(env, mock.account.liveKey),
    ...(webhookSecret && { webhookSecret }),
    ...(token !== null && { controlToken: token }),
  };
  const exports = [
    `export SERVICE_BASE_URL=${quoteForShell(toReachable(server.baseUrl))}`,
    `export SERVICE_API_KEY=${testKey}`,
    ...(webhookSecret ? [`export SERVICE_WEBHOOK_SECRET=${quoteForShell(webhookSecret)}`] : []),
    ...(token === null ? [] : [`export SERVICE_SANDBOX_TOKEN=${quoteForShell(token)}`]),
  ];
  const lines = [...toFields(startup, output.terminal), '', ...exports, '', 'Ready. Press Ctrl+C to stop.'];
  await output.reveal(startup, lines);
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

/**
 * Sets the endpoint of an option or a seed. Returns its signing secret, unless that of the seed, which belongs to the user.
 *
 * @throws {UsageError} when the URL is not allowed
 */
async function setEndpoint(
  { sandbox }: Mock,
  { accounts: [account] = [] }: SandboxSeed,
  given: string | undefined,
): Promise<string | undefined> {
  const url = given ?? account?.endpoint?.url;
  if (url === undefined) return undefined;
  const issue = () => sandbox.webhooks.setEndpoint({ ...account?.endpoint, url });
  const { secret } = await configure(issue, '--webhook-url');
  sandbox.baseline();
  return account?.endpoint?.secret === undefined ? secret : undefined;
}

/** Restores the data in a file, and saves all changes to it from now on. */
async function openData(mock: Mock, path: string | undefined, output: Output): Promise<DataFile | undefined> {
  if (path === undefined) return undefined;
  const data = await configure(() => keepData(mock, path), '--data');
  output.note(
    data.isRestored
      ? `Restored ${data.path}. --seed, --webhook-url and --profile apply to new files only.`
      : `All data is kept in ${data.path}, including keys and signing secrets.`,
  );
  return data;
}

/** Returns the reference to a value of the environment in a seed file, or the value. */
function nameVariable(env: Session['env'], key: string): string {
  const found = Object.entries(env).find(([name, each]) => name.startsWith('SERVICE_SEED_') && each === key);
  return found === undefined ? key : `\${${found[0]}}`;
}

/** Draws a seed. Not by `crypto`: its load takes 4 ms of the start, and the keys of a mock protect no money. */
function drawSeed(): string {
  return [1, 2, 3].map(() => Math.random().toString(36).slice(2)).join('');
}

/** Replaces the address of all interfaces, which cannot be called, with the loopback address. */
function toReachable(baseUrl: string): string {
  return baseUrl.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
