import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runnerPathsIn } from '@kethub/runtime/paths';

const ATTEMPTS = 300;

/** Leftovers on the machine of an installation that was stopped and removed, one sentence each. */
export async function leftBehind(dataDir: string): Promise<string[]> {
  const { mark } = runnerPathsIn(path.join(dataDir, 'runtime'));
  for (let attempt = 1; ; attempt++) {
    const left = [...processes(dataDir, mark), ...mounts(dataDir, mark), ...cgroups(mark), ...folders(dataDir, mark)];
    if (left.length === 0 || attempt === ATTEMPTS) return left;
    await pause(100);
  }
}

/** Sandboxes do not show their data folder on their command line. They are found by their cgroup and their mounts. */
function processes(dataDir: string, mark: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    const texts = ['cmdline', 'cgroup', 'mountinfo'].map((name) => textOf(`/proc/${pid}/${name}`)).join('\n');
    if (!texts.includes(dataDir) && !texts.includes(mark)) return [];
    return [`process ${pid} is left: ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`];
  });
}

/** Empty when the process has ended meanwhile, or is a zombie. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function mounts(dataDir: string, mark: string): string[] {
  const lines = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return lines.filter((line) => line.includes(dataDir) || line.includes(mark)).map((line) => `mount is left: ${line}`);
}

function cgroups(mark: string): string[] {
  const root = '/sys/fs/cgroup';
  if (!existsSync(root)) return [];
  const groups = [root, ...readdirSync(root).map((name) => path.join(root, name))];
  return groups
    .flatMap((each) => ['', '-containers'].map((part) => path.join(each, `kethub-${mark}${part}`)))
    .flatMap((each) => (existsSync(each) ? [`cgroup is left: ${each}`] : []));
}

function folders(dataDir: string, mark: string): string[] {
  return [dataDir, `/run/kethub/${mark}`].flatMap((each) => (existsSync(each) ? [`folder is left: ${each}`] : []));
}
