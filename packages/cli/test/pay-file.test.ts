import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@service/sdk';
import { createPayer, memoryStore } from '@service/sdk/payer';
import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { checkFile } from '../src/pay-file/check-file.ts';
import { createFile, listNames, namesOf } from './pay-file.support.ts';
import { HEADER, toCsv } from './payment-csv.ts';
import {
  expectRefusals,
  failedWrite,
  it,
  keepSecret,
  makeFolder,
  type MockServer,
  runCli,
  startMockServer,
} from './support.ts';

const toFile = (cells: string): string => `${HEADER}\n${cells}\n`;

/** Returns the problems in the error document of a run, as `line: message`. */
function problemsOf(stdout: string): string[] {
  const { error } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    error: { problems: { line: number; message: string }[] };
  };
  return error.problems.map((problem) => `${problem.line}: ${problem.message}`);
}

describe('pay-file', () => {
  it('creates each payment once, and exits 0', async () => {
    await using mockServer = await startMockServer({ clock: 'manual' });
    const { pay, write } = createFile(mockServer.env, toCsv(5));
    const first = await pay();
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toContain('created         5  50.00 USD');
    expect(first.stderr).toContain('5 payments in');
    expect(first.stderr).toContain('50.00 USD to send, 100,000.00 USD available');
    expect(await pay()).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(namesOf(5));
    write(toCsv(7));
    expect(await pay()).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(namesOf(7));
  });

  it.each([
    [
      'two byte order marks, CRLF and empty lines',
      `\uFEFF\uFEFF${toCsv(3).replaceAll('\n', '\r\n\r\n')},,,,\r\n`,
    ],
    ['CR line breaks', toCsv(3).replaceAll('\n', '\r')],
    [
      'columns in another order and case, and spaces',
      toCsv(3)
        .split('\n')
        .map((row) => row.toUpperCase().split(',').toReversed().join(' , '))
        .join('\n')
        .replaceAll('SUPPLIER', 'Supplier'),
    ],
    ['a trailing comma in each row', toCsv(3).replaceAll(/$/gm, ',').trimEnd()],
    ['trailing commas in the header only', toCsv(3).replace('\n', ',,\n')],
    ['trailing commas in some rows', toCsv(3).replaceAll(/(?<=INV-2.*)$/gm, ',,')],
    [
      'the field names of the API',
      toCsv(3)
        .replace('from,to', 'from_currency,TO_Currency')
        .replace(',name', ',beneficiary_name')
        .replace(',account', ', beneficiary_account '),
    ],
    ['quoted fields', toCsv(3).replaceAll(/(?<=^|,)([^,\n]*)(?=,|$)/gm, '"$1"')],
    ['UTF-16LE', Buffer.from(`\uFEFF${toCsv(3)}`, 'utf16le')],
    ['UTF-16BE', Buffer.from(`\uFEFF${toCsv(3)}`, 'utf16le').swap16()],
  ])('reads CSV with %s', async (_, text) => {
    await using mockServer = await startMockServer();
    expect(await createFile(mockServer.env, text).pay()).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(namesOf(3));
  });

  it('rejects bytes that are not text', async ({ mockServer }) => {
    const { pay, write } = createFile(mockServer.env, '');
    write(Buffer.from(toFile('X,USD,EUR,1,M\u00fcller'), 'latin1'));
    const { code, stderr } = await pay();
    expect(code).toBe(2);
    expect(stderr).toContain('must be text in UTF-8 or UTF-16');
  });

  it('needs a store for stdin, a pipe or a device, because the next one has other lines', async ({
    mockServer,
  }) => {
    for (const file of ['-', '/dev/null']) {
      const { code, stderr } = await mockServer.run(['pay-file', file, '--yes'], { stdin: toCsv(1) });
      expect(code).toBe(2);
      expect(stderr).toContain('--store is required');
    }
    expect(mockServer.mock.sandbox.requests.list()).toEqual([]);
    const argv = ['pay-file', '-', '--yes', '--store', join(makeFolder(), 'run.db')];
    expect((await mockServer.run(argv, { stdin: toCsv(1) })).code).toBe(0);
    expect(await listNames(mockServer)).toEqual(namesOf(1));
  });
});

/** Runs files that must be refused before anything is sent or written, and lists those with other problems. */
async function expectProblems(
  { mock, env }: MockServer,
  files: readonly (readonly [text: string, ...problems: string[]])[],
): Promise<void> {
  for (const [text, ...expected] of files) {
    const { pay, folder } = createFile(env, text);
    const { code, stdout, stderr } = await pay(['--yes', '--json']);
    const problems = problemsOf(stdout);
    const isExpected = expected.every((each, index) => problems[index]?.startsWith(each));
    expect({ text, code, problems, isExpected }).toEqual({
      text,
      code: 2,
      problems: expect.objectContaining({ length: expected.length }),
      isExpected: true,
    });
    for (const hidden of ['\u001b', '\u202e']) expect(stderr).not.toContain(hidden);
    expect(readdirSync(folder)).toEqual(['payments.csv']);
  }
  expect(mock.sandbox.requests.list()).toEqual([]);
}

describe('the check of a payment file', () => {
  it('rejects invalid values', async ({ mockServer }) => {
    const rows = [
      ['A,USD,EUR,1e3,Acme', '2: amount must be a plain decimal'],
      ['A,USD,EUR,"1,000.00",Acme', '2: amount must be a plain decimal'],
      ['A,USD,EUR,1.001,Acme', '2: amount must have at most 2 decimals'],
      ['A,USD,EUR,0,Acme', '2: amount must be more than 0'],
      ['A,USD,EUR,,Acme', '2: amount is required'],
      ['A,USD,EUR,1,', '2: name is required'],
      ['A,US,EUR,1,Acme', '2: from must be a 3-letter'],
      ['A,USD,,1,Acme', '2: to must be a 3-letter'],
      [',USD,EUR,1,Acme', '2: reference must be'],
      ['A B,USD,EUR,1,Acme', '2: reference must be'],
    ] as const;
    await expectProblems(
      mockServer,
      rows.map(([row, problem]) => [toFile(`${row},,,,`), problem]),
    );
  });

  it('reports every invalid line with its number, after quoted line breaks too', async ({ mockServer }) => {
    const rows = [
      'A,USD,EUR,1,Acme,,,,',
      '"B",USD,EUR,1,"Two',
      'lines",,,,',
      '',
      'C,USD,EUR,x,Acme,,,,',
      'A,USD,EUR,2,Acme,,,,',
      'D,USD,EUR,3,Acme',
      'E,USD,EUR,1,  ACME ,,,,',
    ];
    const { pay } = createFile(mockServer.env, `${HEADER}\n${rows.join('\n')}`);
    const { code, stdout } = await pay(['--yes', '--json']);
    expect(code).toBe(2);
    expect(problemsOf(stdout)).toEqual([
      '3: name contains a line break. Is a double quote not closed?',
      expect.stringMatching(/^6: amount must be a plain decimal/),
      '7: the reference A is also on line 2.',
      '8: it has 5 columns, but the header has 9. Enclose a text with a comma in double quotes.',
      '9: it is similar to line 2: amount, currencies, purpose and name are equal. Remove one, or pass --allow-similar to pay both.',
    ]);
    const { stderr } = await pay();
    expect(stderr).toContain(
      'error: The payment file has 5 invalid lines. Nothing was sent.\n  line 3: name',
    );
  });

  it('rejects invalid files', async ({ mockServer }) => {
    await expectProblems(mockServer, [
      ['reference,from,to,amount', '1: the column name is missing.'],
      [
        'reference,from,to,amount,name,acccount,name',
        '1: the column "acccount" is unknown. Did you mean "account"? Rename or remove it.',
        '1: the column name occurs twice.',
      ],
      ['reference;from;to;amount;name', '1: the columns must be separated by commas'],
      ['[{"reference":"A"}]', '1: it must be CSV with the names of the columns in its first line'],
      ['{"reference":"A"}', '1: it must be CSV'],
      [`${HEADER},,x`, '1: the column "" is unknown', '1: the column "x" is unknown'],
      [`${HEADER},from_currency`, '1: the column from occurs twice.'],
      [`${HEADER}\nA,USD,EUR,1,Acme,,,,,x`, '2: it has 10 columns, but the header has 9.'],
      ['INV-1,USD,EUR,1,Acme,DE89', '1: the names of the columns are missing: reference, from'],
      [''],
      ['\n\n,,\n'],
      [`${HEADER}\n`],
      [`${HEADER}\nA,USD,EUR,1,Ac"me,,,,\nB,x`, '2: a double quote must enclose'],
      [`${HEADER}\nA,USD,EUR,1,Acme,,,,\nB,USD,EUR,1,"Two\nC`, '3: a double quote is not'],
    ]);
  });

  it('prints at most 100 problems as text, and all as JSON', async ({ mockServer }) => {
    const { pay } = createFile(mockServer.env, toCsv(130).replaceAll('10.00', '1e3'));
    expect((await pay()).stderr).toContain('  and 30 more; --json prints all of them');
    expect(problemsOf((await pay(['--yes', '--json'])).stdout)).toHaveLength(130);
  });

  it('finds similar purposes, in a file and to a paid line', async ({ mockServer }) => {
    // The amounts keep the pairs apart.
    const pairs = [
      ['Inv 41', 'Inv. 41'],
      ['Inv 41', 'Inv-41'],
      ['Inv 41', 'INV41'],
      ['Inv 41', 'inv/41;'],
      ['Inv 41', '(Inv #41)'],
      ['Inv 41', 'Inv – 41'],
      ['Inv 41', 'Inv‐41'],
      ['Inv 41', 'Ｉｎｖ　４１'],
      ['Inv 41', 'Inv\u00A041'],
      ['Inv 41 ❤', 'Inv 41 ❤\uFE0F'],
      ['Inv 41 👩', 'Inv 41 👩\u200D💻'],
      ['Invoice №41', 'invoice No. 41'],
      ['Miete Straße 5', 'MIETE STRASSE 5'],
      ['Miete Straße 5', 'MIETE STRAẞE 5'],
      ['Loyer café, mai', 'LOYER CAFE MAI'],
      ['Loyer caf\u00E9', 'Loyer cafe\u0301'],
      ["O'Brien & Sons", 'O\u02BCBrien + Sons'],
      ['ΛΟΓΑΡΙΑΣΜΟΣ 5', 'Λογαριασμός 5'],
      ['İstanbul 5', 'ISTANBUL 5'],
      ['ﬁnal oﬀer', 'Final Offer'],
      ['rent 2026-01-15', 'Rent 2026 01 15'],
      ['INV-4 1', 'INV 4/1'],
      ['...', ''],
    ] as const;
    const toRow = (reference: string, index: number, purpose: string): string =>
      `${reference},USD,EUR,${100 + index}.00,Acme,DE89,,,"${purpose}"`;
    const first = pairs.map(([one], index) => toRow(`P${index}x`, index, one));
    const second = pairs.map(([, other], index) => toRow(`N-${index + 700}`, index, other));
    const { pay, write } = createFile(
      mockServer.env,
      [HEADER, ...first.flatMap((row, index) => [row, second[index]])].join('\n'),
    );
    const both = await pay(['--dry-run', '--json']);
    expect({ code: both.code, problems: problemsOf(both.stdout) }).toMatchObject({
      code: 2,
      problems: pairs.map((_, index): unknown =>
        expect.stringMatching(
          `^${2 * index + 3}: it is similar to line ${2 * index + 2}: amount, currencies, purpose and name are equal`,
        ),
      ),
    });
    write([HEADER, ...first].join('\n'));
    expect((await pay()).code).toBe(0);
    write([HEADER, ...second].join('\n'));
    const again = await pay(['--yes', '--json']);
    expect({ code: again.code, problems: problemsOf(again.stdout) }).toMatchObject({
      code: 2,
      problems: pairs.map((_, index): unknown =>
        expect.stringMatching(`^${index + 2}: it is similar to P${index}x`),
      ),
    });
    expect(await listNames(mockServer)).toHaveLength(pairs.length);
  });

  it('does not take other lines for similar ones', async () => {
    const purposes = [
      'INV-41',
      'INV-42',
      'INV-4 1',
      'INV-4 2',
      'rent 1/12',
      'rent 11/2',
      'week 3 1',
      'week 31',
      'INV-401',
      'INV-041',
      'Inv 41a',
      'salary Alice 12',
      'salary Bob 12',
      'salary Alice 11',
      'rent 1/2026',
      'rent 2/2026',
      'कर',
      'कार',
      'か 1',
      'が 1',
      'ไม 1',
      'ไม่ 1',
      'оплата 41',
      'office chairs',
      'rent',
    ];
    const lines = [
      ...purposes.map((purpose) => ['Acme', 'DE89', purpose]),
      ['Alice', 'DE01', 'salary'],
      ['Bob', 'DE02', 'salary'],
      ['Bob', 'DE03', 'bonus'],
    ].map(([name, account, purpose], index) => `R-${index}x,USD,EUR,1,${name},${account},,,${purpose}`);
    const { prepare } = createPayer(createClient({ apiKey: 'service_test_x', baseUrl: 'https://x/v1' }), {
      store: memoryStore(),
    });
    const signal = new AbortController().signal;
    const text = [HEADER, ...lines].join('\n');
    const file = await checkFile(text, { prepare, allowSimilar: false, signal });
    expect(file.payments.size).toBe(lines.length);
  });

  it('pays similar lines with --allow-similar', async ({ mockServer }) => {
    const { pay } = createFile(
      mockServer.env,
      toFile('A,USD,EUR,1,Acme,DE 89,,,\nB,USD,EUR,1.00,Acme Ltd,de89,,,'),
    );
    expect((await pay()).stderr).toContain(
      'line 3: it is similar to line 2: amount, currencies, purpose and account are equal.',
    );
    expect(await pay(['--yes', '--allow-similar'])).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(['Acme', 'Acme Ltd']);
  });
});

describe('a hostile payment file', () => {
  const csv = (given: Partial<Record<string, string>>): string => {
    const all = { reference: 'INV-41', from: 'USD', to: 'EUR', amount: '1000.00', name: 'Acme', ...given };
    const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return `${HEADER}\n${HEADER.split(',')
      .map((column) => quote((all as Record<string, string>)[column] ?? ''))
      .join(',')}\n`;
  };
  // The texts that a spreadsheet or another program damaged are those of the tests of `findDamage` and of the SDK.
  const cells: readonly (readonly [column: string, problem: string, ...values: string[]])[] = [
    ['account', 'is a number in exponent form', '1.91431E+18'],
    ['amount', 'must be a plain decimal', '1E+03', '######'],
    ['reference', 'is an error value', '#VALUE!'],
    ['name', 'has the formula or text mark', '=HYPERLINK("x")', "+cmd|' /C calc'!A0"],
    ['account', 'is formatted as a number', '1,914,310'],
    ['account', 'is a word', 'null', '[object Object]'],
    ['account', 'contains an invisible character', '\uFEFFDE893704', 'DE893704\uFEFF'],
    ['name', 'contains an invisible character', 'Ac\u202Eme'],
    ['purpose', 'contains an invisible character', 'Inv 41\u2060', 'Inv\u3164 41'],
    ['name', 'contains a replacement character', 'M\uFFFDller'],
    ['name', 'contains a control character', 'Ac\u001b[2Jme', 'Ac\tme'],
    ['name', 'contains a line break. Is a double quote not closed?', 'Ac\nme'],
    ['account', 'contains letters or digits that are not Latin', 'D\u0415893704'],
  ];
  it('is rejected for the values of its cells', async ({ mockServer }) => {
    const rows = cells.flatMap(([column, problem, ...values]) =>
      values.map((value) => [csv({ [column]: value }), `2: ${column} ${problem}`] as const),
    );
    await expectProblems(mockServer, rows);
  });

  it('has the same rules as the options of one payment', async ({ mockServer }) => {
    await expectRefusals({ command: 'pay USD EUR 1 --name Acme', env: mockServer.env }, [
      ['--account 1.91431E+18', /^error: --account is a number in exponent form.*\n.*\n$/],
      ['--name #REF!', /^error: --name is an error value.*\n.*\n$/],
      [['--purpose', 'a\u200Bb'], /^error: .*purpose contains an invisible character.*\n.*\n$/],
    ]);
  });
});

describe('a legitimate payment file', () => {
  const word = fc.stringMatching(/^[\p{Lu}][\p{Ll}]{2,8}$/u);
  const line = fc.record({
    amount: fc.integer({ min: 1, max: 9_999_999 }).map((cents) => (cents / 100).toFixed(2)),
    name: fc.tuple(word, fc.constantFrom(' ', '-', "'", ' & ', ', '), word).map((parts) => parts.join('')),
    account: fc.oneof(
      fc.constant(''),
      fc.stringMatching(/^\d{4,24}$/),
      fc.stringMatching(/^[A-Z]{2}\d{2}( [A-Z\d]{4}){3,6}$/),
      fc.stringMatching(/^\d{2}-\d{2}-\d{2} \d{8}$/),
      fc.stringMatching(/^\+\d{2} \d{3} \d{4}$/),
    ),
    purpose: fc.tuple(word, fc.constantFrom(' ', ': ', '/', ' #'), fc.nat()).map((parts) => parts.join('')),
  });

  it('is never refused', async () => {
    const client = createClient({ apiKey: 'service_test_1', baseUrl: 'https://api.example.test/api/v1' });
    const { prepare } = createPayer(client, { store: { ...memoryStore(), fingerprintKey: undefined } });
    const options = { prepare, allowSimilar: false, signal: new AbortController().signal };
    const files = fc.uniqueArray(line, { minLength: 1, maxLength: 20, selector: ({ purpose }) => purpose });
    await fc.assert(
      fc.asyncProperty(files, async (lines) => {
        const rows = lines.map((cells, index) => ({
          reference: `E-2024-${index}`,
          from: 'USD',
          to: 'EUR',
          ...cells,
        }));
        const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const columns = Object.keys(rows[0] ?? {});
        const csv = [columns, ...rows.map((row) => Object.values(row).map(quote))].map((cells) =>
          cells.join(','),
        );
        expect((await checkFile(csv.join('\n'), options)).payments.size).toBe(rows.length);
      }),
      { numRuns: runs(50) },
    );
  });
});

describe('a file that a spreadsheet saved again', () => {
  const rows = (...lines: string[]): string => [HEADER.replace(',bank,country', ''), ...lines, ''].join('\n');
  const original = rows(
    '0041,USD,EUR,1000.00,Acme,1914310000010100016,Inv 41',
    '0042,USD,EUR,29.50,Borealis,DE89370400440532013000,Inv 42',
  );
  const paid = 'which was paid and is no longer in the file: amount, currencies,';
  const refusals: readonly [string, Readonly<Record<string, string>>, string[]][] = [
    [
      'with damaged accounts',
      { '0041': '41', '0042': '42', '1914310000010100016': '1.91431E+18', '29.50': '29.5' },
      ['2: account is a number in exponent form, so digits of it are lost. Format the column as text'],
    ],
    [
      'without leading zeros',
      { '0041': '41', '0042': '42', '1000.00': '1000', '29.50': '29.5' },
      ['2: it is similar to 0041, which was paid', '3: it is similar to 0042, which was paid'],
    ],
    [
      'with other purposes, names and accounts, but the reference without zeros',
      { '0041': '41', '1000.00,Acme': '1000,Acme Ltd', '100016,Inv': '100000,Invoice' },
      [`2: it is similar to 0041, ${paid} reference are equal;`],
    ],
    [
      'with hyphens in an account',
      {
        '0042': 'A-42',
        '29.50,Borealis,DE89370400440532013000,Inv': '29.5,Borealis Ltd,DE89-3704-0044-0532-0130-00,inv ',
      },
      [`3: it is similar to 0042, ${paid} purpose and account`],
    ],
    [
      'with another account',
      { '0041': 'X', Acme: 'ACME.', '100016': '100000' },
      [`2: it is similar to 0041, ${paid} purpose and name`],
    ],
  ];

  it.each(refusals)('%s is not paid again', async (_, changes, expected) => {
    await using mockServer = await startMockServer();
    const { pay, write } = createFile(mockServer.env, original);
    expect(await pay()).toMatchObject({ code: 0 });
    write(Object.entries(changes).reduce((text, [from, to]) => text.replace(from, to), original));
    for (const options of [
      ['--dry-run', '--json'],
      ['--yes', '--json'],
    ]) {
      const { code, stdout } = await pay(options);
      expect(code).toBe(2);
      expect(problemsOf(stdout)).toEqual(expected.map((start) => expect.stringContaining(start) as string));
    }
    expect(await listNames(mockServer)).toEqual(['Acme', 'Borealis']);
  });

  it('names the paid line and the differences, and is paid with --allow-similar', async ({ mockServer }) => {
    const { pay, write, folder } = createFile(mockServer.env, original);
    const store = ['--yes', '--store', join(folder, 'run.db')];
    await pay(store);
    write(original.replace('0041,USD,EUR,1000.00,Acme,', '41,USD,EUR,1000,Acme Ltd,'));
    const { code, stderr } = await pay(store);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '  line 2: it is similar to 0041, which was paid and is no longer in the file: amount, currencies, reference are equal; as written, reference, name differ. Restore the paid line, or pass --allow-similar to pay both.',
    );
    expect(stderr).not.toContain('Acme');
    expect(await pay([...store, '--allow-similar'])).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(['Acme', 'Acme Ltd', 'Borealis']);
  });

  it('is paid if a monthly rent has its own purpose', async ({ mockServer }) => {
    const rent = (month: string, reference: string): string =>
      rows(`${reference},USD,EUR,1000.00,Landlord,DE89370400440532013000,Rent ${month}`);
    const { pay, write } = createFile(mockServer.env, rent('1/11', 'RENT-1'));
    expect(await pay()).toMatchObject({ code: 0 });
    write(rent('11/1', 'RENT-2'));
    expect(await pay()).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(['Landlord', 'Landlord']);
  });
});

describe('a file that changes between two runs', () => {
  it('is rejected with the fields of a line that differs from its intent', async ({ mockServer }) => {
    const { pay, write } = createFile(mockServer.env, toCsv(2));
    await pay();
    write(
      toCsv(2)
        .replace('10.00,Supplier 1', '11.00,Supplier One')
        .replaceAll('2,USD,EUR,10.00', '2,USD,EUR,10'),
    );
    const { code, stderr } = await pay();
    expect(code).toBe(2);
    expect(stderr).toContain(
      'line 2: INV-1 was recorded as created with another value of amount, name. Restore the line, or give another payment a new reference.',
    );
    expect(stderr).not.toContain('line 3');
    expect(await listNames(mockServer)).toEqual(namesOf(2));
  });

  it('is rejected if it lacks an unfinished payment, until that is cancelled', async ({ mockServer }) => {
    const { pay, write, path } = createFile(mockServer.env, toCsv(2));
    mockServer.mock.sandbox.faults.inject({
      kind: 'rate_limit',
      operation: 'createPayment',
      times: 'unlimited',
    });
    const limited = await pay(['--yes', '--timeout', '50ms']);
    expect(limited.code).toBe(75);
    expect(limited.stderr).toContain('Run the same command again to continue. It pays nothing twice.');
    mockServer.mock.sandbox.faults.clear();
    write(toCsv(1));
    const { code, stderr } = await pay();
    expect(code).toBe(2);
    expect(stderr).toContain(
      `The store ${path}.payments.db has unfinished payments that are not in the file: INV-2.`,
    );
    // Another store would pay INV-1 again, if it was paid.
    expect(stderr).not.toContain('another --store');
    write(toFile('OTHER,USD,EUR,77.00,Zoe,,,,'));
    expect((await pay()).stderr).toContain('or use another --store.');
    write(toCsv(1));
    const resolve = ['--yes', '--resolve', 'INV-2=never-made', '--because', 'cancelled', '--by', 'Ada'];
    const resolved = await mockServer.run(['pay-file', path, ...resolve]);
    expect(resolved.code).toBe(0);
    expect(await pay()).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(['Supplier 1']);
  });
});

describe('the approval of a payment file', () => {
  it('needs --yes without a terminal', async ({ mockServer }) => {
    const { pay, folder } = createFile(mockServer.env, toCsv(1));
    const { code, stderr } = await pay([]);
    expect(code).toBe(2);
    expect(stderr).toContain('--yes is required to confirm. Nothing was sent.');
    expect(readdirSync(folder)).toEqual(['payments.csv']);
  });

  it('reads the answer on a terminal', async ({ mockServer }) => {
    const question = `Pay 1 payment, 10.00 USD, with a test key at ${mockServer.env.SERVICE_BASE_URL}? Type yes to continue:`;
    for (const [stdin, expected] of [
      ['y\nyes\n', 2],
      ['', 2],
      ['yes\n', 0],
      ['YES', 0],
    ] as const) {
      const { pay } = createFile(mockServer.env, toCsv(1).replaceAll('Supplier', `Answer ${expected}`));
      const { code, stderr } = await pay([], { stdin, isTTY: true });
      expect(code).toBe(expected);
      expect(stderr).toContain(question);
    }
    expect(await listNames(mockServer)).toEqual(['Answer 0 1', 'Answer 0 1']);
  });

  it('exits 2 on Ctrl+C while it checks the file', async ({ mockServer }) => {
    const signal = AbortSignal.abort();
    const { code, stderr } = await createFile(mockServer.env, toCsv(1)).pay(['--yes'], { signal });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: Interrupted\. Nothing was sent\.\n/);
    expect(mockServer.mock.sandbox.requests.list()).toEqual([]);
  });

  it('exits 2 on Ctrl+C while it requests quotes', async ({ mockServer }) => {
    const { mock, env } = mockServer;
    mock.sandbox.faults.inject({ kind: 'stalled', operation: 'createQuote' });
    const controller = new AbortController();
    const running = createFile(env, toCsv(1)).pay(['--yes'], { signal: controller.signal });
    const readQuote = (): unknown => mock.sandbox.requests.list({ operation: 'createQuote' })[0]?.response;
    await expect.poll(readQuote).toMatchObject({ status: 200 });
    controller.abort();
    const { code, stderr } = await running;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: Interrupted. Nothing was sent.\nexplain: [^\n]*\n$/);
  });

  it('says that nothing was sent if quotes or balances cannot be requested', async ({ mockServer }) => {
    const fault = { kind: 'status', status: 500, times: 'unlimited' } as const;
    mockServer.mock.sandbox.faults.inject({ ...fault, operation: 'getBalance' });
    const { code, stderr } = await createFile(mockServer.env, toCsv(1)).pay();
    expect(code).toBe(3);
    expect(stderr).toMatch(/^Nothing was sent by this run\..*\nerror: /m);
    expect(await listNames(mockServer)).toEqual([]);
  });

  it('refuses payments that the balance does not cover', async ({ mockServer }) => {
    mockServer.mock.sandbox.wallets.set({ currency: 'USD', amount: '49.99' });
    const { pay } = createFile(mockServer.env, toCsv(5));
    for (const option of ['--yes', '--dry-run']) {
      const { code, documents, stderr } = await pay([option, '--json']);
      expect(code).toBe(1);
      expect(documents.at(-1)).toMatchObject({
        error: {
          name: 'LowBalanceError',
          wallets: [{ currency: 'USD', amount: '50', balance: '49.99', isCovered: false }],
          explain: 'service-cli explain low_balance',
        },
      });
      expect(stderr).toContain('explain: service-cli explain low_balance');
    }
    const { stderr } = await pay();
    expect(stderr).toContain('50.00 USD to send, 49.99 USD available');
    expect(stderr).toContain('error: The balance does not cover the payments. Nothing was sent.');
    expect(await listNames(mockServer)).toEqual([]);
  });

  it('refuses a pair of currencies without a quote', async ({ mockServer }) => {
    const { pay } = createFile(mockServer.env, toFile('A,USD,XXX,1,Acme,,,,\nB,USD,XXX,2,Acme,,,,'));
    const { code, stderr } = await pay();
    expect(code).toBe(2);
    expect(stderr).toContain('line 3: the service rejected its quote from USD to XXX');
  });

  it('sends nothing and creates no store with --dry-run', async ({ mockServer }) => {
    const { pay, folder } = createFile(mockServer.env, toCsv(2));
    const { code, document } = await pay(['--dry-run', '--json']);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      payments: 2,
      states: { new: 2 },
      pairs: [{ from_currency: 'USD', to_currency: 'EUR', payments: 2, amount: '20' }],
      wallets: [{ currency: 'USD', amount: '20', balance: '100000', isCovered: true }],
    });
    expect(readdirSync(folder)).toEqual(['payments.csv']);
    expect(mockServer.mock.sandbox.requests.list({ operation: 'createPayment' })).toEqual([]);
  });

  it('limits the total with --max-total', async ({ mockServer }) => {
    const { pay } = createFile(mockServer.env, toCsv(5));
    const { code, stderr } = await pay(['--yes', '--max-total', 'USD=49.99']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'The payments of the file are 50.00 USD, more than --max-total. Nothing was sent.',
    );
    expect(await pay(['--yes', '--max-total', 'usd=50'])).toMatchObject({ code: 0 });
    // The total of the file, so that the same command resumes.
    expect(await pay(['--yes', '--max-total', 'USD=50'])).toMatchObject({ code: 0 });
  });

  it('needs --live, --max-total and --key-retention with a live key', async ({ mockServer }) => {
    const { env, mock } = mockServer;
    const live = { ...env, SERVICE_API_KEY: mock.account.liveKey };
    mock.sandbox.wallets.set({ currency: 'USD', amount: '100.00', mode: 'live' });
    const { pay } = createFile(live, toCsv(2));
    const given = ['--yes'];
    for (const [option, expected] of [
      [[], 'Pass --live to allow it.'],
      [['--live'], 'A live key needs --key-retention.'],
      [
        ['--key-retention', 'none'],
        'A live key needs --max-total USD=AMOUNT. The payments of the file are 20.00 USD.',
      ],
    ] as const) {
      given.push(...option);
      const { code, stderr } = await pay(given);
      expect(code).toBe(2);
      expect(stderr).toContain(expected);
    }
    expect(await pay([...given, '--max-total', 'USD=20.00'])).toMatchObject({ code: 0 });
    expect(await listNames({ env: live })).toEqual(namesOf(2));
  });
});

describe('the options of pay-file', () => {
  it('are checked before anything is sent or written', async ({ mockServer }) => {
    const { path, folder } = createFile(mockServer.env, toCsv(1));
    await expectRefusals({ command: `pay-file ${path}`, env: mockServer.env }, [
      ['--name Acme', "unknown option '--name'"],
      ['USD', 'too many arguments'],
      ['--because x', '--because needs --resolve.'],
      ['--status --dry-run', "option '--status' cannot be used with option '--dry-run'"],
      ['--key-retention forever', 'Write a duration above 0'],
      ['--max-total USD', 'Write a currency and an amount'],
      ['--report report.xlsx', 'ends in .csv'],
      ['--store postgres://host/db', '--store must be the path of a SQLite file. For a database,'],
      [
        '--yes --store redis://127.0.0.1:1/0',
        '--store must be the path of a SQLite file. For a database, use createPayer.',
      ],
      [`--yes --store ${join(folder, 'none', 'x.db')}`, 'does not exist or is not writable'],
      ['--resolve A=paid', 'Write REFERENCE=pay_… or REFERENCE=never-made.'],
      ['--resolve A=never-made', '--resolve needs --because'],
      ['--status', 'There is no store'],
      ['--resolve A=never-made --because x', 'There is no store'],
      ['--resolve A=pay_test_0198f3a2-7c1e --because x', 'There is no store'],
    ]);
    await expectRefusals({ env: mockServer.env }, [
      ['pay USD EUR 1 --name A --yes', "unknown option '--yes'"],
      ['pay-file', "missing required argument 'file'"],
      ['pay-file --yes', "missing required argument 'file'"],
    ]);
    expect(readdirSync(folder)).toEqual(['payments.csv']);
  });
});

describe('the result of pay-file', () => {
  it('sends an unknown payment again with replayed keys, and finds it otherwise', async ({ mockServer }) => {
    const { faults } = mockServer.mock.sandbox;
    faults.inject({ kind: 'reset_after_commit', operation: 'createPayment', times: 2 });
    const replayed = ['--key-retention', '24h'];
    expect(await createFile(mockServer.env, toCsv(2)).pay(['--yes'])).toMatchObject({ code: 0 });
    // Each payment is sent three times in a run.
    faults.inject({ kind: 'reset_before_commit', operation: 'createPayment', times: 6 });
    const others = toCsv(2).replaceAll('Supplier', 'Other');
    const second = createFile(mockServer.env, others);
    expect((await second.pay(['--yes', ...replayed])).code).toBe(3);
    expect((await second.pay(['--yes', ...replayed])).code).toBe(0);
    expect(await listNames(mockServer)).toEqual(['Other 1', 'Other 2', ...namesOf(2)]);
  });

  it('does not say that nothing was sent if the service is gone when it searches a payment', async ({
    mockServer,
  }) => {
    const { pay } = createFile(mockServer.env, toCsv(2));
    mockServer.mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
    const fetch = async (request: Request): Promise<Response> => {
      if (!request.url.includes('/transactions')) return globalThis.fetch(request);
      const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      throw new TypeError('fetch failed', { cause });
    };
    const { code, stdout, stderr } = await pay(['--yes', '--json'], { fetch });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: The service at http:\/\/[\w.:]+ could not be reached\.$/m);
    expect(stdout).toContain('"created":1');
    expect(stdout).not.toMatch(/nothing was sent|not_sent/i);
  });

  it('exits 1 and keeps payments planned if the API key is rejected', async ({ mockServer }) => {
    const { pay } = createFile(mockServer.env, toCsv(2));
    mockServer.mock.sandbox.faults.inject({
      kind: 'status',
      status: 401,
      operation: 'createPayment',
      times: 2,
    });
    const { code, stdout, stderr } = await pay();
    expect(code).toBe(1);
    expect(stdout).toContain('planned         2');
    expect(stderr).toContain('error: ');
    expect(await pay()).toMatchObject({ code: 0 });
  });

  it('is written as CSV without formulas and personal data', async ({ mockServer }) => {
    const rows =
      '-1,USD,EUR,1,Secret Name,DE89370400440532013000,,,Rent\n@x,USD,EUR,2,Other,,,,\n"+""1,",USD,EUR,3,Third,,,,';
    const { pay, folder } = createFile(mockServer.env, toFile(rows));
    const csv = join(folder, 'report.csv');
    const { stdout, stderr } = await pay(['--yes', '--report', csv]);
    const text = readFileSync(csv, 'utf8');
    expect(text.split('\r\n').map((row) => row.slice(0, 8))).toEqual([
      'line,ref',
      "2,'-1,cr",
      "3,'@x,cr",
      `4,"'+""1`,
      '',
    ]);
    for (const output of [text, stdout, stderr]) {
      expect(output).not.toContain('Secret');
      expect(output).not.toContain('DE89');
    }
  });

  it('keeps its exit code if the reader closes stdout, and exits 3 if the output is lost', async ({
    mockServer,
  }) => {
    mockServer.mock.sandbox.faults.inject({ kind: 'status', status: 422, operation: 'createPayment' });
    const { pay } = createFile(mockServer.env, toCsv(1));
    expect((await pay(['--yes'], { onStdout: failedWrite('EPIPE') })).code).toBe(1);
    expect((await pay(['--yes'], { onStdout: failedWrite('ENOSPC') })).code).toBe(3);
  });

  it('is in the report and has its next steps also if stdout is lost', async ({ mockServer }) => {
    mockServer.mock.sandbox.faults.inject({ kind: 'status', status: 422, operation: 'createPayment' });
    const { pay, folder } = createFile(mockServer.env, toCsv(1));
    const report = join(folder, 'report.csv');
    const options = { onStdout: failedWrite('ENOSPC') };
    const { code, stderr } = await pay(['--yes', '--report', report], options);
    expect(code).toBe(3);
    expect(stderr).toContain('Correct the line, and give it a new reference.');
    expect(readFileSync(report, 'utf8')).toContain('rejected');
  });
});

describe('the store of pay-file', () => {
  it('is private, and contains no key', async ({ mockServer }) => {
    const { pay, path } = createFile(mockServer.env, toCsv(1));
    await pay();
    expect(readFileSync(`${path}.payments.db`, 'utf8')).not.toContain(mockServer.key);
    expect(statSync(`${path}.payments.db`).mode & 0o077).toBe(0);
  });

  it('is that of the file behind a link, so that a file with two names is paid once', async ({
    mockServer,
  }) => {
    const { env } = mockServer;
    const { pay, path } = createFile(env, toCsv(2));
    const link = join(makeFolder(), 'current.csv');
    symlinkSync(path, link);
    expect(await mockServer.run(['pay-file', link, '--yes'])).toMatchObject({ code: 0 });
    expect(await pay()).toMatchObject({ code: 0 });
    expect((await mockServer.run(['pay-file', link, '--status'])).stdout).toContain('created         2');
    expect(await listNames(mockServer)).toEqual(namesOf(2));
  });

  it('stays beside a link where an earlier run has created it', async ({ mockServer }) => {
    const { env } = mockServer;
    const { pay, path } = createFile(env, toCsv(2));
    await pay();
    const link = join(makeFolder(), 'current.csv');
    renameSync(`${path}.payments.db`, `${link}.payments.db`);
    symlinkSync(path, link);
    expect(await mockServer.run(['pay-file', link, '--yes'])).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(namesOf(2));
  });

  it('of another mode, service or account is rejected before anything is sent', async ({ mockServer }) => {
    await using other = await startMockServer();
    const { pay } = createFile(mockServer.env, toCsv(1));
    await pay();
    const { code, stderr } = await pay(['--yes'], { env: other.env });
    expect(code).toBe(2);
    expect(stderr).toContain('error: The intent store belongs to another account: its --base-url is');
    expect(stderr).not.toContain('line 2');
    expect(other.mock.sandbox.requests.list()).toEqual([]);
  });

  it('that fails while payments are recorded says that nothing was sent', async ({ mockServer }) => {
    const { pay, path, write } = createFile(mockServer.env, toCsv(1));
    await pay();
    write(toCsv(2));
    const { code, stderr } = await pay(['--yes'], {
      fetch: async (request) => {
        rmSync(`${path}.payments.db`, { force: true });
        return fetch(request);
      },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('was moved, removed or replaced');
    expect(stderr).toContain('Nothing was sent by this run.');
    expect(await listNames(mockServer)).toEqual(namesOf(1));
  });

  it('is not replaced by --report, before or after the payments, or through a link', async ({
    mockServer,
  }) => {
    const { pay, folder, path } = createFile(mockServer.env, toCsv(1));
    const link = join(folder, 'current.csv');
    symlinkSync(path, link);
    const store = join(folder, 'run.db.csv');
    const options = ['--store', store, '--report'];
    for (const report of [path, store, link]) {
      const { code, stderr } = await pay(['--yes', ...options, report]);
      expect(code).toBe(2);
      expect(stderr).toContain('which it would replace. Name another file.');
    }
    expect((await mockServer.run(['pay-file', link, '--yes', '--report', path])).stderr).toContain(
      '--report is the payment file, which it would replace.',
    );
    expect(readFileSync(path, 'utf8')).toBe(toCsv(1));
    expect(existsSync(store)).toBe(false);
    expect(mockServer.mock.sandbox.requests.list()).toEqual([]);
    await pay(['--yes', '--store', store]);
    const before = [path, store].map((file) => readFileSync(file));
    for (const report of [path, store, join(folder, 'report.xlsx')])
      expect(await pay(['--status', ...options, report])).toMatchObject({ code: 2 });
    expect([path, store].map((file) => readFileSync(file))).toEqual(before);
  });

  it('is printed with its absolute path by every task, also for a relative --store', async ({
    mockServer,
  }) => {
    const { pay, folder } = createFile(mockServer.env, toCsv(1));
    const options = ['--store', 'run.db'];
    const run = { cwd: folder };
    const store = join(folder, 'run.db');
    expect((await pay(['--dry-run', ...options], run)).stdout).toContain(`Store: ${store}\n`);
    expect((await pay(['--dry-run', '--json', ...options], run)).document).toMatchObject({ store });
    expect((await pay(['--status', ...options], run)).stderr).toContain(`There is no store ${store}:`);
    expect((await pay(['--yes', ...options], run)).stderr).toContain(`Store: ${store}\n`);
    expect((await pay(['--status', ...options], run)).stderr).toContain(`Store: ${store}\n`);
  });
});

describe('pay-file --status and --resolve', () => {
  it('print and resolve an unknown payment', async ({ mockServer }) => {
    const { env, mock } = mockServer;
    mock.sandbox.faults.inject({ kind: 'reset_before_commit', operation: 'createPayment' });
    const { pay, path } = createFile(env, toCsv(2));
    const run = ['--yes', '--concurrency', '1', '--timeout', '1s', '--clock-skew', '1ms'];
    expect((await pay(run)).code).toBe(3);
    const status = await runCli(['pay-file', path, '--status']);
    expect(status.code).toBe(3);
    expect(status.stdout).toMatch(/^INV-1 +unknown/m);
    const because = ['--because', 'call 4711', '--timeout', '1ms', '--clock-skew', '1ms'];
    const resolve = (decision: string, ...options: string[]) =>
      mockServer.run(['pay-file', path, '--resolve', `INV-1=${decision}`, ...because, ...options]);
    const other = mock.sandbox.requests.list({ operation: 'createPayment' }).at(-1)?.effects.payment_id ?? '';
    const wrong = await resolve(other, '--yes');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('another amount, currency, purpose or beneficiary');
    expect((await resolve('never-made')).stderr).toContain('--yes is required');
    const early = await resolve('never-made', '--yes');
    expect(early.code).toBe(3);
    expect(early.stderr).toContain('may still be sent');
  });

  it('shows the payment in the question of --resolve, and needs a known reference', async ({
    mockServer,
  }) => {
    const { env } = mockServer;
    const { pay, path } = createFile(env, toCsv(1));
    mockServer.mock.sandbox.faults.inject({
      kind: 'rate_limit',
      operation: 'createPayment',
      times: 'unlimited',
    });
    await pay(['--yes', '--timeout', '50ms']);
    const resolve = ['pay-file', path, '--because', 'cancelled', '--by', 'Ada', '--resolve'];
    const { code, stdout, stderr } = await runCli([...resolve, 'INV-1=never-made'], {
      env,
      stdin: 'yes\n',
      isTTY: true,
    });
    expect(stderr).toContain(
      'INV-1 of 10.00 USD is planned, not sent. Record that it was never made, and is never sent again?',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/INV-1 +abandoned/);
    const unknown = await mockServer.run([...resolve, 'INV-9=never-made', '--yes']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('The store has no payment INV-9');
  });
});

describe('the guide of pay-file', () => {
  const page = readFileSync(new URL('../docs/payment-runs.md', import.meta.url), 'utf8');

  it('has a file that can be paid', async ({ mockServer }) => {
    const [, csv = ''] = /^```csv\n(.*?)^```/ms.exec(page) ?? [];
    expect(await createFile(mockServer.env, csv).pay()).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(['Acme Supplies Ltd', 'Müller, Söhne']);
  });

  it('has valid commands', async () => {
    const commands = [...page.matchAll(/^service-cli (pay-file .*?)(?: +#.*)?$/gm)].map(([, line = '']) =>
      [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, plain = '']) => quoted ?? plain.replace('…', 'x'),
      ),
    );
    expect(commands.length).toBeGreaterThan(3);
    const env = {
      SERVICE_API_KEY: keepSecret('service_live_0123456789abcdefghij'),
      SERVICE_BASE_URL: 'https://service.example/api/v1',
    };
    // In an empty folder each valid command ends at its missing file.
    const end = /no such file|There is no store|Pass --live/;
    await expectRefusals(
      { env, cwd: makeFolder() },
      commands.map((words) => [words, end]),
    );
  });
});
