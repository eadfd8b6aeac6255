import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

const MAVEN = 'https://repo1.maven.org/maven2';

/** Tests of two other engines (Apache-2.0), with their files: pinned packages of Maven Central and their digests. */
const JARS = [
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

/**
 * Source packages of PyPI with files of tools. `bpmn-evalkit` has the reference models of the Model Interchange Working
 * Group (CC BY 3.0), made with seven tools; `bpmn-io` (MIT) has files of Camunda's modeler.
 */
const SOURCES = [
  {
    name: 'bpmn-evalkit',
    version: '0.2.0',
    sha256: '3e5db55d722f38c778287e26744037841e9c9e872a8a15113bd1a1f63604ed1a',
  },
  {
    name: 'bpmn-io',
    version: '0.2.2',
    sha256: 'e330f69b8cf5048308f927e4269b10ae1d49e6c232f36c909ead719596d6f9d3',
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
  const digests = [...JARS, ...SOURCES].map(({ sha256 }) => sha256.slice(0, 8));
  const home = path.join(runtime, `foreign-workflows-${digests.join('-')}`);
  if (existsSync(home)) return home;
  mkdirSync(runtime, { recursive: true });
  const folder = mkdtempSync(path.join(runtime, 'foreign-'));
  try {
    for (const { name, url, sha256 } of JARS) {
      const archive = path.join(folder, `${name}.jar`);
      // curl respects the proxies of the machine.
      call('curl', ['-fsSL', '--connect-timeout', '15', '--max-time', '300', '--output', archive, url]);
      check(archive, sha256);
      call('python3', ['-m', 'zipfile', '-e', archive, path.join(folder, name)]);
      rmSync(archive);
    }
    for (const { name, version, sha256 } of SOURCES) {
      // pip knows the index of the machine.
      const from = ['--no-deps', '--no-binary', name, '--timeout', '60', '--dest', folder, `${name}==${version}`];
      call('python3', ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', ...from]);
      const archive = path.join(folder, `${name.replace('-', '_')}-${version}.tar.gz`);
      check(archive, sha256);
      call('python3', ['-m', 'tarfile', '-e', archive, path.join(folder, name)]);
      rmSync(archive);
    }
    // Appears only when complete: an interrupted fetch is repeated, and of two at the same time one wins.
    if (!existsSync(home)) renameSync(folder, home);
    return home;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function check(archive: string, sha256: string): void {
  const found = createHash('sha256').update(readFileSync(archive)).digest('hex');
  if (found !== sha256)
    throw new ForeignWorkflowsMissing(`${path.basename(archive)} has the SHA-256 ${found}, not ${sha256}`);
}

function call(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error || status !== 0)
    throw new ForeignWorkflowsMissing(`${program} has failed: ${error?.message ?? stderr.trim()}`);
}
