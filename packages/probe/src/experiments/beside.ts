import type { BesideTemplates, ObjectTemplate } from '@service/internal';
import { type Experiment, type ProbeContext, requestQuote } from '../context.ts';
import { type Finding, found } from '../finding.ts';
import type { RawResponse } from '../raw-client.ts';
import type { KnownValues } from '../templates/known.ts';
import { addUnexplained, learnTemplate } from '../templates/learn.ts';
import type { Sample } from '../templates/sample.ts';
import { paymentCases } from '../templates/states.ts';
import { formsOf, listBeside, readResponse, responseKey } from '../templates/values.ts';
import { listPayments } from './payment-shapes.ts';

/** The experiment about the fields beside `data` of single operations. It runs after those that learn the fields of all. */
export const beside: readonly Experiment[] = [{ settings: ['beside'], run: probeBeside }];

async function probeBeside(context: ProbeContext): Promise<Finding[]> {
  const { send, plan, envelope } = context;
  const { creates, reads } = listPayments(context);
  const factors = [1, 3];
  const samples: { readonly [Name in keyof BesideTemplates]-?: Sample[] } = {
    createQuote: [],
    createPayment: creates.map(({ response, known }) => toSample(response, known)),
    getPayment: reads.map(({ response, known }) => toSample(response, known)),
    getBalance: [],
  };
  for (const factor of factors) {
    const quote = await requestQuote(context, { amount: Number(plan.amount) * factor });
    if (quote.accepted) samples.createQuote.push(toSample(quote));
    const balance = await send('/balance');
    if (balance.accepted) samples.getBalance.push(toSample(balance));
  }
  const learned = Object.entries(samples).map(
    ([name, responses]) => [name, learnBeside(responses, envelope)] as const,
  );
  const value = Object.fromEntries(
    learned.flatMap(([name, { template }]) => (Object.keys(template).length > 0 ? [[name, template]] : [])),
  );
  const shown = Object.entries(value).map(
    ([name, template]) => `${name}: ${Object.keys(template).join(', ')}`,
  );
  const unexplained = learned.flatMap(([, one]) => one.unexplained);
  return [found('beside', value, addUnexplained(shown.join('; ') || 'no other fields', unexplained))];
}

function toSample(response: RawResponse, known: KnownValues = {}): Sample {
  return { json: listBeside(response.body), known: { ...known, ...readResponse(response) } };
}

/** Learns the fields of the responses of an operation that are not those of all responses. */
function learnBeside(
  samples: readonly Sample[],
  envelope: ProbeContext['envelope'],
): { readonly template: ObjectTemplate; readonly unexplained: readonly string[] } {
  if (samples.length === 0) return { template: {}, unexplained: [] };
  const { template, unexplained } = learnTemplate(samples, {
    ...formsOf({}),
    key: responseKey,
    cases: paymentCases,
  });
  const own = Object.entries(template as ObjectTemplate).filter(
    ([name, field]) => JSON.stringify(field) !== JSON.stringify(envelope[name]),
  );
  const names = new Set(own.map(([name]) => name));
  return { template: Object.fromEntries(own), unexplained: unexplained.filter((name) => names.has(name)) };
}
