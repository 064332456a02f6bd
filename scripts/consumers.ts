// Compiles programs that use the packages, and the declarations of each entry, with the supported versions of TypeScript.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const versions = ['5.4.5', '5.6.3', '5.9.3', '6.0.3', '7.0.2'];

/** The npm packages of the compilers, under different names, and the types of Node. */
export const compilers: readonly string[] = [
  '@types/node@20.19.43',
  ...versions.map((version) => `typescript-${version}@npm:typescript@${version}`),
];

const page = {
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
};

/** The folders of consumers with their compiler options: a server without DOM types, and a bundled page. */
const applications: readonly (readonly [folders: readonly string[], options: object])[] = [
  [['esm', 'cjs'], { module: 'nodenext', lib: ['es2022'], types: ['node'] }],
  [['esm'], { ...page, lib: ['es2022', 'dom', 'dom.iterable'] }],
];
/** All packages, of which only sdk and webhooks run in applications. */
const tools: typeof applications = [
  [['all'], { ...page, module: 'node16', moduleResolution: 'node16' }],
  [['all'], page],
];

/** Compiles the consumers in a project with installed packages and compilers. Returns whether all compile. */
export async function compileConsumers(project: string, entries: readonly string[]): Promise<boolean> {
  const consumers = join(import.meta.dirname, 'consumers');
  const own = entries.filter((entry) => /^@service\/(?:sdk|webhooks)\b/.test(entry));
  for (const [folder, type, list] of [
    ['esm', 'module', own],
    ['cjs', 'commonjs', own],
    ['all', 'module', entries],
  ] as const) {
    const lines = list.map((entry, index) => `export type * as entry${index} from '${entry}';\n`);
    mkdirSync(join(project, folder));
    writeFileSync(join(project, folder, 'package.json'), JSON.stringify({ type }));
    writeFileSync(join(project, folder, 'entries.ts'), lines.join(''));
    cpSync(join(consumers, folder === 'all' ? 'all' : 'applications'), join(project, folder), {
      recursive: true,
    });
  }
  const compilations = [
    ...versions.flatMap((version) => applications.map((each) => [version, ...each] as const)),
    ...tools.map((each) => [versions.at(-1) ?? '', ...each] as const),
  ].entries();
  let isSuccess = true;
  const work = async (): Promise<void> => {
    for (const [index, [version, include, options]] of compilations) {
      const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
      const config = { compilerOptions: { ...strict, target: 'es2022', ...options }, include };
      const file = `tsconfig.${index}.json`;
      writeFileSync(join(project, file), JSON.stringify(config));
      const program = join('node_modules', `typescript-${version}`, 'bin', 'tsc');
      const child = spawn(process.execPath, [program, '-p', file], { cwd: project });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text) => (output += String(text)));
      const code = await new Promise((resolve) => child.once('close', resolve));
      console.log(
        `  TypeScript ${version}, ${include.join(' and ')}${code === 0 ? '' : ` FAILED\n${output}`}`,
      );
      isSuccess = code === 0 && isSuccess;
    }
  };
  await Promise.all([work(), work()]);
  return isSuccess;
}
