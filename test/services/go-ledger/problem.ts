/** Name of a `google.rpc.Code`. */
export type RpcCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'FAILED_PRECONDITION'
  | 'RESOURCE_EXHAUSTED'
  | 'UNAUTHENTICATED'
  | 'UNAVAILABLE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL';

export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

interface ProblemOptions {
  readonly httpStatus: number;
  readonly type: string;
  readonly code: RpcCode;
  readonly message: string;
  readonly details?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Error of a request. Its body is the documented error with the code and details of AIP-193. */
export class Problem extends Error {
  readonly httpStatus: number;
  readonly type: string;
  readonly code: RpcCode;
  readonly details: readonly object[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(options: ProblemOptions) {
    super(options.message);
    this.httpStatus = options.httpStatus;
    this.type = options.type;
    this.code = options.code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  toBody(requestId: string): object {
    return {
      type: this.type,
      message: this.message,
      code: this.code,
      request_id: requestId,
      details: this.details,
    };
  }
}

/** Reports all violations in the details and the first one in the message. */
export function validationProblem(request: string, violations: readonly FieldViolation[]): Problem {
  const [first] = violations;
  return new Problem({
    httpStatus: 422,
    type: 'validation_error',
    code: 'INVALID_ARGUMENT',
    message: `invalid ${request}.${first?.field ?? ''}: ${first?.description ?? ''}`,
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', field_violations: violations }],
  });
}

/** Details of an error that a program can act on. All values of the metadata are strings. */
export function errorInfo(reason: string, metadata: Readonly<Record<string, string>>): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'payments.goledger.example',
    metadata,
  };
}
