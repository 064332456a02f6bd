// Bundles the pages into one module, which the HTTP mock loads when a browser asks for them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const folder = import.meta.dirname;
const profilePage = join(folder, '../mock/docs/profiles.md');

/** Provides the explanations of the profile settings from their documentation. */
const profileSettings: Plugin = {
  name: 'profile-settings',
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:profile-settings$/ }, ({ path }) => ({
      path,
      namespace: 'virtual',
    }));
    bundle.onLoad({ filter: /.*/, namespace: 'virtual' }, async () => ({
      contents: JSON.stringify(readSettings(await readFile(profilePage, 'utf8'))),
      loader: 'json',
    }));
  },
};

/** Reads the tables of settings: heading, name, values and meaning. */
function readSettings(page: string): { group: string; name: string; values: string[]; meaning: string }[] {
  return page.split(/^## /m).flatMap((section) => {
    const [group = ''] = section.split('\n', 1);
    const rows = section.matchAll(/^\| `(\w+)` *\| (.*?) *\| (.*?) *\|$/gm);
    return Array.from(rows, ([, name = '', values = '', meaning = '']) => ({
      group,
      name,
      values: Array.from(values.matchAll(/`([\w]+)`/g), ([, value = '']) => value),
      meaning: meaning.replaceAll('`', ''),
    }));
  });
}

const result = await build({
  entryPoints: { app: join(folder, 'src/main.tsx'), style: join(folder, 'src/style.css') },
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
  plugins: [profileSettings],
  write: false,
});

const findOutput = (extension: string): string =>
  result.outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
const files = {
  'index.html': {
    type: 'text/html; charset=utf-8',
    body: await readFile(join(folder, 'src/index.html'), 'utf8'),
  },
  'app.js': { type: 'text/javascript; charset=utf-8', body: findOutput('.js') },
  'style.css': { type: 'text/css; charset=utf-8', body: findOutput('.css') },
};
await mkdir(join(folder, 'dist'), { recursive: true });
await writeFile(join(folder, 'dist/assets.js'), `export const files = ${JSON.stringify(files, null, 1)};\n`);
