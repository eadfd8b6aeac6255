import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const VERSION = '8.0.0';
const root = path.resolve(import.meta.dirname, '../..');
const source = path.join(root, 'bench/zeebe');

/** The system with which the platform is compared. */
export const zeebe = `Zeebe ${VERSION} (one broker with one partition and the gateway, no exporters, its log flushed as Zeebe does by default) with its Java client in one process on both cores`;

/** Seconds of warm-up, after which its Java has compiled itself. */
export const WARM_UP = 60;

interface ZeebeLoad {
  readonly tasks: number;
  /** Callers that wait for their instances at a time. 0: as many as the rate makes. */
  readonly callers: number;
  /** Instances per second. 0: as many as the callers make. */
  readonly rate: number;
  readonly seconds: number;
  readonly warmUp: number;
}

interface ZeebeMeasured {
  readonly rate: number;
  readonly failed: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly handOverP99: number;
}

/** Runs it in a new folder. If it cannot be fetched or built, returns null and writes the reason to standard error. */
export function loadZeebe({ tasks, callers, rate, seconds, warmUp }: ZeebeLoad): ZeebeMeasured | null {
  const home = fetched();
  if (home === null) return null;
  const data = mkdtempSync(path.join(os.tmpdir(), 'kethub-zeebe-'));
  try {
    const opens = ['java.nio', 'sun.nio.ch', 'jdk.internal.misc'].map(
      (name) => `--add-opens=java.base/${name}=ALL-UNNAMED`,
    );
    const load = [data, tasks, callers, rate, seconds, warmUp].map(String);
    const classes = `${path.join(home, 'classes')}:${path.join(home, 'lib/*')}`;
    const { stdout, stderr, status } = spawnSync('java', ['-Xmx2g', ...opens, '-cp', classes, 'ZeebeLoad', ...load], {
      encoding: 'utf8',
      timeout: (seconds + warmUp + 90) * 1000,
    });
    if (status !== 0) throw new Error(`Zeebe did not run: ${stderr.slice(-2000)}`);
    // bench/zeebe/ZeebeLoad.java writes the last line.
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ZeebeMeasured;
  } finally {
    rmSync(data, { recursive: true });
  }
}

/** Its classes in .runtime/, fetched by Maven and compiled once. */
function fetched(): string | null {
  const home = path.join(root, '.runtime', `zeebe-${VERSION}`);
  if (existsSync(home)) return home;
  process.stderr.write(`kethub: fetching Zeebe ${VERSION} ...\n`);
  mkdirSync(path.dirname(home), { recursive: true });
  const folder = mkdtempSync(path.join(root, '.runtime', 'zeebe-'));
  const lib = path.join(folder, 'lib');
  const commands: [string, ...string[]][] = [
    ['mvn', '-B', '-q', '-f', path.join(source, 'pom.xml'), 'dependency:copy-dependencies', `-DoutputDirectory=${lib}`],
    ['javac', '-cp', `${lib}/*`, '-d', path.join(folder, 'classes'), path.join(source, 'ZeebeLoad.java')],
  ];
  for (const [program, ...args] of commands) {
    const { status, error, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) continue;
    process.stderr.write(`kethub: Zeebe is not measured: ${program}: ${error?.message ?? `${stdout}${stderr}`}\n`);
    rmSync(folder, { recursive: true });
    return null;
  }
  renameSync(folder, home);
  return home;
}
