import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Target } from './session.ts';

const root = new URL('../../../', import.meta.url).pathname;
/** The command line, from its sources: it never needs a build, and is never older than the code under test. */
const cli = [
  '--disable-warning=ExperimentalWarning',
  '--conditions=@service/source',
  `${root}packages/cli/src/main.ts`,
];

export interface RunningTarget extends AsyncDisposable {
  readonly target: Target;
}

/** Starts a program and returns the JSON of its first line. */
async function start(
  args: readonly string[],
): Promise<{ readonly line: Record<string, string>; readonly stop: () => Promise<void> }> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stderr = text(child.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  if (done === true) throw new Error(`${args.join(' ')} printed no address: ${await stderr}`);
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  return { line: JSON.parse(value) as Record<string, string>, stop };
}

export interface ServiceOptions {
  /** Folder in `test/services`. */
  readonly name: string;
  readonly webhookUrl: string;
  /** Factor by which the durations of the service are shorter. */
  readonly speed: number;
}

export async function startService({ name, webhookUrl, speed }: ServiceOptions): Promise<RunningTarget> {
  const options = ['--webhook-url', webhookUrl, '--speed', String(speed)];
  const { line, stop } = await start([`${root}test/services/${name}/server.ts`, ...options]);
  return { target: line as unknown as Target, [Symbol.asyncDispose]: stop };
}

export interface MockOptions {
  /** File with the saved profile. */
  readonly profile: string;
  readonly webhookUrl: string;
}

/** Starts a mock with a profile, and creates a payment of a second account. */
export async function startMock({ profile, webhookUrl }: MockOptions): Promise<RunningTarget> {
  const options = ['--port', '0', '--quiet', '--json', '--seed', 'judge', '--profile', profile];
  const { line, stop } = await start([...cli, 'mock', ...options, '--webhook-url', webhookUrl]);
  if (line['url'] === undefined) throw new Error(`the mock did not start: ${JSON.stringify(line)}`);
  const { url = '', baseUrl = '', testKey = '', webhookSecret = '' } = line;
  const send = async (address: string, body: object, key = ''): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };
  const other = await send(`${url}/_sandbox/accounts`, { balances: { USD: '1000.00' } });
  const order = { from_currency: 'USD', to_currency: 'EUR', amount: 12, beneficiary_name: 'Other Ltd' };
  const payment = await send(`${baseUrl}/payments`, order, String(other['testKey']));
  const { id = '' } = (payment['data'] ?? {}) as { id?: string };
  return {
    target: { baseUrl, apiKey: testKey, webhookSecret, foreignPayment: id },
    [Symbol.asyncDispose]: stop,
  };
}

export interface ProbeOptions {
  readonly target: Target;
  readonly profile: string;
  readonly args: readonly string[];
}

/**
 * Probes a service with the command line and saves its profile. Returns the output.
 *
 * @throws {Error} when the command fails
 */
export async function probeService({ target, profile, args }: ProbeOptions): Promise<string> {
  const child = spawn(process.execPath, [...cli, 'probe', ...args, '--save', profile], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      SERVICE_API_KEY: target.apiKey,
      SERVICE_BASE_URL: target.baseUrl,
      SERVICE_WEBHOOK_SECRET: target.webhookSecret,
    },
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (code !== 0) throw new Error(`probe ended with ${code}\n${stdout}${stderr}`);
  return stdout;
}
