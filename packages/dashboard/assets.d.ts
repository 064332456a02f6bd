/** A file of the dashboard. */
export interface DashboardFile {
  /** Its media type. */
  readonly type: string;
  readonly body: string;
}

/** The files of the dashboard by name. */
export declare const files: Readonly<Partial<Record<string, DashboardFile>>>;
