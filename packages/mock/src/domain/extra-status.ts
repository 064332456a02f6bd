import type { ExtraStatus } from '@service/internal';
import { type BehaviorContext, matchesCondition } from './outcome.ts';
import type { Status } from './status.ts';

const invented: ExtraStatus = { status: 'under_review', after: 'processing' };

/** Returns the statuses of a payment that the document does not have, in order. */
export function extraStatusesOf(payment: BehaviorContext): readonly ExtraStatus[] {
  const { extraStatuses, unknownStatus } = payment.terms;
  const all = unknownStatus === 'invented' ? [...extraStatuses, invented] : extraStatuses;
  return all.filter((extra) => matchesCondition(payment, extra));
}

/** Returns the documented status of a payment: that before an extra status. */
export function stageOf(payment: BehaviorContext, status: Status): Status {
  return extraStatusesOf(payment).find((extra) => extra.status === status)?.after ?? status;
}

/** Returns the extra status that follows a status before the next documented one. */
export function nextExtraStatus(payment: BehaviorContext, status: Status): ExtraStatus | undefined {
  const stage = stageOf(payment, status);
  const place = extraStatusesOf(payment).filter(({ after }) => after === stage);
  return place[place.findIndex((extra) => extra.status === status) + 1];
}
