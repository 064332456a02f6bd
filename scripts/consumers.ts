// Compiles what consumers write under every TypeScript that the packages promise to work under, their declarations included.
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

/** Lists the compilers as npm installs them side by side, and the types of Node, for the project of the consumer. */
export const compilers: readonly string[] = [
  '@types/node@20.19.43',
  ...Object.entries(versions).map(([name, version]) => `typescript-${name}@npm:typescript@${version}`),
];

/** A server, whose packages are taken by `import` and by `require` and which has no DOM; and a page that is bundled. */
const ways: Readonly<Record<string, { readonly options: object; readonly folders: readonly string[] }>> = {
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

/** Compiles the consumers in a project where packages and compilers are installed; returns whether all were without error. */
export async function compileConsumers(project: string): Promise<boolean> {
  for (const [folder, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
    mkdirSync(join(project, folder));
    writeFileSync(join(project, folder, 'package.json'), JSON.stringify({ type }));
    cpSync(join(import.meta.dirname, 'consumers'), join(project, folder), { recursive: true });
  }
  for (const [way, { options, folders }] of Object.entries(ways)) {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2022',
      ...options,
    };
    const include = folders.map((folder) => `${folder}/*.ts`);
    writeFileSync(join(project, `tsconfig.${way}.json`), JSON.stringify({ compilerOptions, include }));
  }
  const compiles = Object.keys(versions).flatMap((version) =>
    Object.keys(ways).map((way) => ({ version, way, project })),
  );
  return inPairs(compiles, compile);
}

type Compile = { readonly version: string; readonly way: string; readonly project: string };

/** Prints what a compiler says when it has something to say. */
async function compile({ version, way, project }: Compile): Promise<boolean> {
  const program = join('node_modules', `typescript-${version}`, 'bin', 'tsc');
  const child = spawn(process.execPath, [program, '-p', `tsconfig.${way}.json`], { cwd: project });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const isFine = code === 0;
  console.log(`  TypeScript ${version} under ${way}${isFine ? '' : ` FAILED\n${said}`}`);
  return isFine;
}

/** Takes two at a time, to the end even when one fails. */
async function inPairs<T>(items: readonly T[], step: (item: T) => Promise<boolean>): Promise<boolean> {
  const waiting = items.values();
  let isFine = true;
  const work = async (): Promise<void> => {
    for (const item of waiting) isFine = (await step(item)) && isFine;
  };
  await Promise.all([work(), work()]);
  return isFine;
}
