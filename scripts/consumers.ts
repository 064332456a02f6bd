// Compiles example consumers and the declarations of the packages with every supported version of TypeScript.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** Compiler options of a server with `import` and `require` and without DOM types, and of a bundled page. */
const resolutions: Readonly<
  Record<string, { readonly options: object; readonly folders: readonly string[] }>
> = {
  nodenext: { options: { module: 'nodenext', lib: ['es2022'], types: ['node'] }, folders: ['esm', 'cjs'] },
  bundler: {
    options: {
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    },
    folders: ['esm'],
  },
};

/** Compiles the consumers in a project with installed packages and compilers. Returns false if any compilation fails. */
export async function compileConsumers(project: string): Promise<boolean> {
  for (const [folder, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
    mkdirSync(join(project, folder));
    writeFileSync(join(project, folder, 'package.json'), JSON.stringify({ type }));
    cpSync(join(import.meta.dirname, 'consumers'), join(project, folder), { recursive: true });
  }
  for (const [resolution, { options, folders }] of Object.entries(resolutions)) {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2022',
      ...options,
    };
    const include = folders.map((folder) => `${folder}/*.ts`);
    writeFileSync(join(project, `tsconfig.${resolution}.json`), JSON.stringify({ compilerOptions, include }));
  }
  const compilations = Object.keys(versions).flatMap((version) =>
    Object.keys(resolutions).map((resolution) => ({ version, resolution, project })),
  );
  return inPairs(compilations, compile);
}

interface Compilation {
  readonly version: string;
  readonly resolution: string;
  readonly project: string;
}

/** Compiles the consumers with one version, and prints its errors. */
async function compile({ version, resolution, project }: Compilation): Promise<boolean> {
  const program = join('node_modules', `typescript-${version}`, 'bin', 'tsc');
  const child = spawn(process.execPath, [program, '-p', `tsconfig.${resolution}.json`], { cwd: project });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const isSuccess = code === 0;
  console.log(`  TypeScript ${version} with ${resolution}${isSuccess ? '' : ` FAILED\n${output}`}`);
  return isSuccess;
}

/** Runs two steps at a time, and continues after a failure. */
async function inPairs<T>(items: readonly T[], step: (item: T) => Promise<boolean>): Promise<boolean> {
  const queue = items.values();
  let isSuccess = true;
  const runSteps = async (): Promise<void> => {
    for (const item of queue) isSuccess = (await step(item)) && isSuccess;
  };
  await Promise.all([runSteps(), runSteps()]);
  return isSuccess;
}
