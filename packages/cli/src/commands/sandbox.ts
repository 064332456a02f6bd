import type { Command } from 'commander';
import { addFields, formatExample } from '../sandbox/flags.ts';
import { type Operation, readOperations } from '../sandbox/operations.ts';
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
  const parents = new Map<string, Command>();
  for (const operation of readOperations()) {
    const [group = '', name] = operation.command.split(' ');
    const parent =
      name === undefined
        ? sandbox
        : (parents.get(group) ?? sandbox.command(group).description(operation.groupDescription));
    if (name !== undefined) parents.set(group, parent);
    addOperation(parent.command(name ?? group), operation).action(act(createHandler(operation)));
  }
}

function addOperation(command: Command, operation: Operation): Command {
  const example = ['service-cli sandbox', operation.command, formatExample(operation)]
    .filter(Boolean)
    .join(' ');
  return addFields(command, operation)
    .description(`${operation.summary}.`)
    .addHelpText('after', `\nExample:\n  $ ${example}`);
}

function createHandler(operation: Operation): Handler<readonly unknown[], Values> {
  return async (session, given) => {
    const { runOperation } = await import('../sandbox/run-operation.ts');
    return runOperation(session, { operation, given });
  };
}
