import type { Command } from 'commander';
import type { Environment } from './environment.ts';
import type { ExitCode } from './exit-code.ts';
import type { Output } from './output.ts';

/** The options of every command. */
export interface GlobalOptions {
  readonly keyFile?: string;
  readonly key?: string;
  readonly baseUrl?: string;
  readonly allowInsecureHttp?: true;
}

/** The context of a command. */
export interface Session {
  readonly environment: Environment;
  readonly output: Output;
  /** Returns the options of every command. Valid once the arguments are parsed. */
  readonly globals: () => GlobalOptions;
}

/** The parsed arguments and options of a command. */
export interface Input<Args extends readonly unknown[], Options = object> {
  readonly args: Args;
  readonly options: Options;
}

/** The implementation of a command. Returns its exit code. */
export type Handler<Args extends readonly unknown[], Options> = (
  session: Session,
  input: Input<Args, Options>,
) => Promise<ExitCode>;

/** Creates the commander action of a handler. */
export type CreateAction = <Args extends readonly unknown[], Options>(
  handler: Handler<Args, Options>,
) => (this: Command) => Promise<void>;
