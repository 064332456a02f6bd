// Compares the public names and types of each entry of the packages with the reports in their folders `api`, so that a change of them
// is in the diff, and checks that entries export each type that they use: npm run api. With --update, writes the reports.
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { listEntries, root } from './packed.ts';

const isUpdate = process.argv.includes('--update');

/** The packages with an API for code. */
const packages = ['sdk', 'webhooks', 'mock', 'probe'];

/** Returns the configuration of each entry of a package. */
function configureEntries(name: string): ExtractorConfig[] {
  const folder = join(root, 'packages', name);
  // The declarations of other packages, in place of their source.
  const compilerOptions = { customConditions: [] };
  const overrideTsconfig = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions,
    include: ['dist/*.d.ts'],
  };
  return Object.keys(listEntries(name)).map((entry) =>
    ExtractorConfig.prepare({
      configObject: {
        projectFolder: folder,
        mainEntryPointFilePath: join(folder, `dist/${entry}.d.ts`),
        apiReport: {
          enabled: true,
          reportFolder: join(folder, 'api'),
          reportTempFolder: join(root, '.tsc/api'),
          reportFileName: entry.replaceAll('/', '-'),
        },
        compiler: { overrideTsconfig },
      },
      configObjectFullPath: undefined,
      packageJsonFullPath: join(folder, 'package.json'),
    }),
  );
}

const problems: string[] = [];
for (const name of packages) {
  const reports = join(root, 'packages', name, 'api');
  if (isUpdate) rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const configs = configureEntries(name);
  const additionalEntryPoints = configs.map((config) => config.mainEntryPointFilePath);
  const compilerState = CompilerState.create(configs[0] as ExtractorConfig, { additionalEntryPoints });
  const used = new Set<string>();
  for (const config of configs) {
    const { apiReportChanged } = Extractor.invoke(config, {
      compilerState,
      localBuild: isUpdate,
      messageCallback(message) {
        const [, symbol] = /^The symbol "(.+?)"/.exec(message.text) ?? [];
        if (message.messageId === 'ae-forgotten-export' && symbol !== undefined) used.add(symbol);
        message.logLevel = ExtractorLogLevel.None;
      },
    });
    if (apiReportChanged && !isUpdate) problems.push(`${relative(root, config.reportFilePath)} is stale.`);
  }
  const files = globSync('*.api.md', { cwd: reports });
  if (files.length !== configs.length)
    problems.push(`${relative(root, reports)} has reports of other entries.`);
  const text = files.map((file) => readFileSync(join(reports, file), 'utf8')).join('');
  const exported = new Set(
    Array.from(text.matchAll(/^export (?:abstract )?\w+ (\w+)/gm), ([, each]) => each),
  );
  const forgotten = [...used].filter((each) => !exported.has(each)).toSorted();
  if (/[:<(|&,] any\b|\bany\[\]|<any\b/.test(text)) problems.push(`Entries of ${name} have the type any.`);
  if (forgotten.length > 0)
    problems.push(`Entries of ${name} use types that none exports: ${forgotten.join(', ')}.`);
}
if (problems.length > 0) {
  const hint = 'After an intended change run `npm run api -- --update`, and review the difference.';
  console.error([...problems, hint].join('\n'));
  process.exitCode = 1;
}
