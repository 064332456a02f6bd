// Bundles the pages into one module, which the HTTP mock loads when a browser asks for them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { createNotices } from '../../scripts/notices.ts';
import { listChoices, settingDocs } from '../../scripts/profile-docs.ts';

const folder = import.meta.dirname;
const profilePage = join(folder, '../mock/docs/profiles.md');

/** Provides the settings of profiles as a module. */
const facts: Plugin = {
  name: 'facts',
  setup(bundle) {
    const read: Readonly<Record<string, () => Promise<unknown>>> = {
      'virtual:profile-settings': async () => listSettings(await readFile(profilePage, 'utf8')),
    };
    bundle.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path, namespace: 'virtual' }));
    bundle.onLoad({ filter: /.*/, namespace: 'virtual' }, async ({ path }) => ({
      contents: JSON.stringify(await read[path]?.()),
      loader: 'json',
    }));
  },
};

/** Converts Markdown to plain text: of code and links. */
function toPlain(markdown: string): string {
  return markdown.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}

/** Lists the settings that matter most, which the first section of the page names, with their first list of values. */
function listSettings(page: string): object[] {
  const [, section = ''] = /^## Ten settings that matter$([^#]*)/m.exec(page) ?? [];
  const important = Array.from(section.matchAll(/`(\w+)`/g), ([, name = '']) => name);
  return important.map((name) => {
    const [choice] = listChoices(name);
    if (choice === undefined) throw new Error(`The setting ${name} of ${profilePage} has no list of values.`);
    return {
      name,
      ...choice,
      values: choice.values.map(String),
      meaning: toPlain(settingDocs[name]?.description ?? ''),
    };
  });
}

const options = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  conditions: ['@service/source'],
  legalComments: 'none',
  // The page explains signatures of a sandbox, which the webhooks package refuses in production.
  define: { 'process.env.NODE_ENV': '"development"' },
  outdir: join(folder, 'dist'),
  write: false,
} satisfies BuildOptions;

const notices = createNotices(join(folder, 'dist/NOTICES.md'));

async function bundleEntry(entry: string, plugins: Plugin[] = []): Promise<string> {
  const entryPoints = [join(folder, 'src', entry)];
  const { outputFiles } = await build({ ...options, entryPoints, plugins: [...plugins, notices] });
  return outputFiles[0]?.text ?? '';
}

const page = await readFile(join(folder, 'src/index.html'), 'utf8');
const style = await bundleEntry('style.css');
const files = {
  'index.html': { type: 'text/html; charset=utf-8', body: page },
  'app.js': {
    type: 'text/javascript; charset=utf-8',
    body: await bundleEntry('main.tsx', [facts]),
  },
  'style.css': { type: 'text/css; charset=utf-8', body: style },
};
await mkdir(join(folder, 'dist'), { recursive: true });
await writeFile(join(folder, 'dist/assets.js'), `export const files = ${JSON.stringify(files, null, 1)};\n`);
