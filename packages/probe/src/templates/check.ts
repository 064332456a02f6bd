import {
  errorNames,
  eventHeaderNames,
  findTemplateProblems,
  headerNames,
  isRecord,
  pageNames,
  type Template,
  type TemplateNames,
  templatePlaces,
  toRecord,
} from '@service/internal';
import { type Finding, type MeasuredProfile, unknown } from '../finding.ts';

/** Returns the finding, or `unknown` if the mock would reject its value. */
export function rejectInvalid(finding: Finding): Finding {
  if (!('value' in finding)) return finding;
  const [problem] = findInvalidTemplates({ [finding.setting]: finding.value });
  return problem === undefined
    ? finding
    : unknown(
        finding.setting,
        `learned a template that a profile cannot have, ${problem}; ${finding.evidence}`,
      );
}

/** Returns the problems of the templates of a profile that use a value which their place does not have. */
function findInvalidTemplates(profile: MeasuredProfile): string[] {
  return listTemplates(profile).flatMap(({ template, content, path }) =>
    findTemplateProblems(template, content, path),
  );
}

/** A template of a profile, and the values that it may use. */
interface PlacedTemplate {
  readonly template: Template;
  readonly content: TemplateNames;
  readonly path: string;
}

function listTemplates(profile: MeasuredProfile): PlacedTemplate[] {
  const { transactionShape, pagination, errorShape, issues = {}, eventHeaders = {} } = profile;
  const rows = Array.isArray(transactionShape) ? transactionShape : [];
  const { data, beside, headers: pageHeaders } = toRecord(pagination);
  const { envelope, beside: ofOperations, quoteShape, paymentShape, balanceShape, eventShape } = profile;
  const shapes = { envelope, quoteShape, paymentShape, balanceShape, eventShape };
  return [
    ...Object.entries(shapes).flatMap(([name, shape]) =>
      isRecord(shape) ? place(shape, templatePlaces[name as keyof typeof shapes], name) : [],
    ),
    ...Object.entries(ofOperations ?? {}).flatMap(([name, shape]) =>
      place(shape, templatePlaces.beside, `beside.${name}`),
    ),
    ...rows.flatMap(({ row }, index) => place(row, templatePlaces.row, `transactionShape[${index}].row`)),
    ...place(data, templatePlaces.page, 'pagination.data'),
    ...place(beside, templatePlaces.page, 'pagination.beside'),
    ...place(pageHeaders, { names: pageNames }, 'pagination.headers'),
    ...placeRefusal(errorShape, 'errorShape'),
    ...Object.entries(profile.refusals ?? {}).flatMap(([name, refusal]) =>
      placeRefusal(refusal, `refusals.${name}`),
    ),
    ...place(issues, templatePlaces.issue, 'issues'),
    ...place(eventHeaders, { names: eventHeaderNames }, 'eventHeaders'),
    ...Object.entries(profile.headers ?? {}).flatMap(([operation, headers]) =>
      place(headers, { names: headerNames[operation] ?? [] }, `headers.${operation}`),
    ),
  ];
}

function placeRefusal(refusal: unknown, path: string): PlacedTemplate[] {
  const { body, headers } = toRecord(refusal);
  return [
    ...place(body, templatePlaces.refusal, `${path}.body`),
    ...place(headers, { names: errorNames }, `${path}.headers`),
  ];
}

function place(template: unknown, content: TemplateNames, path: string): PlacedTemplate[] {
  return template === undefined ? [] : [{ template: template as Template, content, path }];
}
