// Records the real commands in a pseudo-terminal as pictures of the documentation: npm run recordings (Linux).
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { type Scene, scenes } from './recordings/scenes.ts';
import { drawRecording, type Take } from './recordings/svg.ts';
import { runInTerminal } from './recordings/terminal.ts';

const COLUMNS = 98;
const root = join(import.meta.dirname, '..');

/** Replaces the values that differ between two runs: times, durations and the port. */
function normalize(output: string, port: string): string {
  return output
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[.Z+])/g, '2026-01-31T12:00:00')
    .replaceAll(/\.\d{3}Z/g, '.000Z')
    .replaceAll(/\((?:\d+s ago|now|in \d+s)\)/g, '(now)')
    .replaceAll(new RegExp(`:${port}\\b`, 'g'), ':4010');
}

async function record({ package: owner, name, title, rows, steps, files = {}, setUp }: Scene): Promise<void> {
  await using mock = createMock({ clock: { speed: 2 }, seed: name });
  setUp?.(mock);
  await using server = await listen(mock, { port: 0 });
  const cwd = await mkdtemp(join(tmpdir(), 'recording-'));
  const pidFile = join(cwd, 'pid');
  await writePrograms(cwd, pidFile);
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
  const images = join(root, 'packages', owner, 'docs/images');
  await mkdir(images, { recursive: true });
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

/** Writes the programs `service-cli` and `node`, which run the source of the packages. */
async function writePrograms(folder: string, pidFile: string): Promise<void> {
  const node = `${process.execPath} --disable-warning=ExperimentalWarning --conditions=@service/source`;
  const programs = { 'service-cli': `${node} ${join(root, 'packages/cli/src/main.ts')}`, node };
  await mkdir(join(folder, 'bin'));
  for (const [name, command] of Object.entries(programs)) {
    const program = join(folder, 'bin', name);
    await writeFile(program, `#!/bin/sh\necho $$ > ${pidFile}\nexec ${command} "$@"\n`);
    await chmod(program, 0o755);
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}

const names = process.argv.slice(2);
for (const scene of scenes.filter(({ name }) => names.length === 0 || names.includes(name)))
  await record(scene);
