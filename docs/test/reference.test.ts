// The generated pages of the reference: each has all operations, exports, commands, variables, settings and versions.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { magicValues } from '@service/mock';
import { defaultProfile } from '../../packages/mock/src/domain/profile.ts';
import { deliveryFaultKinds, faultKinds } from '../../packages/mock/src/domain/fault.ts';
import { exitCodes } from '../../packages/cli/src/session.ts';
import { root } from '../.vitepress/pages.ts';
import { listLeaves, loadProgram, nameCommand, readNotes } from '../generate/commands.ts';
import { listLibraries, listNodeVersions, listPackages, listRuntimes } from '../generate/compatibility.ts';
import { findVariables, readVariables, variables } from '../generate/environment.ts';
import { readControlDocument, readServiceDocument } from '../generate/http-api.ts';
import { listRoutes, type OpenApi, reachSettings } from '../generate/openapi.ts';
import { listEntryPoints, toPagePath } from '../generate/packages.ts';
import { listOperations, listOtherValues, type Observed } from '../generate/profile.ts';
import { readExports } from './exports.ts';
import { dist, readHtml } from './site.ts';

/** Returns the text of a page as the site serves it to agents. */
const readPage = (address: string): string => readFileSync(join(dist, 'reference', `${address}.md`), 'utf8');

/** Returns the section below a heading. */
function readSection(page: string, heading: string): string {
  const [, section = ''] = `\n${page}`.split(`\n${heading}\n`);
  return section.split(/^#{1,3} /m, 1)[0] ?? '';
}

const columnsOf = (page: string, column: number): string[] =>
  Array.from(page.matchAll(/^\| (.*) \|$/gm), ([, row = '']) => row.split(' | ')[column] ?? '');

describe('the reference of the HTTP API', () => {
  const document = readServiceDocument();
  const page = readPage('http-api');

  it.each(listRoutes(document))('has $operation.operationId', ({ method, path, operation }) => {
    const section = readSection(page, `### ${operation.summary}`);
    expect(section).toContain(`\`${operation.operationId}\``);
    expect(section).toContain(path === undefined ? `\`${method}\`` : `\`${method} ${path}\``);
    for (const status of Object.keys(operation.responses).filter((each) => each !== 'default'))
      expect(columnsOf(section, 0)).toContain(status);
  });

  it.each(Object.entries(document.components.schemas))(
    'has each field of %s',
    (name, { properties = {} }) => {
      const section = readSection(page, `### ${name}`);
      expect(section).not.toBe('');
      const fields = columnsOf(section, 0).join('\n');
      for (const field of Object.keys(properties)) expect(fields).toContain(`\`${field}\``);
    },
  );
});

describe('the reference of the control API', () => {
  const document: OpenApi = readControlDocument();
  const pages = document.tags.map(({ name }) =>
    readPage(`control-api/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`),
  );

  it.each(listRoutes(document))('has $operation.operationId', ({ method, path, operation }) => {
    const sections = pages.map((page) => readSection(page, `### ${operation.summary}`));
    const section = sections.find((each) => each.includes(`\`${method} ${path}\``)) ?? '';
    const fields = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
      Object.keys(schema?.properties ?? {}),
    );
    for (const field of fields) expect(section).toContain(`\`${field}\``);
    expect(section).toContain(`\`${operation.operationId}\``);
  });
});

describe('the reference of the packages', () => {
  it.each([...readExports(listEntryPoints())])('has each export of @service/%s', (entry, exported) => {
    const page = readPage(toPagePath(entry));
    expect(page).toMatch(new RegExp(`^# @service/${entry}$`, 'm'));
    expect(exported.length).toBeGreaterThan(0);
    const headings = Array.from(page.matchAll(/^### (.*?)(?:\(\))?$/gm), ([, name = '']) => name);
    const named = new Set(headings.map((heading) => heading.replaceAll('\\', '')));
    expect(exported.filter((name) => !named.has(name))).toEqual([]);
  });
});

describe('the reference of the command line', async () => {
  const program = await loadProgram();
  const pages = readPage('cli/commands') + readPage('cli/sandbox');

  it.each(listLeaves(program).map((command) => [nameCommand(command), command] as const))(
    'has the arguments and options of %s',
    (name, command) => {
      const [, section = ''] =
        new RegExp(`^#{2,4} ${name}\n(.*?)(?=^#{2,4} |$(?![^]))`, 'ms').exec(pages) ?? [];
      expect(section).toContain(`service-cli ${name}`);
      const help = command.createHelp();
      for (const { flags } of help.visibleOptions(command).filter(({ long }) => long !== '--help'))
        expect(columnsOf(section, 0)).toContain(`\`${flags}\``);
      for (const argument of command.registeredArguments)
        expect(columnsOf(section, 0).join('\n')).toContain(`\`${argument.name()}\``);
    },
  );

  it('has the options of every command in the table of the configuration', () => {
    const page = readFileSync(join(root, 'packages/cli/docs/configuration.md'), 'utf8');
    const section = readSection(page, '## Options of every command');
    const documented = columnsOf(section, 0).flatMap((cell) => /^`(--[\w-]+)/.exec(cell)?.slice(1) ?? []);
    const options = program.options.map(({ long }) => String(long)).filter((long) => long !== '--version');
    expect(documented.toSorted()).toEqual(options.toSorted());
  });

  it('has each exit code in its table and in the help', () => {
    const page = readFileSync(join(root, 'packages/cli/docs/exit-codes.md'), 'utf8');
    const rows = Array.from(page.matchAll(/^\| (\d+) +\| (.*?) +\|/gm), ([, code = '', name = '']) => ({
      code: Number(code),
      name,
    }));
    expect(rows.map(({ code }) => code)).toEqual(Object.values(exitCodes));
    const help = readNotes(program);
    for (const { code, name } of rows) expect(help).toContain(`${code} ${name}`);
  });

  it('names existing commands in the table of exit codes by command', () => {
    const page = readFileSync(join(root, 'packages/cli/docs/exit-codes.md'), 'utf8');
    const cells = columnsOf(readSection(page, '## By command'), 0).slice(2);
    const names = cells.map((cell) => cell.replaceAll('`', '').replace(/ --.*/, '').trim());
    const all = new Set([...listLeaves(program).map(nameCommand), 'sandbox']);
    expect(names.filter((name) => !all.has(name))).toEqual([]);
  });
});

describe('the reference of the sandbox', () => {
  const file = join(root, 'docs/reference/observed.json');
  const observed: Observed = new Map(JSON.parse(readFileSync(file, 'utf8')));
  const document = readServiceDocument();
  const settings = [...observed.keys()];

  it('has each setting', () => {
    expect(settings.toSorted()).toEqual(Object.keys(defaultProfile).toSorted());
  });

  it.each(settings)('shows an effect of each value of %s', (name) => {
    expect(readSection(readPage('profile'), `### ${name}`)).toContain('→');
    const values = observed.get(name) ?? [];
    expect(values.map(({ value }) => value)).toEqual(listOtherValues(name));
    expect(values.filter(({ differences }) => differences.length === 0)).toEqual([]);
  });

  /** Settings in a schema of an operation that have no effect on its own response. */
  const elsewhere: Readonly<Record<string, readonly string[]>> = {
    currencies: ['webhook'],
    currencyCase: ['getPayment', 'getBalance', 'listTransactions', 'webhook'], // a rule for requests
    debitAt: ['createPayment'],
    transitions: ['createPayment'],
    unknownStatus: ['createPayment'],
  };

  it.each(listRoutes(document))(
    'observes the settings that the document names at $operation.operationId',
    ({ path, operation }) => {
      const id = path === undefined ? 'webhook' : operation.operationId;
      const named = [...reachSettings(document, operation)];
      const effective = settings.filter((name) => listOperations(observed.get(name) ?? []).includes(id));
      const missing = named.filter((name) => !effective.some((each) => each === name));
      expect(missing.toSorted()).toEqual(
        Object.keys(elsewhere)
          .filter((name) => elsewhere[name]?.includes(id))
          .toSorted(),
      );
    },
  );

  it('has each fault and magic value', () => {
    const page = readPage('sandbox');
    const names = columnsOf(page, 0);
    for (const name of [...faultKinds, ...deliveryFaultKinds, ...magicValues])
      expect(names).toContain(`\`${name}\``);
  });

  it('has the effects that the guides promise', () => {
    const page = readPage('sandbox');
    expect(page).toMatch(/^\| `reset_after_commit` \| .*connection reset; the payment exists/m);
    expect(page).toMatch(/^\| `reset_before_commit` \| .*connection reset; no payment/m);
    expect(page).toMatch(/^\| `SIM-DROP` \| connection reset \| .*completed at 4 s/m);
    expect(page).toMatch(/^\| `SIM-HOOK-FIRST` \| 201, after the first event \|/m);
    expect(page).toMatch(/^\| `tamper` \| .*processing at 1 s \(wrong signature\)/m);
  });
});

describe('the reference of environment variables', () => {
  const known = Object.values(variables).flatMap((group) => Object.keys(group));

  it('has each variable that the source reads, and no other one', () => {
    expect(known.toSorted()).toEqual([...readVariables().keys()].toSorted());
    for (const name of known) expect(columnsOf(readPage('environment'), 0)).toContain(`\`${name}\``);
  });

  it.each([
    ['a.ts', 'process.env.NEW_ONE', ['NEW_ONE']],
    ['a.ts', "process.env['NEW_ONE']", ['NEW_ONE']],
    ['a.ts', "const { NEW_ONE: a, OTHER = '' } = process.env;", ['NEW_ONE', 'OTHER']],
    ['a.ts', 'const { NEW_ONE } = environment.env;', ['NEW_ONE']],
    ['a.ts', "readVariable('SERVICE_NEW')", ['SERVICE_NEW']],
    ['a.py', "os.environ['NEW_ONE'] + os.environ.get('OTHER')", ['NEW_ONE', 'OTHER']],
    ['a.sh', '"${NEW_ONE:-4010}" $OWN', ['NEW_ONE']],
    ['a.ts', ' * @example process.env.NEW_ONE\nimport.meta.env.DEV', []],
  ])('would find the variables in %s: %s', (file, text, names) => {
    expect(findVariables(file, text)).toEqual(names);
  });
});

describe('the reference of compatible versions', () => {
  const page = readPage('compatibility');

  it('has the engines of each package, the versions of CI, runtimes and TypeScript', () => {
    for (const { name, engines } of listPackages())
      expect(page).toContain(`| \`${name}\` | \`${engines?.node}\` |`);
    expect([...listNodeVersions().keys()]).toHaveLength(3);
    expect(page).toContain('| Linux | 20, 22, 24, 26 |');
    expect(listRuntimes().map(([name]) => name)).toEqual(['deno', 'bun', 'workerd']);
    for (const [, version] of listRuntimes()) expect(page).toContain(` ${version} |`);
  });

  it('has each optional dependency of a package', () => {
    const peers = listPackages().flatMap(({ peerDependencies = {} }) => Object.keys(peerDependencies));
    expect(peers.filter((name) => !listLibraries().has(name))).toEqual([]);
  });
});

describe('a generated page', () => {
  it.each([
    'http-api#create-a-supplier-payment',
    'control-api/faults#inject-a-fault',
    'sdk/#createclient',
    'mock/#createmock',
    'cli/commands#payment-reconcile',
    'profile#idempotency',
    'environment#the-service',
  ])('is found by the search: %s', (section) => {
    const [file = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: dist });
    expect(readFileSync(join(dist, file), 'utf8')).toContain(`/reference/${section}`);
  });

  it('has no link to edit it', () => {
    expect(readHtml('reference/http-api.html')).not.toMatch(/href="[^"]*\/edit\/main\//);
    expect(readHtml('sdk/errors.html')).toMatch(/href="[^"]*\/edit\/main\/packages\/sdk\/docs\/errors\.md"/);
  });
});
