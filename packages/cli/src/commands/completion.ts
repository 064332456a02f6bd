import type { Command } from 'commander';
import { defineCommand, optional, type Position, readWords } from '../command.ts';
import { readPackageFile } from '../input.ts';
import type { DefineCommand } from '../session.ts';

/** Defines `completion`, which prints the completion script of a shell. */
export const completionCommand: DefineCommand = defineCommand({
  input: { shell: optional('<shell>', 'the shell', { choices: ['bash', 'zsh', 'fish'] }) },
  help: `The script calls the service-cli of the command line to complete, so it stays correct after an update.

Example:
  $ source <(service-cli completion bash)                                        # in ~/.bashrc
  $ source <(service-cli completion zsh)                                         # in ~/.zshrc, after compinit
  $ service-cli completion fish > ~/.config/fish/completions/service-cli.fish`,
  async run({ output }, { shell }) {
    const script = readPackageFile(`completions/service-cli.${shell}`);
    await output.result({ script }, script.trimEnd().split('\n'));
  },
});

/** The line that makes the scripts complete file names. */
const FILES = ':files';

type Candidate = readonly [text: string, description: string];

/** Returns the candidates for the last word, one per line with a tab before its description. The definitions of the commands must be loaded. */
export function complete(program: Command, words: readonly string[]): string {
  // bash splits `--mode=test` into three words.
  const before = words.slice(0, -1).filter((word) => word !== '=');
  const { command, option, count } = readWords(program, before);
  const last = words.at(-1) ?? '';
  const start = last === '=' ? '' : last;
  const takesFile = option
    ? /<file>/.test(option.flags)
    : command.registeredArguments[count]?.name() === 'file';
  if (takesFile && (option !== undefined || !start.startsWith('-'))) return `${FILES}\n`;
  return listCandidates(command, { option, count, start })
    .filter(([text]) => text.startsWith(start))
    .map(([text, description]) => `${text}\t${description}\n`)
    .join('');
}

function listCandidates(
  command: Command,
  { option, count, start }: Pick<Position, 'option' | 'count'> & { readonly start: string },
): Candidate[] {
  const target = option ?? command.registeredArguments[count];
  const { argChoices: choices = [], description = '' } = target ?? {};
  const values = choices.map((text): Candidate => [text, description]);
  if (option !== undefined) return values;
  if (start.startsWith('-')) return listOptions(command);
  const subcommands = command.createHelp().visibleCommands(command);
  return [...subcommands.map((each): Candidate => [each.name(), each.description()]), ...values];
}

/** Returns the options of a command and its parents. */
function listOptions({ options, parent }: Command): Candidate[] {
  const own = options.map(({ long, description }): Candidate => [long ?? '', description]);
  return parent ? [...own, ...listOptions(parent)] : [...own, ['--help', 'display help for command']];
}
