// The reference of the command line, from the definitions of its commands.
import { commands } from '../../packages/cli/src/commands.ts';
import { createOutput } from '../../packages/cli/src/output.ts';
import { addCommands, createProgram } from '../../packages/cli/src/program.ts';
import type { Environment } from '../../packages/cli/src/session.ts';
import { toAnchor } from '../.vitepress/pages.ts';
import { escapeText, formatBlock, formatCode, formatTable, type Pages } from './markdown.ts';

/** The program and its parts. Their package is a dependency of the command line only. */
type Command = ReturnType<typeof createProgram>;
type Option = Command['options'][number];
type Argument = Command['registeredArguments'][number];

const silent: Environment = {
  argv: [],
  env: {},
  stdin: (async function* empty() {})(),
  stdout: { write: () => {} },
  stderr: { write: () => {} },
  signal: new AbortController().signal,
};

/** Returns the program with the definitions of all commands. */
export async function loadProgram(): Promise<Command> {
  const program = createProgram(createOutput(silent, false, false), () => {}, true);
  const words = commands.flatMap(({ name }) => name.split(' '));
  await addCommands(program, words, async () => {});
  return program;
}

/** Returns the words of a command, without those of the program. */
export function nameCommand(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameCommand(parent)} ${command.name()}` : command.name();
}

/** Generates the page with all commands. */
export async function generateCommands(): Promise<Pages> {
  const program = await loadProgram();
  const all = program.commands;
  const page = `# Commands

The commands of \`service-cli\` with their arguments and options, as \`--help\` prints them. The operations of \`service-cli sandbox\` are those of
the [control API](/mock/control-api). See also [exit codes](/cli/exit-codes) and [configuration](/cli/configuration).

${formatTable(['command', 'effect'], listRows(all))}## Options of every command

${formatOptions(listOptions(program))}${all.map((command) => formatCommand(command, 2)).join('')}`;
  return new Map([['cli/commands', page]]);
}

const listRows = (list: readonly Command[]): string[][] =>
  list
    .flatMap(listLeaves)
    .map((command) => [
      `[${formatCode(nameCommand(command))}](#${toAnchor(nameCommand(command))})`,
      escapeText(command.description()),
    ]);

/** Returns the commands that run something: those without subcommands. */
export function listLeaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}

function formatCommand(command: Command, level: number): string {
  const heading = `${'#'.repeat(level)} ${nameCommand(command)}\n\n`;
  const description = `${escapeText(command.description())}\n\n`;
  if (command.commands.length > 0)
    return [heading, description, ...command.commands.map((each) => formatCommand(each, level + 1))].join('');
  const usage = command.createHelp().commandUsage(command);
  return [
    heading,
    description,
    formatBlock('text', usage),
    formatParts('argument', command.registeredArguments),
    formatOptions(listOptions(command)),
    formatNotes(command),
  ].join('');
}

/** Returns the visible options of a command without `--help`. */
function listOptions(command: Command): Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');
}

/** Formats the options, those with a heading in the help under this heading. */
function formatOptions(options: readonly Option[]): string {
  const groups = Map.groupBy(options, ({ helpGroupHeading = '' }) => helpGroupHeading);
  return [...groups]
    .map(
      ([heading, list]) =>
        (heading === '' ? '' : `**${heading.replace(/:$/, '')}**\n\n`) + formatParts('option', list),
    )
    .join('');
}

function formatParts(kind: string, parts: readonly (Option | Argument)[]): string {
  if (parts.length === 0) return '';
  return formatTable(
    [kind, 'meaning', 'values', 'default'],
    parts.map((part) => [
      'flags' in part
        ? formatCode(part.flags)
        : formatCode(part.name()) + (part.required ? ' (required)' : ''),
      escapeText(part.description),
      part.argChoices?.map(formatCode).join(', '),
      formatDefault(part),
    ]),
  );
}

/** Formats a default that the description does not contain. */
function formatDefault({ defaultValue, defaultValueDescription }: Option | Argument): string {
  if (defaultValueDescription !== undefined) return escapeText(defaultValueDescription);
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  return isShown ? formatCode(defaultValue) : '';
}

/** Returns the text after the help of a command. */
export function readNotes(command: Command): string {
  let text = '';
  const context = { error: false, command, write: (part: string) => (text += part) };
  (command as unknown as NodeJS.EventEmitter).emit('afterHelp', context);
  return text.trim();
}

/** Formats the text after the help: notes, and examples as commands of a shell. */
function formatNotes(command: Command): string {
  const [notes = '', examples = ''] = readNotes(command).split(/^Example:$/m);
  const lines = examples.split('\n').flatMap((line) => /^ {2}(?:\$ )?(.+)$/.exec(line)?.slice(1) ?? []);
  return [
    notes.trim() === '' ? '' : `${escapeText(notes.trim())}\n\n`,
    lines.length === 0 ? '' : formatBlock('sh', lines.join('\n')),
  ].join('');
}
