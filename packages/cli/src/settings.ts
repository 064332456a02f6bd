import { findProjectFile, findUserFile, readProfiles, readProject } from './config-files.ts';
import type { SettingName, SettingValues } from './config-files.ts';
import { UsageError } from './errors.ts';
import { docs } from './generated/docs.ts';
import type { Session } from './session.ts';

/** The environment variables of the settings. */
const variables: Readonly<Record<SettingName, string>> = {
  baseUrl: 'SERVICE_BASE_URL',
  apiKey: 'SERVICE_API_KEY',
  webhookSecret: 'SERVICE_WEBHOOK_SECRET',
  sandboxToken: 'SERVICE_SANDBOX_TOKEN',
};

/** A setting from the environment or a file. */
export interface Setting {
  readonly value: string;
  /** The name of the environment variable or file, for messages. */
  readonly source: string;
  /** Whether it comes from the file of a project, which others can change. */
  readonly isShared: boolean;
}

interface Source {
  readonly name: string;
  readonly values: () => SettingValues;
  readonly isShared?: true;
}

/** The profile that applies without another name. */
const DEFAULT_PROFILE = 'default';

/**
 * Returns a setting from its first source. Undefined without one. Options of single settings are not included.
 *
 * @throws {UsageError} when a file is invalid, or the selected profile does not exist.
 */
export function findSetting(session: Session, name: SettingName): Setting | undefined {
  for (const { name: source, values, isShared = false } of listSources(session, name)) {
    const value = values()[name];
    if (value) return { value, source, isShared };
  }
  return undefined;
}

/** Returns the sources of a setting: a profile counts where it was selected. Files are read only when they are needed. */
function listSources(session: Session, name: SettingName): Source[] {
  const { environment } = session;
  const { configProfile: given } = session.globals();
  const selected = environment.env.SERVICE_CONFIG_PROFILE || undefined;
  const profile = (wanted: string): Source => ({
    name: `profile ${wanted}`,
    values: () => readProfile(session, wanted, given !== undefined || selected !== undefined),
  });
  const variable = variables[name];
  const project = findProjectFile(environment);
  return [
    ...(given === undefined ? [] : [profile(given)]),
    { name: variable, values: () => ({ [name]: environment.env[variable] ?? '' }) },
    ...(given === undefined && selected !== undefined ? [profile(selected)] : []),
    ...(project === undefined
      ? []
      : [{ name: project, values: () => readProject(project), isShared: true as const }]),
    ...(given === undefined && selected === undefined ? [profile(DEFAULT_PROFILE)] : []),
  ];
}

function readProfile({ environment }: Session, name: string, isRequired: boolean): SettingValues {
  const path = findUserFile(environment);
  const profiles = path === undefined ? new Map<string, SettingValues>() : readProfiles(path);
  const found = profiles.get(name);
  if (found !== undefined || !isRequired) return found ?? {};
  const names = [...profiles.keys()].join(', ') || 'none';
  throw new UsageError(
    `There is no profile ${JSON.stringify(name)} in ${path ?? 'a configuration file'}. Its profiles: ${names}.`,
    `${docs.configuration}#configuration-files`,
  );
}
