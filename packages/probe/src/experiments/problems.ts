import type { IssueKind, Template } from '@service/internal';
import { type IssueSample, learnIssues, learnProblemBody } from '../templates/issues.ts';
import type { Path, PlacedFields } from '../templates/places.ts';
import { groupProblems } from '../templates/problem-classes.ts';
import { type Refused, toSample } from '../templates/refusal.ts';
import type { RefusedField } from './issues.ts';

/** The responses to requests with one problem. */
export interface LearnedProblems {
  /** The place of the details of fields. */
  readonly path: Path | undefined;
  readonly issues: Readonly<Partial<Record<IssueKind, readonly Template[]>>>;
  /** The responses with the same status and codes, the largest group first. */
  readonly groups: readonly ProblemGroup[];
}

/** Responses with the same status and codes. */
interface ProblemGroup {
  readonly kinds: readonly IssueKind[];
  readonly samples: readonly IssueSample[];
  readonly refused: Refused;
  readonly body: ReturnType<typeof learnProblemBody>;
}

/** Learns the details and the bodies of responses to invalid requests. */
export function learnProblems(
  fields: readonly RefusedField[],
  several: PlacedFields | undefined,
): LearnedProblems {
  const all = fields.map((field) => ({ ...toIssueSample(field), response: field.response }));
  const learned = learnIssues(all, several);
  const groups = groupProblems(all, learned?.path).map((group): ProblemGroup => {
    const own = all.filter((each) => group.includes(each));
    return {
      kinds: [...new Set(group.map(({ kind }) => kind))],
      samples: own,
      refused: {
        responses: own.map(({ response }) => response),
        samples: own.map(({ sample }) => sample),
      },
      body: learnProblemBody(group, learned),
    };
  });
  return { path: learned?.path, issues: learned?.issues ?? {}, groups };
}

/** Returns the response to an invalid request with the values that it can show. */
function toIssueSample({ kind, field, value, body, response }: RefusedField): IssueSample {
  return { kind, field, value, request: body, sample: toSample(response, field === '' ? [] : [field]) };
}
