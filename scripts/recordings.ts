// Records the real commands in a pseudo-terminal as pictures of the documentation: npm run recordings (Linux).
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { drawRecording, type Take } from './recordings/svg.ts';
import { runInTerminal } from './recordings/terminal.ts';

/** A command of a recording. */
interface Step {
  /** The command line, or a function of the text of the previous output. */
  readonly command: string | ((before: string) => string);
  /** Kills the program when its output matches, to show an interrupted run. */
  readonly killAt?: RegExp;
  /** The variables of the environment, besides those of the mock. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A recording of commands with a mock. */
interface Scene {
  /** The name of the picture. */
  readonly name: string;
  /** The text for readers who cannot see the picture. */
  readonly title: string;
  readonly rows: number;
  readonly steps: readonly Step[];
  /** The files of the working directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Prepares the mock. */
  readonly setUp?: (mock: Mock) => void;
}

const COLUMNS = 98;
const root = join(import.meta.dirname, '..');
const images = join(root, 'packages/cli/docs/images');

/** The mock repeats the response of a key, and one payment at a time makes the pictures equal. */
const replayed = '--service-idempotency replayed --key-retention 24h --concurrency 1 --timeout 2s';

const scenes: readonly Scene[] = [
  {
    name: 'lost-response',
    title:
      'service-cli pays, loses the response to a second payment, and finds that payment in place of paying twice',
    rows: 26,
    steps: [
      { command: "service-cli pay USD EUR 1000.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait" },
      { command: 'service-cli sandbox faults inject reset_after_commit --operation createPayment' },
      { command: "service-cli pay USD EUR 250.00 --name 'Hanse Logistik GmbH' --purpose INV-43" },
      {
        command: (before) =>
          `${findCommand(before, 'service-cli payment reconcile')} --name 'Hanse Logistik GmbH'`,
      },
    ],
  },
  {
    name: 'killed-run',
    title:
      'service-cli pays a file of six suppliers, is killed in the middle, and pays the others with the same command',
    rows: 30,
    files: {
      'payments.csv': `reference,from,to,amount,name,account,purpose
INV-42,USD,EUR,1000.00,Acme Supplies Ltd,DE89370400440532013000,Invoice 42
INV-43,USD,EUR,250.00,Hanse Logistik GmbH,DE02120300000000202051,Invoice 43
INV-44,USD,GBP,80.50,Thames Paper Ltd,GB29NWBK60161331926819,Invoice 44
INV-45,USD,EUR,1200.00,Rhone Textiles SA,FR1420041010050500013M02606,Invoice 45
INV-46,USD,EUR,75.25,Delta Foods BV,NL91ABNA0417164300,Invoice 46
INV-47,USD,GBP,640.00,Clyde Tools Ltd,GB82WEST12345698765432,Invoice 47
`,
    },
    setUp: ({ sandbox }) => {
      sandbox.faults.inject({ kind: 'latency', ms: 400, operation: 'createPayment', times: 'unlimited' });
    },
    steps: [
      { command: `service-cli pay --file payments.csv --yes ${replayed}`, killAt: /3 created/ },
      { command: `service-cli pay --file payments.csv --yes ${replayed}` },
      { command: 'service-cli sandbox payment list' },
    ],
  },
];

/** Returns the command that an output tells the reader to run. */
function findCommand(output: string, start: string): string {
  const line = output.split('\n').find((text) => text.trim().startsWith(start));
  if (line === undefined) throw new Error(`The output has no command ${start}.`);
  return line.trim();
}

/** Replaces the values that differ between two runs: times, durations and the port. */
function normalize(output: string, port: string): string {
  return output
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[.Z+])/g, '2026-01-31T12:00:00')
    .replaceAll(/\.\d{3}Z/g, '.000Z')
    .replaceAll(/\((?:\d+s ago|now|in \d+s)\)/g, '(now)')
    .replaceAll(new RegExp(`:${port}\\b`, 'g'), ':4010');
}

async function record({ name, title, rows, steps, files = {}, setUp }: Scene): Promise<void> {
  await using mock = createMock({ clock: { speed: 2 }, seed: name });
  setUp?.(mock);
  await using server = await listen(mock, { port: 0 });
  const cwd = await mkdtemp(join(tmpdir(), 'recording-'));
  const pidFile = join(cwd, 'pid');
  await writeProgram(cwd, pidFile);
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text);
  const { port } = new URL(server.url);
  const takes: Take[] = [];
  let before = '';
  for (const { command: given, killAt, env = {} } of steps) {
    const command = typeof given === 'string' ? given : given(before);
    const variables = {
      PATH: `${cwd}/bin:${process.env.PATH}`,
      SERVICE_BASE_URL: server.baseUrl,
      SERVICE_API_KEY: mock.account.testKey,
      ...env,
    };
    await waitForPayments(mock);
    before = await runInTerminal({
      command: `cd ${cwd}; ${command}`,
      columns: COLUMNS,
      env: variables,
      pidFile,
      killAt,
    });
    takes.push({ command: normalize(command, port), output: normalize(before, port) });
  }
  await rm(cwd, { recursive: true });
  const svg = await drawRecording(takes, { title, columns: COLUMNS, rows });
  if (svg.includes(mock.account.testKey)) throw new Error(`${name} shows an API key.`);
  await writeFile(join(images, `${name}.svg`), svg);
}

/** Waits until all payments have a final status, so that the next command shows the same one each time. */
async function waitForPayments({ sandbox }: Mock): Promise<void> {
  const isOpen = (): boolean => {
    const { payments } = sandbox.snapshot().state.accounts[0]?.modes.test ?? {};
    return payments?.some(({ status }) => status === 'pending' || status === 'processing') === true;
  };
  while (isOpen()) await setTimeout(100);
}

/** Writes the program `service-cli`, which runs the source of the command line. */
async function writeProgram(folder: string, pidFile: string): Promise<void> {
  const program = join(folder, 'bin/service-cli');
  const source = join(root, 'packages/cli/src/main.ts');
  await mkdir(join(folder, 'bin'));
  await writeFile(
    program,
    `#!/bin/sh\necho $$ > ${pidFile}\nexec ${process.execPath} --disable-warning=ExperimentalWarning --conditions=@service/source ${source} "$@"\n`,
  );
  await chmod(program, 0o755);
}

await mkdir(images, { recursive: true });
for (const scene of scenes) await record(scene);
