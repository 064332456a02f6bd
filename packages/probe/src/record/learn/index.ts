import { type Finding, shorten } from '../../finding.ts';
import { rejectInvalid } from '../../templates/check.ts';
import type { Exchange } from '../exchange.ts';
import { learnHistory } from './history.ts';
import { learnRefusals } from './refusals.ts';
import { learnResponses } from './responses.ts';
import { learnStatuses, listStatuses } from './statuses.ts';
import { readTraffic } from './traffic.ts';
import { learnWebhooks } from './webhooks.ts';

/**
 * Learns the profile settings that recorded exchanges show. Has no finding for a setting that they do not decide.
 */
export function learnProfile(exchanges: readonly Exchange[]): Finding[] {
  const traffic = readTraffic(exchanges);
  const statuses = listStatuses(traffic);
  const findings = [
    ...learnResponses(traffic),
    ...learnStatuses(traffic, statuses),
    ...learnRefusals(traffic),
    ...learnHistory(traffic, statuses),
    ...learnWebhooks(traffic, statuses),
  ];
  const valid = findings.map(rejectInvalid);
  return valid.filter(({ state }) => state !== 'unknown').map(shorten);
}
