// The reference of the packages, from the doc comments in their source.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  Application,
  type Comment,
  OptionDefaults,
  PageEvent,
  type ProjectReflection,
  ReflectionKind,
} from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { listEntries, root } from '../../scripts/packed.ts';

/** The name of each entry point of the packages with an API for code, such as `sdk/payer`, by the path of its source. */
const entryPoints = new Map(
  ['sdk', 'webhooks', 'mock', 'probe'].flatMap((name) =>
    Object.entries(listEntries(name)).map(([entry, source]) => [
      join(root, 'packages', name, source),
      `${name}/${entry}`,
    ]),
  ),
);

/** The list of modules that TypeDoc writes. The navigation of the site replaces it. */
const INDEX = 'modules.md';

const markdown: Partial<PluginOptions> = {
  outputFileStrategy: 'modules',
  entryFileName: INDEX,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hideGroupHeadings: false,
  useCodeBlocks: true,
  expandObjects: false,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  enumMembersFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  pageTitleTemplates: {
    index: 'Packages',
    module: ({ name }) => `@service/${name.replace(/\/index$/, '')}`,
    member: ({ name }) => name,
  },
  tableColumnSettings: { hideSources: true, hideInherited: true, hideOverrides: true, hideModifiers: true },
};

const settingTags: `@${string}`[] = ['@topic', '@sdk', '@values', '@constant'];

/**
 * Generates one page per main entry point.
 *
 * @throws {Error} when a link in a comment leads nowhere
 */
export async function generatePackages(folder: string): Promise<void> {
  const options = {
    ...markdown,
    entryPoints: [...entryPoints.keys()],
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: join(root, 'docs/generate/typedoc.tsconfig.json'),
    basePath: root,
    readme: 'none',
    disableSources: true,
    disableGit: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    logLevel: 'Warn',
    blockTags: [...OptionDefaults.blockTags, '@description', ...settingTags],
    // The reference of the profile settings has them.
    excludeTags: settingTags,
    validation: { notExported: false, notDocumented: false, invalidLink: true },
  };
  const app = await Application.bootstrapWithPlugins(
    options as Parameters<typeof Application.bootstrapWithPlugins>[0],
  );
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the packages.');
  nameModules(project);
  removeInherited(project);
  for (const { comment } of Object.values(project.reflections)) moveDescription(comment);
  app.validate(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('A doc comment is invalid: see the messages of TypeDoc above.');
  app.renderer.on(PageEvent.END, (page: PageEvent) => {
    page.contents = (page.contents ?? '').replaceAll(/<a id="[^"]*"><\/a> /g, '');
  });
  removeSmallModules(project);
  await app.outputs.writeOutput({ name: 'markdown', path: folder }, project);
  rmSync(join(folder, INDEX));
}

/** The entry points with a page. The guides of their frameworks, stores and runners have those of the others. */
const shown = new Set(['sdk/index', 'sdk/payer', 'webhooks/index', 'mock/index', 'probe/index']);

/** Removes the modules without a page, whose doc comments are checked too. */
function removeSmallModules(project: ProjectReflection): void {
  for (const module of project.getChildrenByKind(ReflectionKind.Module))
    if (!shown.has(module.name)) project.removeReflection(module);
}

/** Renames the modules after their entry points, because their pages have the path of the source otherwise. */
function nameModules(project: ProjectReflection): void {
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const name = entryPoints.get(project.getSymbolIdFromReflection(module)?.fileName ?? '');
    if (name === undefined) throw new Error(`${module.name} is no entry point.`);
    module.name = name;
  }
}

/** Removes members of exported types from the types that extend them, which link to these types. */
function removeInherited(project: ProjectReflection): void {
  for (const member of project.getReflectionsByKind(
    ReflectionKind.ClassOrInterface | ReflectionKind.ClassMember,
  ))
    if (member.isDeclaration() && member.inheritedFrom?.reflection !== undefined)
      project.removeReflection(member);
}

/** Moves the text of `@description`, which openapi-typescript writes, to the place of a description. */
function moveDescription(comment: Comment | undefined): void {
  const tag = comment?.getTag('@description');
  if (comment === undefined || tag === undefined) return;
  comment.summary = tag.content;
  comment.removeTags('@description');
}
