import { describe, expect, it } from 'vitest';
import { errorTypes, operations, paymentStatuses, webhookEventNames } from '@service/contract';
import document from '@service/contract/openapi.json' with { type: 'json' };
import * as schemas from '@service/contract/schemas';

interface Node {
  readonly [field: string]: unknown;
}

/** The profile settings (docs/contract.md#profile-settings). */
const settings =
  'absent ack amounts bothKeys currencies debitAt events fees headers idempotency listQuery minorUnits numbers pagination paths rates refund refusals requestBody retrySchedule rounding rows statuses successStatus texts timestamps wallets'.split(
    ' ',
  );

function* walk(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield node as Node;
  for (const part of Object.values(node)) yield* walk(part);
}

describe('openapi.yaml', () => {
  const errors = Object.values(document.components.responses).filter(
    ({ content }) => content['application/json'].schema.$ref === '#/components/schemas/ErrorEnvelope',
  ) as { content: { 'application/json': { example: { error: { type: string } } } } }[];

  it('marks every profile setting with x-unspecified', () => {
    const marked = [...walk(document)].flatMap((node) => (node['x-unspecified'] ?? []) as string | string[]);
    expect([...new Set(marked)].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(settings);
  });

  it('documents a response for every error type', () => {
    const examples = errors.map(({ content }) => content['application/json'].example.error.type);
    const described = JSON.stringify(document.components.responses);
    for (const type of errorTypes)
      expect([...examples, described.includes(`\`${type}\``) ? type : '']).toContain(type);
  });

  it('has a description and an example for every field', () => {
    const incomplete = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries((schema as { properties?: Record<string, Node> }).properties ?? {})
        .filter(([, field]) => !('description' in field) || !('example' in field || '$ref' in field))
        .map(([field]) => `${name}.${field}`),
    );
    expect(incomplete).toEqual([]);
  });

  it('documents the common headers for every error except those of a gateway', () => {
    const withoutHeaders = Object.entries(document.components.responses)
      .filter(([, response]) => {
        const headers = 'headers' in response ? Object.keys(response.headers) : [];
        return ['X-Request-Id', 'Cache-Control'].some((name) => !headers.includes(name));
      })
      .map(([name]) => name);
    expect(withoutHeaders).toEqual(['OtherError']);
  });
});

describe('operations', () => {
  it('have the method, path and success status of all five operations', () => {
    expect(
      Object.entries(operations).map(([id, { method, path, successStatus }]) => [
        id,
        method,
        path,
        successStatus,
      ]),
    ).toEqual([
      ['createQuote', 'POST', '/quotes', 200],
      ['createPayment', 'POST', '/payments', 201],
      ['getPayment', 'GET', '/payments/{payment_id}', 200],
      ['getBalance', 'GET', '/balance', 200],
      ['listTransactions', 'GET', '/transactions', 200],
    ]);
  });
});

describe('webhookEventNames', () => {
  it('has an event for every payment status', () => {
    expect(webhookEventNames).toEqual(paymentStatuses.map((status) => `payment.${status}`));
  });
});

describe('schemas', () => {
  const named = Object.entries(schemas).filter(([name]) => name in document.components.schemas);

  it('exist for every schema of openapi.yaml', () => {
    expect(named.map(([name]) => name).toSorted()).toEqual(
      Object.keys(document.components.schemas).toSorted(),
    );
  });

  const examples = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    'example' in schema ? [[name, schema.example] as const] : [],
  );

  it.each(examples)('accept the example of %s', (name, example) => {
    expect(new Map(named).get(name)?.safeParse(example)).toMatchObject({ success: true });
  });

  it.each([
    ['an empty name', { beneficiary_name: '' }],
    ['a blank name', { beneficiary_name: '  ' }],
    ['a control character', { beneficiary_name: 'a\u0007' }],
    ['an amount as text', { amount: '10' }],
    ['an amount of 0', { amount: 0 }],
    ['an infinite amount', { amount: Number.POSITIVE_INFINITY }],
    ['a currency in lower case', { from_currency: 'usd' }],
  ])('reject a payment with %s', (_, fields) => {
    const valid = {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: 1,
      beneficiary_name: ` ${'😀'.repeat(255)} `,
    };
    expect(schemas.PaymentRequest.safeParse(valid).success).toBe(true);
    expect(schemas.PaymentRequest.safeParse({ ...valid, ...fields }).success).toBe(false);
  });
});
