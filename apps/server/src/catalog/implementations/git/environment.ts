/** Bytes above which Git stores a file as it is, without searching for a delta. */
const BIG_FILE = '32m';

/** Limits that an installation sets for pushes. */
export interface PushLimits {
  /** Bytes of one pack that arrives. */
  readonly pushBytes: number;
}

export type GitSettings = readonly (readonly [key: string, value: string])[];

/** Settings of every Git process. They take precedence over those of a repository. */
function settings(hooks: string, { pushBytes }: PushLimits): GitSettings {
  return [
    ['safe.directory', '*'],
    ['core.hooksPath', hooks],
    ['core.bigFileThreshold', BIG_FILE],
    // Names in a patch are readable: only control characters, quotes and backslashes are escaped.
    ['core.quotePath', 'false'],
    ['core.packedGitLimit', '128m'],
    ['core.packedGitWindowSize', '32m'],
    ['core.deltaBaseCacheLimit', '64m'],
    ['core.fsync', 'committed,pack-metadata,reference'],
    ['core.logAllRefUpdates', 'false'],
    ['core.alternateRefsCommand', 'false'],
    ['pack.threads', '1'],
    ['pack.windowMemory', '64m'],
    ['index.threads', '1'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['receive.autogc', 'false'],
    ['receive.fsckObjects', 'true'],
    ['receive.unpackLimit', '1'],
    ['receive.maxInputSize', String(pushBytes)],
    ['receive.advertisePushOptions', 'false'],
    ['transfer.hideRefs', 'refs/kethub'],
    ['uploadpack.keepAlive', '5'],
    ['uploadpack.allowFilter', 'true'],
    ['uploadpackfilter.allow', 'false'],
    ['uploadpackfilter.blob:none.allow', 'true'],
    ['uploadpackfilter.blob:limit.allow', 'true'],
    ['uploadpackfilter.tree.allow', 'true'],
    ['uploadpackfilter.tree.maxDepth', '0'],
    ['uploadpackfilter.combine.allow', 'true'],
    ['protocol.allow', 'never'],
    ['submodule.recurse', 'false'],
  ];
}

/**
 * The whole environment of a Git process. Nothing of the platform's own environment is passed on, and no file of
 * settings of the machine is read. `hooks` is the only folder of hooks; `more` settings take precedence.
 */
export function gitEnvironment(hooks: string, limits: PushLimits, more: GitSettings = []): Record<string, string> {
  const pairs = [...settings(hooks, limits), ...more];
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // Paths are names, never patterns.
    GIT_LITERAL_PATHSPECS: '1',
    GIT_CONFIG_COUNT: String(pairs.length),
    ...Object.fromEntries(
      pairs.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
