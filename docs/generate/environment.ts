// The reference of environment variables, from their meanings in `docs/environment.json`.
import variables from '../environment.json' with { type: 'json' };
import { formatCode, formatTable, type Pages } from './markdown.ts';

/** Generates the page of the variables. */
export function generateEnvironment(): Pages {
  const sections = Object.entries(variables).map(([title, meanings]) => {
    const rows = Object.entries(meanings).map(([name, meaning]) => [formatCode(name), meaning]);
    return `## ${title}\n\n${formatTable(['variable', 'meaning'], rows)}`;
  });
  const page = `# Environment variables

Every variable that the packages and examples read. \`.env\` files are not read.

${sections.join('')}`;
  return new Map([['environment', page]]);
}
