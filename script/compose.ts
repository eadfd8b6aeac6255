import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { builtOnce, cacheFolder, callGo } from './kubernetes/build.ts';

const MODULE = 'github.com/docker/compose/v2';
const VERSION = 'v2.40.3';

/**
 * Path of Docker Compose. Debian has only its predecessor in Python, which drops options of security. The first call
 * builds it from its Go module, in two to ten minutes.
 */
export function buildCompose(say: (line: string) => void): string {
  return builtOnce(`docker-compose-${VERSION}`, (folder) => {
    say('building Docker Compose from its Go module, once for this machine: two to ten minutes ...');
    callGo(['mod', 'download', `${MODULE}@${VERSION}`], folder);
    // Its go.mod excludes versions, so `go install` refuses it. It is built as a module of its own.
    const source = path.join(folder, 'source');
    cpSync(path.join(cacheFolder(), 'go/pkg/mod', `${MODULE}@${VERSION}`), source, { recursive: true });
    execFileSync('chmod', ['-R', 'u+w', source]);
    const made = path.join(folder, 'docker-compose');
    const flags = ['-trimpath', '-buildvcs=false', `-ldflags=-s -w -X ${MODULE}/internal.Version=${VERSION}`];
    callGo(['build', ...flags, '-o', made, './cmd'], source, { GOFLAGS: '-mod=readonly' });
    return made;
  });
}

/** Makes it the command `docker compose` of a home folder. */
export function addComposePlugin(program: string, home: string): void {
  const plugins = path.join(home, '.docker/cli-plugins');
  mkdirSync(plugins, { recursive: true });
  symlinkSync(program, path.join(plugins, 'docker-compose'));
}
