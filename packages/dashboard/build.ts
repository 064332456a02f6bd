// Bundles the pages into one module, which the HTTP mock loads when a browser asks for them.
import { createHash } from 'node:crypto';
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

/** Lists the settings that matter most, which the first table of the page has, with their first list of values. */
function listSettings(page: string): object[] {
  const important = Array.from(page.matchAll(/^\| `(\w+)` *\| [^|]* *\|$/gm), ([, name = '']) => name);
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

/** The page of a report: everything is inline, and the policy allows only this style and this script. */
const script = await bundleEntry('report.tsx', [facts, reportData]);
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
}, page);
const parts = report.split('\0');
if (parts.length !== 3 || /<\/script|<!--/i.test(script)) throw new Error('the script ends its own element');
await writeFile(join(folder, 'dist/report.js'), `export const parts = ${JSON.stringify(parts)};\n`);
