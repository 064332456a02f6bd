// The rules of the language check for single files.
import {
  ALLOWED_NAMES,
  ALLOWED_WHAT,
  BARE_VERBS,
  FILLER_OPENERS,
  METAPHORS,
  NOUN_WHAT,
  PROSE_PATTERNS,
} from './vocabulary.ts';
import { type Excerpt, readSource } from './source.ts';

/** A violation of the style guide in CONTRIBUTING.md. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/** Returns whether a cited file, with its anchor, exists. */
export type ResolveCitation = (citation: string, citing: string) => boolean;

const CITATION = /(?<![\w/.@-])(?:\.\.?\/)*(?:[\w@-]+\/)*(?:docs|decisions)\/[\w.-]+\.md(?:#[\w-]+)?/g;
const FOREIGN_CITATION = /spec §|(?<!docs\/)\bcontract\.md (?:\d|§)|\bcontract\.md §/;

/** Checks a TypeScript file. */
export function checkSource(path: string, text: string, resolve: ResolveCitation): Finding[] {
  const { comments, docComments, names, functions, titles, messages, compoundConstants, looseTests } =
    readSource(path, text);
  return [
    ...comments.flatMap((comment) => checkOpener(path, comment)),
    ...docComments.flatMap((comment) => checkTags(path, comment)),
    ...[...comments, ...titles, ...(/\/test\//.test(path) ? [] : messages)].flatMap((prose) =>
      checkProse(path, prose),
    ),
    ...comments.flatMap((comment) => checkCitations(path, comment, resolve)),
    ...names.flatMap((name) => checkName(path, name)),
    ...functions
      .filter(({ text: name }) => BARE_VERBS.includes(name))
      .map(({ text: name, line }) => ({
        path,
        line,
        rule: 'verb',
        message: `${name}(): add the object of the verb.`,
      })),
    ...(path.startsWith('examples/') ? [] : looseTests).map(({ line }) => ({
      path,
      line,
      rule: 'subject',
      message: 'Put the test into a `describe` that names its subject.',
    })),
    ...compoundConstants.map(({ text: name, line }) => ({
      path,
      line,
      rule: 'constant-case',
      message: `${name} is no primitive: module-level objects are camelCase.`,
    })),
  ];
}

/** Checks a Markdown or YAML document. Code blocks and code spans are skipped. */
export function checkDocument(path: string, text: string, resolve: ResolveCitation): Finding[] {
  const form = checkForm(path, text);
  const prose = text.replace(/^```.*?^```/gms, (block) => block.replace(/[^\n]/g, ''));
  // A phrase can continue on the next line of its paragraph.
  const paragraphs = [...prose.matchAll(/(?:^(?!\s*$).+\n?)+/gm)];
  const findings = paragraphs.flatMap(({ 0: source, index }) => {
    const line = prose.slice(0, index).split('\n').length;
    const words = source.replace(/`[^`]*`/g, '``').replace(/\]\([^)]*\)/g, ']');
    return [
      ...checkProse(path, { text: words, line }),
      ...checkCitations(path, { text: source, line }, resolve),
    ];
  });
  return [...form, ...findings];
}

const MAX_README_WORDS = 500;
const MAX_PAGE_WORDS = 900;
const MAX_DECISION_LINES = 40;
const DECISION_SECTIONS = ['Context', 'Decision', 'Consequences', 'Revisit when'] as const;

const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** Returns the number of words besides code and tables. */
export const countProse = (text: string): number =>
  countWords(text.replaceAll(/^```[^]*?^```$|^\|.*$/gm, ''));

/** Checks the length of a README or page, and the length and the sections of a decision. */
function checkForm(path: string, text: string): Finding[] {
  const messages: string[] = [];
  const words = countWords(text);
  if (/^(?:packages\/\w+\/)?README\.md$/.test(path) && words > MAX_README_WORDS)
    messages.push(`A README has at most ${MAX_README_WORDS} words; this one has ${words}.`);
  if (/^(?:packages\/\w+\/docs|docs\/\w+)\//.test(path)) {
    const prose = countProse(text);
    if (prose > MAX_PAGE_WORDS)
      messages.push(
        `A page has at most ${MAX_PAGE_WORDS} words besides code and tables; this one has ${prose}.`,
      );
  }
  if (/^decisions\/\d{4}-/.test(path)) {
    const lines = text.trimEnd().split('\n').length;
    if (lines > MAX_DECISION_LINES)
      messages.push(`A decision has at most ${MAX_DECISION_LINES} lines; this one has ${lines}.`);
    const missing = DECISION_SECTIONS.filter((section) => !text.includes(`\n## ${section}\n`));
    messages.push(...missing.map((section) => `The section "${section}" is missing.`));
  }
  return messages.map((message) => ({ path, line: 1, rule: 'form', message }));
}

/** Checks the words of a path. */
export function checkPath(path: string): Finding[] {
  return path.split('/').flatMap((segment) => checkName(path, { text: segment, line: 1 }));
}

function checkOpener(path: string, { text, line }: Excerpt): Finding[] {
  const [word = ''] = /^\w+/.exec(text) ?? [];
  const opener = word.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  if (!FILLER_OPENERS.includes(opener)) return [];
  const message = `A comment opens with "${opener}": use a noun phrase, or a verb that names the effect.`;
  return [{ path, line, rule: 'opener', message }];
}

function checkTags(path: string, { text, line }: Excerpt): Finding[] {
  const isWrong = /@throws (?!\{)|(?<=\S)[ \t]@(?:throws|default|example)\b/.test(text);
  return isWrong
    ? [
        {
          path,
          line,
          rule: 'tags',
          message: 'Tags start a line, and @throws names the class: @throws {ErrorClass} when …',
        },
      ]
    : [];
}

function checkProse(path: string, { text, line }: Excerpt): Finding[] {
  const words = text.replace(/`[^`]*`/g, '``').replace(/\s+/g, ' ');
  const found = PROSE_PATTERNS.flatMap(({ pattern, instead }) => {
    const [match] = pattern.exec(words) ?? [];
    return match === undefined
      ? []
      : [{ path, line, rule: 'prose', message: `"${match}": write ${instead}.` }];
  });
  const isNounWhat = NOUN_WHAT.test(ALLOWED_WHAT.reduce((rest, allowed) => rest.replace(allowed, ''), words));
  const what = { path, line, rule: 'what', message: 'Name the thing instead.' };
  return isNounWhat ? [...found, what] : found;
}

function checkCitations(path: string, { text, line }: Excerpt, resolve: ResolveCitation): Finding[] {
  const citations = text.match(CITATION) ?? [];
  const broken = citations.filter((citation) => !resolve(citation, path));
  const messages = broken.map((citation) => `${citation} does not exist.`);
  if (FOREIGN_CITATION.test(text))
    messages.push('A citation leads out of the repository: cite docs/contract.md#anchor.');
  return messages.map((message) => ({ path, line, rule: 'citation', message }));
}

const SUFFIXES = [/s$/, /es$/, /ed$/, /ing$/] as const;

function isMetaphor(word: string): boolean {
  return Object.hasOwn(METAPHORS, word);
}

function checkName(path: string, { text, line }: Excerpt): Finding[] {
  if (ALLOWED_NAMES[path]?.includes(text)) return [];
  const words = text
    .split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-._$]/)
    .map((word) => word.toLowerCase())
    .map((word) => [word, ...SUFFIXES.map((suffix) => word.replace(suffix, ''))].find(isMetaphor) ?? word);
  return words.filter(isMetaphor).map((word) => ({
    path,
    line,
    rule: 'name',
    message: `${text}: "${word}" is a metaphor; use ${METAPHORS[word]}.`,
  }));
}
