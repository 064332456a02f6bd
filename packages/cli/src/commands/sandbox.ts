import type { Command } from 'commander';
import { addFields } from '../sandbox/flags.ts';
import { type Operation, readOperations } from '../sandbox/operations.ts';
import { type CommandRow, commandRows, groups } from '../sandbox/rows.ts';
import type { Values } from '../sandbox/values.ts';
import type { CreateAction, Handler } from '../session.ts';

/** Adds `sandbox`: one command per operation of the control API of a mock. */
export function addSandbox(program: Command, act: CreateAction): void {
  const sandbox = program
    .command('sandbox')
    .description('Control a running mock: clock, accounts, payments, deliveries, faults, requests, state.');
  let hasCommands = false;
  const addOnce = (): string => {
    if (!hasCommands) addCommands(sandbox, act);
    hasCommands = true;
    return '';
  };
  // Lazily: reading the document of the control API takes time.
  program.hook('preSubcommand', (_, command) => {
    if (command === sandbox) addOnce();
  });
  sandbox.addHelpText('before', addOnce).addHelpText('after', helpText);
}

const helpText = `
The commands call the mock at the base URL. Set SERVICE_SANDBOX_TOKEN if its control API needs a token.

Example:
  $ service-cli sandbox clock advance 3s`;

function addCommands(sandbox: Command, act: CreateAction): void {
  const operations = new Map(readOperations().map((operation) => [operation.id, operation]));
  const parents = new Map<string, Command>();
  for (const row of commandRows) {
    const operation = operations.get(row.id);
    if (operation === undefined) continue;
    const [group = '', name] = row.command.split(' ');
    const parent = name === undefined ? sandbox : (parents.get(group) ?? addGroup(sandbox, group));
    if (name !== undefined) parents.set(group, parent);
    addRow(parent.command(name ?? group), row, operation).action(act(createHandler(row, operation)));
  }
}

function addGroup(sandbox: Command, name: string): Command {
  return sandbox.command(name).description(groups[name] ?? '');
}

function addRow(command: Command, row: CommandRow, operation: Operation): Command {
  const example = ['service-cli sandbox', row.command, row.example].filter(Boolean).join(' ');
  return addFields(command, row, operation)
    .description(`${operation.summary}.`)
    .addHelpText('after', `\nExample:\n  $ ${example}`);
}

function createHandler(row: CommandRow, operation: Operation): Handler<readonly unknown[], Values> {
  return async (session, given) => {
    const { runOperation } = await import('../sandbox/run-operation.ts');
    return runOperation(session, { row, operation, given });
  };
}
