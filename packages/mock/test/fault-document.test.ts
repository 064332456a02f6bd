import { createMock, SandboxError } from '@service/mock';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import document from '../sandbox.openapi.json' with { type: 'json' };

const { schema } = document.paths['/faults'].post.requestBody.content['application/json'];
const ajv = new Ajv2020({ strict: false }).addSchema(document, 'document');
const isDocumented = ajv.compile({
  $ref: 'document#/paths/~1faults/post/requestBody/content/application~1json/schema',
});

/** A value of each option. */
const samples: Readonly<Record<string, unknown>> = {
  operation: 'createPayment',
  mode: 'test',
  times: 2,
  after: 1,
  probability: 0.5,
  event: 'payment.completed',
  ms: 5,
  commit: true,
  status: 503,
  type: 'server_error',
  retryAfter: 1,
  contentLength: 'half',
  by: '2s',
};

const { faults: injected } = createMock().sandbox;

function isAccepted(fault: object): boolean {
  try {
    injected.inject(fault as never).remove();
    return true;
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return false;
  }
}

describe('the document of the control API', () => {
  it.each(schema.properties.kind.enum)('allows the options of the fault %s that the mock accepts', (kind) => {
    const names = Object.keys(samples);
    const targets = [{}, { target: 'request' }, { target: 'delivery' }];
    const faults = targets.flatMap((target) =>
      [
        [],
        ...names.map((name) => [name]),
        ...names.flatMap((name) => [
          ['ms', name],
          ['status', name],
          ['by', name],
        ]),
      ].map((given) => ({
        kind,
        ...target,
        ...Object.fromEntries(given.map((name) => [name, samples[name]])),
      })),
    );
    const accepted = faults.filter(isAccepted);
    expect(accepted.length).toBeGreaterThan(0);
    expect(faults.filter((fault) => isDocumented(fault))).toEqual(accepted);
  });
});
