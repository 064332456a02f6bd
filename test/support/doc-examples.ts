// Compiles the examples of doc comments, with the names that they use and do not declare.
import { join } from 'node:path';
import ts from 'typescript';
import { createProgram, type PublicName, repository } from './public-api.ts';

const names = join(import.meta.dirname, 'doc-example-names.ts');

/** Returns the problems of the examples of public names, each with the place of its name. */
export function checkExamples(publicNames: readonly PublicName[]): string[] {
  const modules = new Map<string, { readonly place: string; readonly text: string }>();
  for (const { tags, ...each } of publicNames) {
    for (const { text } of tags.filter(({ name }) => name === 'example')) {
      // In a folder of the repository, whose installed packages it imports.
      const path = `${repository}/test/doc-example-${modules.size}.ts`;
      modules.set(path, { place: `${each.place} ${each.name}`, text: writeModule(each, text) });
    }
  }
  const program = createProgram([names], new Map([...modules].map(([path, { text }]) => [path, text])));
  return [names, ...modules.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) =>
        `${modules.get(path)?.place ?? path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

/** Writes a module: the statements of an example, or a value that is assigned to its property or type. */
function writeModule({ name, entry, owner, declaration }: Omit<PublicName, 'tags'>, text: string): string {
  if (isCode(text)) {
    const isValue = !ts.isInterfaceDeclaration(declaration) && !ts.isTypeAliasDeclaration(declaration);
    const isImported = owner === '' && isValue && new RegExp(`\\b${name}\\(`).test(text);
    return `${isImported ? `import { ${name} } from '${entry}';\n` : ''}${text}\nexport {};\n`;
  }
  // The table of the settings of a profile.
  if (owner === 'settings')
    return `import type { ProfileChoice } from '@service/mock';\nexport const example: ProfileChoice['${name}'] = ${text};\n`;
  const file = declaration.getSourceFile().fileName;
  const type = owner === '' ? name : `${owner}['${name}']`;
  return `import type { ${owner || name} } from '${file}';\nexport const example: ${type} = ${text};\n`;
}

/** Returns whether an example is code that uses the name, and not a value of it. */
function isCode(text: string): boolean {
  return /;\s*$|\}\s*$/.test(text) && !/^[[{(]/.test(text);
}
