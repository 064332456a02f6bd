// Bundles the pages into one module, which the HTTP mock loads when a browser asks for them.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { listChoices, settingDocs } from '../../scripts/profile-docs.ts';

const folder = import.meta.dirname;

/** Provides the explanations of the profile settings from their documentation. */
const profileSettings: Plugin = {
  name: 'profile-settings',
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:profile-settings$/ }, ({ path }) => ({
      path,
      namespace: 'virtual',
    }));
    bundle.onLoad({ filter: /.*/, namespace: 'virtual' }, () => ({
      contents: JSON.stringify(listSettings()),
      loader: 'json',
    }));
  },
};

/** Lists the settings, and the fields of settings, that have a list of values. */
function listSettings(): { name: string; field?: string; values: string[]; meaning: string }[] {
  return Object.entries(settingDocs).flatMap(([name, { description }]) =>
    listChoices(name)
      .filter(({ values }) => values.length > 1)
      .map(({ values, ...field }) => ({
        name,
        ...field,
        values: values.map(String),
        meaning: description.replaceAll('`', ''),
      })),
  );
}

/** Makes the components of a report read its data in place of the control API. */
const reportData: Plugin = {
  name: 'report-data',
  setup(bundle) {
    bundle.onResolve({ filter: /\/api\.ts$/ }, () => ({ path: join(folder, 'src/report-api.ts') }));
  },
};

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

async function bundleEntry(entry: string, plugins: Plugin[] = []): Promise<string> {
  const { outputFiles } = await build({ ...options, entryPoints: [join(folder, 'src', entry)], plugins });
  return outputFiles[0]?.text ?? '';
}

async function readPage(name: string): Promise<{ readonly type: string; readonly body: string }> {
  const body = await readFile(join(folder, 'src', name), 'utf8');
  return { type: 'text/html; charset=utf-8', body };
}

const page = await readPage('index.html');
const style = await bundleEntry('style.css');
const files = {
  'index.html': page,
  'app.js': {
    type: 'text/javascript; charset=utf-8',
    body: await bundleEntry('main.tsx', [profileSettings]),
  },
  'style.css': { type: 'text/css; charset=utf-8', body: style },
  'reference.js': { type: 'text/javascript; charset=utf-8', body: await bundleEntry('reference.ts') },
  'reference.html': await readPage('reference.html'),
  'reference-missing.html': await readPage('reference-missing.html'),
};
await mkdir(join(folder, 'dist'), { recursive: true });
await writeFile(join(folder, 'dist/assets.js'), `export const files = ${JSON.stringify(files, null, 1)};\n`);

/** The page of a report: everything is inline, and the policy allows only this style and this script. */
const script = await bundleEntry('report.tsx', [profileSettings, reportData]);
const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
const inline: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/<meta charset="utf-8" \/>/, `$&<meta http-equiv="Content-Security-Policy" content="${policy}" />`],
  [/<title>.*<\/title>/, '<title>\0</title>'],
  [/<link rel="stylesheet" .*>/, `<style>${style}</style>`],
  [/<script type="module" .*<\/script>/, ''],
  [/<noscript[^]*<\/noscript\s*>/, '<noscript>The report needs JavaScript.</noscript>'],
  [
    /<div id="app"><\/div>/,
    `$&<script type="application/json" id="report-data">\0</script><script type="module">${script}</script>`,
  ],
];
const report = inline.reduce((html, [pattern, text]) => {
  if (!pattern.test(html)) throw new Error(`index.html does not contain ${String(pattern)}`);
  // A function, so that a dollar sign in a script has no meaning.
  return html.replace(pattern, (found) => text.replace('$&', () => found));
}, page.body);
const parts = report.split('\0');
if (parts.length !== 3 || /<\/script|<!--/i.test(script)) throw new Error('the script ends its own element');
await writeFile(join(folder, 'dist/report.js'), `export const parts = ${JSON.stringify(parts)};\n`);
