import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

const MAVEN = 'https://repo1.maven.org/maven2';

/** Tests of two other engines (Apache-2.0), with their files: pinned packages of Maven Central and their digests. */
const PACKAGES = [
  {
    name: 'jbpm-bpmn2',
    url: `${MAVEN}/org/jbpm/jbpm-bpmn2/7.74.1.Final/jbpm-bpmn2-7.74.1.Final-tests.jar`,
    sha256: '0da9bfd7e38aa6feba548ccc9ec4357d7fe72b94a6fd239d6e54ccee804699c9',
  },
  {
    name: 'camunda-engine',
    url: `${MAVEN}/org/camunda/bpm/camunda-engine/7.20.0/camunda-engine-7.20.0-tests.jar`,
    sha256: '8640e956bcefd28421a06ab8cc077fde5910c55c12e11c92dae8d6b8a1ed98b0',
  },
] as const;

/** The files of other tools cannot be fetched here. The message is the reason. */
export class ForeignWorkflowsMissing extends Error {}

/** Names of BPMN files below a folder, sorted. */
export function workflowFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:bpmn2?|bpmn20\.xml)$/i.test(name))
    .sort();
}

/**
 * The folder with BPMN files of other tools, one folder for each package, fetched once into .runtime/. Throws
 * ForeignWorkflowsMissing.
 */
export function fetchForeignWorkflows(): string {
  const runtime = path.join(root, '.runtime');
  const home = path.join(runtime, `foreign-workflows-${PACKAGES.map(({ sha256 }) => sha256.slice(0, 8)).join('-')}`);
  if (existsSync(home)) return home;
  mkdirSync(runtime, { recursive: true });
  const folder = mkdtempSync(path.join(runtime, 'foreign-'));
  try {
    for (const { name, url, sha256 } of PACKAGES) {
      const archive = path.join(folder, `${name}.jar`);
      // curl respects the proxies of the machine.
      call('curl', ['-fsSL', '--connect-timeout', '15', '--max-time', '300', '--output', archive, url]);
      const found = createHash('sha256').update(readFileSync(archive)).digest('hex');
      if (found !== sha256) throw new ForeignWorkflowsMissing(`${url} has the SHA-256 ${found}, not ${sha256}`);
      call('python3', ['-m', 'zipfile', '-e', archive, path.join(folder, name)]);
      rmSync(archive);
    }
    // Appears only when complete: an interrupted fetch is repeated, and of two at the same time one wins.
    if (!existsSync(home)) renameSync(folder, home);
    return home;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function call(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error || status !== 0)
    throw new ForeignWorkflowsMissing(`${program} has failed: ${error?.message ?? stderr.trim()}`);
}
