import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A program of the operating system that the project needs, and its Debian package. */
export interface Tool {
  readonly what: string;
  readonly package: string;
  isThere(): boolean;
}

/** Address of the files of Maven Central. */
export const mavenCentral = 'https://repo1.maven.org/maven2';

/** Tools of the platform: the sandbox, the interpreter, the installer of requirements, and Git for repositories. */
export const runtimeTools: readonly Tool[] = [
  { what: 'bubblewrap', package: 'bubblewrap', isThere: () => existsSync('/usr/bin/bwrap') },
  { what: 'Python 3', package: 'python3', isThere: () => existsSync('/usr/bin/python3') },
  { what: 'pip', package: 'python3-pip', isThere: () => succeeds('/usr/bin/python3', ['-c', 'import pip']) },
  { what: 'Git', package: 'git', isThere: () => succeeds('git', ['--version']) },
];

/**
 * Tools for tests. They paste printed commands into a shell, complete commands in three shells, and count how often
 * code is opened. They open pages in a real browser, and try the documented proxy.
 */
export const testTools: readonly Tool[] = [
  { what: 'curl', package: 'curl', isThere: () => succeeds('curl', ['--version']) },
  { what: 'inotifywait', package: 'inotify-tools', isThere: () => existsSync('/usr/bin/inotifywait') },
  { what: 'Chromium', package: 'chromium', isThere: () => existsSync('/usr/bin/chromium') },
  { what: 'Firefox', package: 'firefox-esr', isThere: () => existsSync('/usr/bin/firefox-esr') },
  { what: 'nginx', package: 'nginx-light', isThere: () => existsSync('/usr/sbin/nginx') },
  { what: 'zsh', package: 'zsh', isThere: () => succeeds('zsh', ['--version']) },
  { what: 'fish', package: 'fish', isThere: () => succeeds('fish', ['--version']) },
];

/** Further tools of the measurements. */
export const benchTools: readonly Tool[] = [{ what: 'wrk', package: 'wrk', isThere: () => existsSync('/usr/bin/wrk') }];

function succeeds(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** The tools cannot be installed here. The message says how to get them. */
export class ToolsMissing extends Error {}

/** Installs missing tools if that is possible without asking (root on Debian or a derivative). Throws ToolsMissing. */
export function ensureTools(tools: readonly Tool[], say: (line: string) => void): void {
  const missing = tools.filter((tool) => !tool.isThere());
  if (missing.length === 0) return;
  const packages = missing.map((tool) => tool.package);
  const names = missing.map((tool) => tool.what).join(', ');
  const install = ['install', '--yes', '--quiet', '--no-install-recommends', ...packages];
  if (!existsSync('/usr/bin/apt-get'))
    throw new ToolsMissing(
      `This machine lacks ${names}. Install the packages ${packages.join(', ')} (their names on Debian), then try again.`,
    );
  if (process.getuid?.() !== 0)
    throw new ToolsMissing(
      `This machine lacks ${names}. Install them, then try again:\n  sudo apt-get ${install.join(' ')}`,
    );
  say(`installing ${names} from the packages of the system ...`);
  // A machine without package lists knows no packages. One that has lists saves the time of an update.
  if (!apt(install) && !(apt(['update', '--quiet']) && apt(install)))
    throw new ToolsMissing(`Installing ${names} failed; apt-get says why above. Then try again.`);
}

/** Seconds for which another installation on this machine is waited for. */
const LOCK_SECONDS = 300;

function apt(args: string[]): boolean {
  // The output of apt-get matters only if it fails for good; it is then repeated on stderr.
  const run = spawnSync('/usr/bin/apt-get', ['--option', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
  });
  if (run.status !== 0) process.stderr.write(run.stdout + run.stderr);
  return run.status === 0;
}
