import type { AccountView, Mock, MockOptions } from '@service/mock';
import type { MockServer } from '@service/mock/node';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { exitCodes } from '../exit-code.ts';
import { parsePositive, parseWhole } from '../parse.ts';
import type { Act, Handler, Session } from '../session.ts';
import { toFields } from '../table.ts';
import { UsageError } from '../usage-error.ts';

/** Adds `mock`: a stateful sandbox of the API on this machine, with keys of its own. */
export function addMock(program: Command, act: Act): void {
  program
    .command('mock')
    .description('Run a sandbox of the API until Ctrl+C. Its money, and so its keys, are pretend.')
    .option('--port <port>', 'listen here; 0 takes a free port', parseWhole(0, 65_535), 4010)
    .option('--host <address>', 'bind this address', '127.0.0.1')
    .option('--seed <text>', 'derive ids, keys and secrets from this (default: a random one)')
    .option('--speed <factor>', 'let time pass faster: 60 makes a second of a minute', parsePositive)
    .option('--webhook-url <url>', 'send the webhooks of test mode here, on this machine')
    .addOption(
      new Option('--minor-units <rule>', 'decimals of amounts').choices(['two', 'iso']).default('two'),
    )
    .option(
      '--balance <CODE=amount>',
      'open this wallet in test mode in place of the usual ones; may be repeated',
      addWallet,
    )
    .addHelpText('after', '\nExample:\n  $ service-cli mock --speed 10 --balance USD=1000.00 --balance EUR=0')
    .action(act(serve));
}

type Balances = Readonly<Record<string, string>>;

type Options = {
  readonly port: number;
  readonly host: string;
  readonly seed?: string;
  readonly speed?: number;
  readonly webhookUrl?: string;
  readonly minorUnits: 'two' | 'iso';
  readonly balance?: Balances;
};

const serve: Handler<readonly [], Options> = async (session, { options }) => {
  const { output, environment } = session;
  await using mock = await openWorld(options, (message) => output.note(`internal error: ${message}`));
  const account = configure(() => openAccount(mock, options.balance));
  const webhookSecret = configure(() => setEndpoint(mock, account, options.webhookUrl));
  await using server = await open(mock, options);
  if (!isLoopback(options.host)) {
    output.note(`warning: whoever reaches ${options.host} can use this sandbox; it has no protection.`);
  }
  await announce(session, { server, account, webhookSecret });
  await ended(environment.signal);
  return exitCodes.ok;
};

/** Loads the sandbox only now: no other command needs it. */
async function openWorld(options: Options, onDefect: (message: string) => void): Promise<Mock> {
  const { createMock } = await import('@service/mock');
  const { seed, speed, minorUnits } = options;
  const settings: MockOptions = {
    profile: { minorUnits },
    // So that the pages of a front end under development can call it (contract.md 1).
    cors: 'loopback',
    onDefect: (error) => onDefect(error instanceof Error ? error.message : String(error)),
    ...(seed !== undefined && { seed }),
    ...(speed !== undefined && { clock: { speed } }),
  };
  return configure(() => createMock(settings));
}

function openAccount({ account, sandbox }: Mock, balances: Balances | undefined): AccountView {
  return balances === undefined ? account : sandbox.accounts.create({ balances });
}

function setEndpoint({ sandbox }: Mock, account: AccountView, url: string | undefined): string | undefined {
  return url === undefined ? undefined : sandbox.webhooks.setEndpoint({ account, mode: 'test', url }).secret;
}

async function open(mock: Mock, { port, host: hostname }: Options): Promise<MockServer> {
  const { listen } = await import('@service/mock/node');
  try {
    return await listen(mock, { port, hostname });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new UsageError(`Port ${port} is in use. Choose another with --port, or 0 for a free one.`);
    }
    throw new UsageError(`Cannot listen at ${hostname}, port ${port}: ${code ?? 'unknown error'}.`);
  }
}

type World = { server: MockServer; account: AccountView; webhookSecret: string | undefined };

async function announce({ output }: Session, { server, account, webhookSecret }: World): Promise<void> {
  const { url, baseUrl } = server;
  const { testKey, liveKey } = account;
  const document = { url, baseUrl, testKey, liveKey, ...(webhookSecret && { webhookSecret }) };
  const exports = [`export SERVICE_BASE_URL=${baseUrl}`, `export SERVICE_API_KEY=${testKey}`];
  await output.reveal(document, [
    ...toFields(document),
    '',
    ...exports,
    '',
    'Ready. Ctrl+C ends the sandbox.',
  ]);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Takes a step whose refusal is about the options that were given. */
function configure<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error && error.name === 'SandboxError') throw new UsageError(error.message);
    throw error;
  }
}

function addWallet(text: string, before: Balances = {}): Balances {
  const [, code, amount] = /^([A-Za-z]{3})=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (code !== undefined && amount !== undefined) return { ...before, [code.toUpperCase()]: amount };
  throw new InvalidArgumentError('Write a currency and an amount, such as USD=1000.00.');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
