import type { AccountView, Mock } from '@service/mock';
import type { DataFile, MockServer } from '@service/mock/node';
import type { Command } from 'commander';
import { exitCodes } from '../exit-code.ts';
import { reasonOf } from '../input.ts';
import { ended, refuseAddress } from '../listening.ts';
import { isLoopback } from '../loopback.ts';
import { toMockWords } from '../mock-words.ts';
import type { Output } from '../output.ts';
import type { Act, Handler, Session } from '../session.ts';
import { toFields } from '../table.ts';
import { UsageError } from '../usage-error.ts';
import { addFlags, type Balances, type MockFlags, readProfile } from './mock-flags.ts';

/** Adds `mock`: a stateful sandbox of the API on this machine, with keys of its own. */
export function addMock(program: Command, act: Act): void {
  const command = program
    .command('mock')
    .description('Run a sandbox of the API until Ctrl+C. Its money, and so its keys, are pretend.');
  addFlags(command)
    .addHelpText('after', '\nExample:\n  $ service-cli mock --speed 10 --balance USD=1000.00 --balance EUR=0')
    .action(act(serve));
}

const serve: Handler<readonly [], MockFlags> = async (session, { options }) => {
  const { output, environment } = session;
  await using mock = await openWorld(options, session);
  await using data = await openData(mock, options.data, output);
  // A world that goes on has its money already.
  const balances = data?.isRestored ? undefined : options.balance;
  const account = await configure(() => openAccount(mock, balances));
  const webhookSecret = await configure(() => setEndpoint(mock, account, options.webhookUrl));
  // So that a reset keeps the keys that are shown.
  mock.sandbox.baseline();
  await data?.save();
  const token = environment.env.SERVICE_SANDBOX_TOKEN;
  await using server = await open(mock, options, token);
  if (!isLoopback(options.host)) {
    output.note(`warning: whoever reaches ${options.host} and has a key can use this sandbox.`);
  }
  // A token of the user's own is not shown to anybody.
  const controlToken = token === undefined ? server.controlToken : null;
  await announce(session, { server, account, webhookSecret, controlToken });
  await ended(environment.signal);
  // Before the data file is let go, so that it holds what the last deliveries came to.
  await mock.close();
  return exitCodes.ok;
};

/** Loads the sandbox only now: no other command needs it. */
async function openWorld(flags: MockFlags, session: Session): Promise<Mock> {
  const { createMock } = await import('@service/mock');
  const { seed, speed, clock, cors, accounts } = flags;
  const profile = await readProfile(flags, session);
  const { output } = session;
  const create = (): Mock =>
    createMock({
      profile,
      accounts,
      // By default so that the pages of a front end under development can call it (contract.md 1).
      cors,
      onDefect: (error) => output.note(`internal error: ${describe(error)}`),
      clock: speed === undefined ? (clock ?? 'real') : { speed },
      ...(seed !== undefined && { seed }),
    });
  return configure(create);
}

/** Brings back the world that a file holds, and keeps it there from now on. */
async function openData(mock: Mock, path: string | undefined, output: Output): Promise<DataFile | undefined> {
  if (path === undefined) return undefined;
  const { keepData } = await import('@service/mock/node');
  const onError = (error: unknown): void =>
    output.note(`the data file cannot be written: ${describe(error)}`);
  const data = await openFile(path, () => keepData(mock, path, { onError }));
  output.note(
    data.isRestored
      ? `the world in ${data.path} goes on; --seed and --balance are for a new one.`
      : `the world is kept in ${data.path}, keys and signing secrets included.`,
  );
  return data;
}

const OWN_ACCOUNT = 'balances';

/** Opens the account that was asked for, or finds it again in a world that goes on. */
function openAccount({ account, sandbox }: Mock, balances: Balances | undefined): AccountView {
  const known = sandbox.accounts.list().find(({ name }) => name === OWN_ACCOUNT);
  if (known !== undefined) return sandbox.accounts.get(known);
  return balances === undefined ? account : sandbox.accounts.create({ name: OWN_ACCOUNT, balances });
}

/** Sets the endpoint of test mode; in a world that goes on, one that is the same keeps its secret. */
function setEndpoint({ sandbox }: Mock, account: AccountView, url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const known = sandbox.webhooks.endpoint({ account })?.url;
  const isKnown = URL.canParse(url) && known === new URL(url).href;
  return isKnown ? undefined : sandbox.webhooks.setEndpoint({ account, url }).secret;
}

async function open(
  mock: Mock,
  { port, host: hostname, control: isSteered }: MockFlags,
  token: string | undefined,
): Promise<MockServer> {
  const { listen } = await import('@service/mock/node');
  try {
    const control = isSteered ? { ...(token !== undefined && { token }) } : 'off';
    return await listen(mock, { port, hostname, control });
  } catch (error) {
    const isAboutToken = error instanceof TypeError && error.message.startsWith('control.token');
    if (isAboutToken) throw new UsageError(`SERVICE_SANDBOX_TOKEN: ${error.message}`);
    throw refuseAddress({ host: hostname, port }, error);
  }
}

type World = {
  server: MockServer;
  account: AccountView;
  webhookSecret: string | undefined;
  controlToken: string | null;
};

async function announce({ output }: Session, world: World): Promise<void> {
  const { server, account, webhookSecret, controlToken } = world;
  const { url, baseUrl } = server;
  const { testKey, liveKey } = account;
  const document = {
    url,
    baseUrl,
    testKey,
    liveKey,
    ...(webhookSecret && { webhookSecret }),
    ...(controlToken !== null && { controlToken }),
  };
  const exports = [
    `export SERVICE_BASE_URL=${toReachable(baseUrl)}`,
    `export SERVICE_API_KEY=${testKey}`,
    ...(controlToken ? [`export SERVICE_SANDBOX_TOKEN=${controlToken}`] : []),
  ];
  await output.reveal(document, [
    ...toFields(document),
    '',
    ...exports,
    '',
    'Ready. Ctrl+C ends the sandbox.',
  ]);
}

/** Names the address as this machine reaches it: one that stands for all of its own is none to call. */
function toReachable(baseUrl: string): string {
  return baseUrl.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Takes a step whose refusal is about the options that were given. */
async function configure<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Error && error.name === 'SandboxError')
      throw new UsageError(toMockWords(error.message));
    throw error;
  }
}

/** Opens the data file; what its system refuses is told of the file itself, and not of those beside it. */
async function openFile(path: string, step: () => Promise<DataFile>): Promise<DataFile> {
  try {
    return await configure(step);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    const why = code === 'ENOENT' ? 'there is no such directory' : reasonOf(code);
    throw new UsageError(`Cannot keep the world in ${JSON.stringify(path)}: ${why}.`);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
