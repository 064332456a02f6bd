// Compiles the client against changed types of the contract, as after a change of openapi.yaml.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const contract = join(root, 'packages/contract/src/generated/types.ts').replaceAll('\\', '/');
const source = join(root, 'packages/sdk/src').replaceAll('\\', '/');
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.base.json'), (path) => readFileSync(path, 'utf8')).config,
  ts.sys,
  root,
  {
    noEmit: true,
    emitDeclarationOnly: false,
    composite: false,
    declaration: false,
    isolatedDeclarations: false,
  },
);

const host = ts.createCompilerHost(options);
const readSource: ts.CompilerHost['getSourceFile'] = host.getSourceFile.bind(host);
const parsed = new Map<string, ts.SourceFile | undefined>();
let types = readFileSync(contract, 'utf8');
host.getSourceFile = (path, ...rest) => {
  if (path === contract) return ts.createSourceFile(path, types, rest[0], true);
  if (!parsed.has(path)) parsed.set(path, readSource(path, ...rest));
  return parsed.get(path);
};
let program: ts.Program | undefined;

/** Returns the errors in a file of the client after a replacement in the types of the contract. */
function compile(file: string, before: RegExp, after: string): string[] {
  const original = types;
  types = original.replace(before, after);
  program = ts.createProgram([`${source}/index.ts`], options, host, program);
  types = original;
  const diagnostics = program.getSemanticDiagnostics(program.getSourceFile(`${source}/${file}`));
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

describe('the source of the client', () => {
  it.each([
    ['the path of quotes', /"\/quotes"/, '"/quotations"', 'resources/quotes.ts'],
    ['the path of payments', /"\/payments":/, '"/transfers":', 'resources/create-payment.ts'],
    ['the parameter of a path', /\{payment_id\}/, '{id}', 'resources/payments.ts'],
    ['the path of balances', /"\/balance"/, '"/balances"', 'resources/balance.ts'],
    ['the path of transactions', /"\/transactions"/, '"/entries"', 'resources/transactions.ts'],
    [
      'the method of a create',
      /post: (operations\["createPayment"\])/,
      'put: $1',
      'resources/create-payment.ts',
    ],
    ['a parameter of a query', /\bper_page\?:/g, 'page_size?:', 'resources/transactions.ts'],
    ['a field of a request', /\bbeneficiary_bank\b/g, 'bank_name', 'resources/request-body.ts'],
    ['a field of a quote', /\breceive_amount\b/g, 'received', 'resources/quotes.ts'],
    ['a field of a payment', /\bsend_amount\b/g, 'sent', 'values/payment.ts'],
    ['a field of a beneficiary', /\baccount\b(?=\??:)/g, 'iban', 'values/payment.ts'],
    ['a field of a balance', /\bbalances\b(?=\??:)/g, 'wallets', 'resources/balance.ts'],
    ['a field of a transaction', /\bbalance_after\b/g, 'running_balance', 'resources/transaction-reader.ts'],
  ])('does not compile if %s is renamed', (_, before, after, file) => {
    expect(compile(file, before, after)).not.toEqual([]);
    expect(compile(file, /(?!)/, '')).toEqual([]);
  });
});
