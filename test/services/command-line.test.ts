import { describe, expect, it } from 'vitest';
import { runCli } from '../../packages/cli/test/support.ts';
import { CREATE, openService, order, waitUntilVisible, styles } from './support.ts';

const pay = ['pay', 'USD', 'EUR', '100.00', '--name', order.beneficiary_name, '--purpose', 'INV-42'];

describe.each(styles)('service-cli against a Fastify service with lists in %s style', (listStyle) => {
  it('passes smoke with 2 s of read lag, and reports the lag', async () => {
    const { env, service } = await openService({ listStyle, readLag: 2000 });
    const { code, stdout } = await runCli(['smoke'], { env });
    expect(stdout).toMatch(/lag/i);
    expect(stdout.split('\n').at(-2)).toMatch(/^ok: \d+ steps, 0 failed/);
    expect(code).toBe(0);
    expect(service.ledger.payments).toHaveLength(1);
  });

  it('lists transactions as a table and as JSON', async () => {
    const { env, service, client } = await openService({ listStyle });
    const { id } = await client.payments.create(order);
    await waitUntilVisible(service);
    const table = await runCli(['transactions'], { env });
    expect(table.code).toBe(0);
    expect(table.lines.filter((line) => line.includes(id))).toHaveLength(2);
    const { code, documents } = await runCli(['transactions', '--all', '--json'], { env });
    expect(code).toBe(0);
    expect(documents.map((row) => row.payment_id ?? null)).toEqual([id, id, null]);
    expect(documents.every((row) => typeof row.id === 'string')).toBe(true);
  });

  it('pays and waits', async () => {
    const { env, service } = await openService({ listStyle });
    const { code, documents } = await runCli([...pay, '--wait', '--json'], { env });
    expect(code).toBe(0);
    const [row] = service.ledger.payments;
    expect(documents.at(-1)).toMatchObject({ id: row?.id, status: 'completed' });
  });

  it('pays and waits for a payment that fails', async () => {
    const { env } = await openService({ listStyle });
    const { code, documents } = await runCli([...pay, '--account', 'GB0000', '--wait', '--json'], { env });
    expect(code).toBe(1);
    expect(documents.at(-1)).toMatchObject({ status: 'failed' });
  });

  it('finds a payment whose response was lost, by the document that pay printed', async () => {
    const { env, service } = await openService({ listStyle });
    service.faults.inject(CREATE, 'drop_after_commit');
    const lost = await runCli([...pay, '--json'], { env });
    expect(lost.code).toBe(3);
    await waitUntilVisible(service);
    const reconcile = ['payment', 'reconcile', '--error', '-', '--name', order.beneficiary_name, '--json'];
    const { code, document } = await runCli(reconcile, { env, stdin: lost.stdout });
    const [row] = service.ledger.payments;
    expect(document).toMatchObject({ result: 'found', payment: { id: row?.id } });
    expect(code).toBe(0);
  });

  it('reports a lost payment as ambiguous without the beneficiary', async () => {
    const { env, service } = await openService({ listStyle });
    service.faults.inject(CREATE, 'drop_after_commit');
    const lost = await runCli([...pay, '--json'], { env });
    await waitUntilVisible(service);
    const ambiguous = await runCli(['payment', 'reconcile', '--error', '-', '--json'], {
      env,
      stdin: lost.stdout,
    });
    expect(ambiguous.stdout).toContain(service.ledger.payments[0]?.id);
    expect(ambiguous.document).toMatchObject({ result: 'ambiguous' });
    expect(ambiguous.code).toBe(3);
  });

  it('does not find a payment that was not committed', async () => {
    const { env, service } = await openService({ listStyle });
    service.faults.inject(CREATE, 'drop_before_commit');
    const lost = await runCli([...pay, '--json'], { env });
    await waitUntilVisible(service);
    const result = await runCli(['payment', 'reconcile', '--error', '-'], { env, stdin: lost.stdout });
    expect(result.code).toBe(3);
    expect(result.stdout).toContain('THE PAYMENT MAY');
    expect(result.stdout).not.toContain('THE PAYMENT EXISTS');
  });

  it('prints the fields that the service rejected', async () => {
    const { env } = await openService({ listStyle });
    const { code, stderr } = await runCli(['quote', 'USD', 'XXX', '5'], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('to_currency');
  });
});
