import type { Command } from 'commander';
import { addFields } from '../sandbox/flags.ts';
import { type Operation, readOperations } from '../sandbox/operations.ts';
import { type CommandRow, commandRows, groups } from '../sandbox/rows.ts';
import type { Values } from '../sandbox/values.ts';
import type { Act, Handler } from '../session.ts';

/** Adds `sandbox`: a command for each operation of the control of a running `mock`. */
export function addSandbox(program: Command, act: Act): void {
  const sandbox = program
    .command('sandbox')
    .description('Steer a running mock: its clock, accounts, payments, deliveries, faults, requests, state.');
  let isFilled = false;
  const fill = (): string => {
    if (!isFilled) addCommands(sandbox, act);
    isFilled = true;
    return '';
  };
  // Only when it is asked for: the document of the control takes time to read.
  program.hook('preSubcommand', (_, command) => {
    if (command === sandbox) fill();
  });
  sandbox.addHelpText('before', fill).addHelpText('after', helpText);
}

const helpText = `
The sandbox is that of the base URL; SERVICE_SANDBOX_TOKEN holds its token, where it has one.

Example:
  $ service-cli sandbox clock advance 3s`;

function addCommands(sandbox: Command, act: Act): void {
  const operations = new Map(readOperations().map((operation) => [operation.id, operation]));
  const parents = new Map<string, Command>();
  for (const row of commandRows) {
    const operation = operations.get(row.id);
    if (operation === undefined) continue;
    const [group = '', name] = row.words.split(' ');
    const parent = name === undefined ? sandbox : (parents.get(group) ?? addGroup(sandbox, group));
    if (name !== undefined) parents.set(group, parent);
    addRow(parent.command(name ?? group), row, operation).action(act(createHandler(row, operation)));
  }
}

function addGroup(sandbox: Command, name: string): Command {
  return sandbox.command(name).description(groups[name] ?? '');
}

function addRow(command: Command, row: CommandRow, operation: Operation): Command {
  const example = ['service-cli sandbox', row.words, row.example].filter(Boolean).join(' ');
  return addFields(command, row, operation)
    .description(`${operation.summary}.`)
    .addHelpText('after', `\nExample:\n  $ ${example}`);
}

function createHandler(row: CommandRow, operation: Operation): Handler<readonly unknown[], Values> {
  return async (session, given) => {
    const { steer } = await import('../sandbox/steer.ts');
    return steer(session, { row, operation, given });
  };
}
