declare module 'virtual:profile-settings' {
  const settings: readonly {
    readonly name: string;
    /** The field of the setting that has the values. */
    readonly field?: string;
    readonly values: readonly string[];
    readonly meaning: string;
  }[];
  export default settings;
}

/** The operations of the payments API, from its OpenAPI document. */
declare module 'virtual:operations' {
  interface Parameter {
    readonly name: string;
    readonly description: string;
  }
  export interface ApiOperation {
    readonly operationId: string;
    readonly method: string;
    readonly path: string;
    readonly summary: string;
    readonly description: string;
    readonly parameters: readonly Parameter[];
    /** Examples as JSON. Absent without a body. */
    readonly body?: string;
    readonly response: string;
    /** The descriptions of the responses by status. */
    readonly responses: Readonly<Record<string, string>>;
  }
  const operations: readonly ApiOperation[];
  export default operations;
}
