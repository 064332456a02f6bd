// Compiles example consumers and the declarations of the packages with every supported version of TypeScript.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, runEach } from './run.ts';

const versions: Readonly<Record<string, string>> = {
  '5.4': '5.4.5',
  '5.6': '5.6.3',
  '5.9': '5.9.3',
  '6.0': '6.0.3',
  '7.0': '7.0.2',
};

/** The npm packages of the compilers, under different names, and the types of Node. */
export const compilers: readonly string[] = [
  '@types/node@20.19.43',
  ...Object.entries(versions).map(([name, version]) => `typescript-${name}@npm:typescript@${version}`),
];

const node = { types: ['node'], lib: ['es2023'] };
const page = { types: [], lib: ['es2023', 'dom', 'dom.iterable'] };
const bundler = { module: 'esnext', moduleResolution: 'bundler', ...page };

interface Resolution {
  readonly options: object;
  readonly include: readonly string[];
  /** The versions of TypeScript that compile the dependencies. */
  readonly only?: readonly string[];
}

/** The module resolutions, with the types of Node and without those of a page, or the other way around. */
const resolutions: Readonly<Record<string, Resolution>> = {
  nodenext: { options: { module: 'nodenext', ...node }, include: ['esm/*', 'cjs/*.ts'] },
  node16: { options: { module: 'node16', ...page }, include: ['esm/*', 'cjs/*.ts'] },
  bundler: { options: bundler, include: ['esm/*'] },
  'bundler and MSW': { options: bundler, include: ['esm/msw/*'], only: ['6.0', '7.0'] },
};

/** Compiles the consumers and all entries in a project with packages and compilers. Returns false if any compilation fails. */
export async function compileConsumers(
  project: string,
  entries: readonly { readonly specifier: string }[],
): Promise<boolean> {
  for (const [folder, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
    mkdirSync(join(project, folder));
    writeFileSync(join(project, folder, 'package.json'), JSON.stringify({ type }));
    cpSync(join(import.meta.dirname, 'consumers'), join(project, folder), { recursive: true });
  }
  const lines = entries
    .filter(({ specifier }) => specifier !== '@service/mock/msw')
    .map(({ specifier }, index) => `export type * as entry${index} from '${specifier}';`);
  writeFileSync(join(project, 'esm/entries.mts'), lines.join('\n'));
  const compilations = Object.entries(resolutions).flatMap(([resolution, { options, include, only }]) =>
    [true, false].flatMap((exactOptionalPropertyTypes) => {
      const name = `${resolution}${exactOptionalPropertyTypes ? ' and exactOptionalPropertyTypes' : ''}`;
      const config = `tsconfig.${name.replaceAll(' ', '-')}.json`;
      const strictness = { strict: true, exactOptionalPropertyTypes, noEmit: true, target: 'es2022' };
      writeFileSync(
        join(project, config),
        JSON.stringify({ compilerOptions: { ...strictness, ...options }, include }),
      );
      // The versions between the oldest and the newest differ only in what `nodenext` resolves.
      const ends =
        exactOptionalPropertyTypes || resolution !== 'nodenext' ? ['5.4', '7.0'] : Object.keys(versions);
      return (only ?? ends).map((version) => ({ version, project, name, config }));
    }),
  );
  return runEach(compilations, compile);
}

interface Compilation {
  readonly version: string;
  readonly name: string;
  readonly config: string;
  readonly project: string;
}

/** Compiles the consumers with one version, and prints its errors. */
async function compile({ version, name, config, project }: Compilation): Promise<boolean> {
  const program = join('node_modules', `typescript-${version}`, 'bin', 'tsc');
  const problems = await execute([process.execPath, program, '-p', config], { cwd: project }).then(
    () => '',
    ({ message }: Error) => ` FAILED\n${message}`,
  );
  console.log(`  TypeScript ${version} with ${name}${problems}`);
  return problems === '';
}
