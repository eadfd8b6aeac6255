import { spawnSync } from 'node:child_process';

/**
 * Binds a folder at `/var/runtime`. Where that does not exist, a folder in memory takes the place of `/var`, with all
 * that is in `/var` bound into it. Needs no root: it runs in namespaces of its own.
 */
const SCRIPT = `
set -e
runtime=$1 stage=$2
shift 2
if [ ! -d /var/runtime ]; then
  mount -t tmpfs -o mode=755 tmpfs "$stage"
  for entry in /var/* /var/.[!.]*; do
    name=\${entry##*/}
    if [ -L "$entry" ]; then cp -P "$entry" "$stage/$name"
    elif [ -d "$entry" ]; then mkdir "$stage/$name"; mount --rbind "$entry" "$stage/$name"
    elif [ -e "$entry" ]; then : > "$stage/$name"; mount --bind "$entry" "$stage/$name"
    fi
  done
  mkdir "$stage/runtime"
  mount --rbind "$runtime" "$stage/runtime"
  mount --rbind "$stage" /var
else
  mount --rbind "$runtime" /var/runtime
fi
cd /var/runtime/output
exec 9<&0
"$@" <&9 9<&- &
exec 0</dev/null 9<&- 3>&-
wait $!
`;

const UNSHARE = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'];

/** The command in namespaces of its own, in which `folders.runtime` is `/var/runtime`. Its end ends all its processes. */
export function inNamespace(folders: { runtime: string; stage: string }, command: readonly string[]): string[] {
  return [...UNSHARE, '--', '/bin/sh', '-c', SCRIPT, 'sh', folders.runtime, folders.stage, ...command];
}

/** Returns why this machine offers no namespaces; null when it does. Takes some 20 ms. */
export function whyNoNamespace(folders: { runtime: string; stage: string }): string | null {
  if (process.platform !== 'linux') return 'there are no namespaces on this system';
  const [program = '', ...args] = inNamespace(folders, ['/bin/sh', '-c', 'test -w /var/runtime/output']);
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 20_000 });
  if (status === 0) return null;
  return `namespaces are not allowed here (${error?.message ?? (stderr.trim().split('\n').at(-1) || `exit code ${status}`)})`;
}
