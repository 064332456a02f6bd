import { scenarios } from '../scenarios/all.ts';
import { type ScenarioResult, runScenario } from '../scenarios/run.ts';
import { origins } from '../scenarios/transport.ts';
import { formatTranscript } from '../scenarios/transcript.ts';
import { injected, type Receive, type WebhookEndpoint } from '../transports.ts';
import { assertMatch, type Case } from './case.ts';

const listen = async (receive: Receive): Promise<WebhookEndpoint> => ({
  url: 'http://localhost/hooks',
  options: { fetch: receive },
  close: async () => {},
});

const titleOf = (name: string): string => `## ${name}\n`;

/** Returns the part of the golden file about a scenario. */
function findSection(golden: string, name: string): string {
  const start = golden.indexOf(titleOf(name));
  const end = golden.indexOf('\n\n\n## ', start);
  return start < 0 ? '' : `${golden.slice(start, end < 0 ? undefined : end).trimEnd()}\n`;
}

/** The scenarios of the golden file. A page cannot set Origin: the browser sets or removes it. */
const everywhere = scenarios.filter((scenario) => !origins.includes(scenario));

/** The responses of a mock without a network, equal in every runtime. */
export const answers: readonly Case[] = everywhere.map((scenario) => ({
  name: `the answers of a mock: ${scenario.name}`,
  async run({ golden }) {
    const { name } = scenario;
    const result: ScenarioResult = await runScenario(scenario, { listen, connect: injected }, () => []);
    assertMatch(result.problems, []);
    const expected = findSection(golden, name).split('\n');
    assertMatch((await formatTranscript([{ name, result }])).split('\n'), expected, 'the transcript');
  },
}));
