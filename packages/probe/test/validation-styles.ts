// The responses of some frameworks and APIs to invalid requests.

/** A problem of a request. */
export interface InvalidField {
  readonly field: string;
  readonly reason: 'missing' | 'type' | 'range' | 'currency' | 'page';
  readonly value: unknown;
}

interface Context {
  readonly problems: readonly [InvalidField, ...InvalidField[]];
  /** The body, or the query. */
  readonly request: unknown;
  readonly path: string;
}

/** The status and the body of a response to an invalid request. */
export interface StyledRefusal {
  readonly status: number;
  readonly body: unknown;
}

/** A style: which problems its responses have, and in which form. */
export interface ValidationStyle {
  readonly title: string;
  readonly write: (context: Context) => StyledRefusal;
  /** Chooses and orders the problems of a response. */
  readonly select?: (problems: readonly InvalidField[]) => readonly InvalidField[];
}

const sentences: Readonly<Record<InvalidField['reason'], string>> = {
  missing: 'is required and must be given',
  type: 'must be of another type',
  range: 'is not within the limits',
  currency: 'is not a supported currency',
  page: 'must be a page of the list',
};
const human = (field: string): string =>
  field.replaceAll('_', ' ').replace(/^\w/, (one) => one.toUpperCase());
const isQuery = ({ reason }: InvalidField): boolean => reason === 'page';
const message = 'The request is not valid.';

/** The styles of well-known frameworks and APIs. */
export const validationStyles: readonly ValidationStyle[] = [
  {
    title: 'FastAPI: a list with the place and the input, which is the whole body for an absent field',
    write: ({ problems, request }) => ({
      status: 422,
      body: {
        detail: problems.map((each) => ({
          type: each.reason === 'missing' ? 'missing' : `${each.reason}_error`,
          loc: [isQuery(each) ? 'query' : 'body', each.field],
          msg: sentences[each.reason],
          input: each.reason === 'missing' ? request : each.value,
        })),
      },
    }),
  },
  {
    title: 'RFC 9457: problem details with the invalid parameters',
    write: ({ problems, path }) => ({
      status: 422,
      body: {
        type: 'https://errors.test/invalid-params',
        title: message,
        status: 422,
        instance: `/api/v1${path.split('?')[0]}`,
        'invalid-params': problems.map(({ field, reason }) => ({ name: field, reason: sentences[reason] })),
      },
    }),
  },
  {
    title: 'JSON:API: pointers into the body, and the name of a parameter',
    write: ({ problems }) => ({
      status: 422,
      body: {
        errors: problems.map((each) => ({
          status: '422',
          code: each.reason,
          title: message,
          source: isQuery(each) ? { parameter: each.field } : { pointer: `/${each.field}` },
        })),
      },
    }),
  },
  {
    title: 'Stripe: the code and the parameter of the first problem only',
    select: (problems) => problems.slice(0, 1),
    write: ({ problems: [{ field, reason }] }) => ({
      status: 400,
      body: {
        error: {
          type: 'invalid_request_error',
          code: reason === 'missing' ? 'parameter_missing' : `parameter_invalid_${reason}`,
          message,
          param: field,
        },
      },
    }),
  },
  {
    title: 'Google APIs: the violations of fields in one detail',
    write: ({ problems }) => ({
      status: 400,
      body: {
        error: {
          status: 'INVALID_ARGUMENT',
          message,
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              field_violations: problems.map(({ field, reason }) => ({
                field,
                description: sentences[reason],
              })),
            },
          ],
        },
      },
    }),
  },
  {
    title: 'Rails: full messages with the names of fields in words',
    write: ({ problems }) => ({
      status: 422,
      body: { errors: problems.map(({ field, reason }) => `${human(field)} ${sentences[reason]}`) },
    }),
  },
];

const currencies = ['EUR', 'GBP', 'JPY', 'USD'];

/** Validates a body or a query. */
export function validateRequest(path: string, body: Readonly<Record<string, unknown>>): InvalidField[] {
  if (path.startsWith('/transactions')) {
    const query = Object.fromEntries(new URLSearchParams(path.split('?')[1]));
    const { per_page: value } = query;
    const isValid = value === undefined || (/^\d+$/.test(value) && Number(value) > 0 && Number(value) <= 100);
    return isValid ? [] : [{ field: 'per_page', reason: 'page', value }];
  }
  if (path !== '/quotes' && path !== '/payments') return [];
  const fields = [
    'from_currency',
    'to_currency',
    'amount',
    ...(path === '/payments' ? ['beneficiary_name'] : []),
  ];
  return fields.flatMap((field): InvalidField[] => {
    const { [field]: value } = body;
    const reason = findReason(field, value);
    return reason === undefined ? [] : [{ field, reason, value }];
  });
}

function findReason(field: string, value: unknown): InvalidField['reason'] | undefined {
  if (value === undefined) return 'missing';
  if (typeof value !== (field === 'amount' ? 'number' : 'string')) return 'type';
  if (field === 'amount') return Number(value) > 0 && Number(value) < 1e12 ? undefined : 'range';
  if (field === 'beneficiary_name') return value === '' ? 'range' : undefined;
  return currencies.some((each) => each === value) ? undefined : 'currency';
}
