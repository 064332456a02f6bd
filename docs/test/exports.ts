// The exports of the entry points, as the compiler reads them.
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../.vitepress/pages.ts';

/** Returns the names that each entry point exports, by the name of the entry point. */
export function readExports(entries: ReadonlyMap<string, string>): Map<string, string[]> {
  const path = join(root, 'docs/generate/typedoc.tsconfig.json');
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as { readonly config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'docs/generate'));
  const program = ts.createProgram([...entries.values()], options);
  const checker = program.getTypeChecker();
  return new Map(
    [...entries].map(([entry, source]) => {
      const file = program.getSourceFile(source);
      const module = file && checker.getSymbolAtLocation(file);
      return [entry, module ? checker.getExportsOfModule(module).map(({ name }) => name) : []];
    }),
  );
}
