// The reference of the command line, from the definitions of its commands.
import { commands } from '../../packages/cli/src/commands.ts';
import { createOutput } from '../../packages/cli/src/output.ts';
import { addCommands, createProgram } from '../../packages/cli/src/program.ts';
import type { Environment } from '../../packages/cli/src/session.ts';
import { toAnchor } from '../.vitepress/pages.ts';
import { escapeText, formatBlock, formatCode, formatTable, type Pages } from './markdown.ts';

/** The program and its parts. Their package is a dependency of the command line only. */
type Command = ReturnType<typeof createProgram>;

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
function nameCommand(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameCommand(parent)} ${command.name()}` : command.name();
}

/** Generates the page with all commands. */
export async function generateCommands(): Promise<Pages> {
  const program = await loadProgram();
  const all = program.commands;
  const page = `# Commands

The commands of \`service-cli\` with their arguments and options, as \`--help --all\` prints them; the
[options of every command](/cli/configuration#options-of-every-command) are in the configuration. The operations of \`service-cli sandbox\` are those of
the [control API](/mock/control-api). See also [exit codes](/cli/errors#exit-codes) and [configuration](/cli/configuration).

${formatTable(['command', 'effect'], listRows(all))}${all.map((command) => formatCommand(command, 2)).join('')}`;
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
function listLeaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}

function formatCommand(command: Command, level: number): string {
  const heading = `${'#'.repeat(level)} ${nameCommand(command)}\n\n`;
  if (command.commands.length > 0)
    return [heading, ...command.commands.map((each) => formatCommand(each, level + 1))].join('');
  const [notes, examples] = splitNotes(command);
  const help = [command.helpInformation(), notes].map((text) => text.trim()).filter((text) => text !== '');
  return [
    heading,
    formatBlock('text', help.join('\n\n')),
    examples === '' ? '' : formatBlock('sh', examples),
  ].join('');
}

/** Returns the text after the help of a command. */
export function readNotes(command: Command): string {
  let text = '';
  const context = { error: false, command, write: (part: string) => (text += part) };
  (command as unknown as NodeJS.EventEmitter).emit('afterHelp', context);
  return text.trim();
}

/** Returns the notes after the help of a command, and its examples as commands of a shell. */
function splitNotes(command: Command): [notes: string, examples: string] {
  const [notes = '', examples = ''] = readNotes(command).split(/^Example:$/m);
  const lines = examples.split('\n').flatMap((line) => /^ {2}(?:\$ )?(.+)$/.exec(line)?.slice(1) ?? []);
  return [notes, lines.join('\n')];
}
