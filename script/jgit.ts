import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';
import { mavenCentral, type Tool } from './system-tools.ts';

const VERSION = '7.8.1.202611041320-r';
const SOURCE = path.join(root, 'test/git-clients/JGitClient.java');
/** JGit and what it needs: the path of each file on Maven Central, and its SHA-256. */
const JARS = {
  [`org/eclipse/jgit/org.eclipse.jgit/${VERSION}/org.eclipse.jgit-${VERSION}.jar`]:
    'acca09a77e74440fd24af72c8af4c496e42650d8092a4691a2935d9ce21d05d7',
  'org/slf4j/slf4j-api/2.0.17/slf4j-api-2.0.17.jar': '7b751d952061954d5abfed7181c1f645d336091b679891591d63329c622eb832',
  'com/googlecode/javaewah/JavaEWAH/1.2.3/JavaEWAH-1.2.3.jar':
    'd65226949713c4c61a784f41c51167e7b0316f93764398ebba9e4336b3d954c2',
  'commons-codec/commons-codec/1.19.0/commons-codec-1.19.0.jar':
    '5c3881e4f556855e9c532927ee0c9dfde94cc66760d5805c031a59887070af5f',
};

export const jdkTool: Tool = {
  what: 'the compiler of Java',
  package: 'default-jdk-headless',
  isThere: () => spawnSync('javac', ['-version'], { stdio: 'ignore' }).status === 0,
};

/** JGit cannot be fetched here. The message is the reason. */
export class JGitMissing extends Error {}

/** The folder of JGit and its compiled client, fetched once into .runtime/. Throws JGitMissing. */
export function fetchJGit(say: (line: string) => void): string {
  const runtime = path.join(root, '.runtime');
  const digest = createHash('sha256').update(readFileSync(SOURCE)).update(JSON.stringify(JARS)).digest('hex');
  const home = path.join(runtime, `jgit-${digest.slice(0, 12)}`);
  if (existsSync(home)) return home;
  say(`fetching JGit ${VERSION} ...`);
  mkdirSync(runtime, { recursive: true });
  const folder = mkdtempSync(path.join(runtime, 'jgit-'));
  try {
    for (const [jar, sha256] of Object.entries(JARS)) fetchJar(jar, sha256, folder);
    call('javac', ['-cp', `${folder}/*`, '-d', folder, SOURCE]);
    // Appears only when complete: an interrupted fetch is repeated, and of two at the same time one wins.
    if (!existsSync(home)) renameSync(folder, home);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return home;
}

function fetchJar(jar: string, sha256: string, folder: string): void {
  const file = path.join(folder, path.basename(jar));
  // curl respects the proxies of the machine.
  call('curl', ['-fsSL', '--connect-timeout', '15', '--max-time', '300', '--output', file, `${mavenCentral}/${jar}`]);
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found !== sha256) throw new JGitMissing(`${jar} has the SHA-256 ${found}, not ${sha256}`);
}

function call(command: string, args: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new JGitMissing(`${command} failed: ${error?.message ?? (stderr + stdout).slice(-2_000)}`);
}
