import {
  errorNames,
  findTemplateProblems,
  headerNames,
  isRecord,
  pageNames,
  type Template,
  type TemplateNames,
  templatePlaces,
  toRecord,
} from '@service/internal';
import type { Finding } from '../finding.ts';

/** Returns the finding, or `unknown` if the mock would reject its value. */
export function rejectInvalid(finding: Finding): Finding {
  if (!('value' in finding)) return finding;
  const { setting, value, evidence } = finding;
  const [problem] = listTemplates(setting, value).flatMap(([template, names]) =>
    template === undefined ? [] : findTemplateProblems(template as Template, names, setting),
  );
  return problem === undefined
    ? finding
    : {
        setting,
        state: 'unknown',
        evidence: `learned a template that a profile cannot have, ${problem}; ${evidence}`,
      };
}

type Placed = readonly [template: unknown, names: TemplateNames];

function listRefusal(refusal: unknown): Placed[] {
  return [
    [toRecord(refusal).body, templatePlaces.refusal],
    [toRecord(refusal).headers, { names: errorNames }],
  ];
}

/** Returns the templates of a setting with the values that they may use. */
function listTemplates(
  setting: string,
  value: unknown,
): (readonly [template: unknown, names: TemplateNames])[] {
  const parts = Object.entries(toRecord(value));
  if (setting === 'transactionShape' && Array.isArray(value))
    return value.map((each) => [toRecord(each).row, templatePlaces.row]);
  if (setting === 'headers') return parts.map(([name, each]) => [each, { names: headerNames[name] ?? [] }]);
  if (setting === 'beside') return parts.map(([, each]) => [each, templatePlaces.beside]);
  if (setting === 'issues') return parts.map(([, each]) => [each, templatePlaces.issue]);
  if (setting === 'refusals') return parts.flatMap(([, refusal]) => listRefusal(refusal));
  if (setting === 'errorShape') return listRefusal(value);
  if (setting === 'pagination') {
    const { data, beside, headers } = toRecord(value);
    return [
      [data, templatePlaces.page],
      [beside, templatePlaces.page],
      [headers, { names: pageNames }],
    ];
  }
  const places: Readonly<Record<string, TemplateNames>> = templatePlaces;
  const names = places[setting];
  return isRecord(value) && names !== undefined ? [[value, names]] : [];
}
