import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vitepress';
import project from '../project.json' with { type: 'json' };
import { accessibility } from './accessibility.ts';
import { writeTexts } from './llms.ts';
import { convertLinks, keepBraces, labelCells } from './markdown.ts';
import { navigation, sidebar } from './navigation.ts';
import { findAddress, root, toAnchor } from './pages.ts';
import { search } from './search.ts';

/** Resolves Vue for pages outside this folder, because only this folder installs it. */
const resolveVue: Plugin = {
  name: 'resolve-vue',
  enforce: 'pre',
  resolveId(source, importer, { ssr }) {
    if (importer === undefined || !/^vue($|\/)/.test(source)) return undefined;
    if (ssr) return { id: source, external: true };
    return /\.md($|\?)/.test(importer)
      ? this.resolve(source, join(import.meta.dirname, 'config.ts'))
      : undefined;
  },
};

export default defineConfig({
  title: 'Payments developer kit',
  description: 'Typed client, webhook receiver, sandbox and command line of a payments API.',
  lang: 'en-US',
  base: `${new URL(project.docsUrl).pathname}/`,
  srcDir: root,
  outDir: './dist',
  cacheDir: './.vitepress/cache',
  srcExclude: [
    // Read in the repository: what contributors need, and the records of releases and measurements.
    '*.md',
    'docs/{contract.md,decisions/**}',
    'packages/*/{CHANGELOG.md,api/**}',
    'benchmarks/**',
    'examples/*/**',
    '.*/**',
    'test/**',
    'packages/*/test/**',
    '{scripts,skills}/**',
  ],
  rewrites: (file) => `${findAddress(file) ?? file.slice(0, -3)}.md`,
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    // Links work in the repository too.
    anchor: { slugify: toAnchor },
    toc: { slugify: toAnchor },
    config(markdown) {
      convertLinks(markdown);
      keepBraces(markdown);
      labelCells(markdown);
    },
    languageAlias: { conf: 'ini' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  buildEnd: writeTexts,
  transformPageData({ filePath, frontmatter }) {
    // The source of a generated page is not a file to edit.
    if (filePath.startsWith('docs/reference/')) frontmatter.editLink = false;
  },
  vite: { plugins: [resolveVue, accessibility] },
  themeConfig: {
    nav: navigation,
    sidebar,
    outline: { level: [2, 3] },
    search,
    editLink: { pattern: `${project.repositoryUrl}/edit/main/:path`, text: 'Edit this page' },
    socialLinks: [],
    notFound: {
      title: 'Page not found',
      quote: 'The search and the menu list all pages.',
      linkLabel: 'Go to the home page',
      linkText: 'Go to the home page',
    },
  },
});
