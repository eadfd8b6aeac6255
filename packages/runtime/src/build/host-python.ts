import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { currentRoot } from '../root/index.ts';
import { PYTHON } from '../sandbox/root.ts';

const run = promisify(execFile);

/** The Python that runs services, and the pip that installs packages for it. */
export interface HostPython {
  /** For example `3.11`. */
  version: string;
  /** ABI and platform that compiled packages must fit, for example `cpython-311-x86_64-linux-gnu linux-x86_64`. */
  platform: string;
  pip: Pip | null;
  /** True when it is not the Python of the sandboxes' root, so that each sandbox needs a mount of it. */
  isOther?: boolean;
}

/** The part of a sandboxed command that chooses its Python. */
export function inPython({ version, isOther = false }: HostPython): { python?: string } {
  return isOther ? { python: version } : {};
}

export interface Pip {
  version: string;
  /** The package folder `pip`, or a wheel of it. */
  path: string;
  /** True if `path` is a wheel, which Python runs directly: `python3 pip.whl/pip`. */
  isWheel: boolean;
}

// Distributions deliver pip as a package, or as the wheel from which they make virtual environments.
const ASK = `
import glob, importlib.util, json, os, sys, sysconfig
pip = None
found = importlib.util.find_spec("pip")
if found and found.origin:
    import pip as package
    pip = {"version": package.__version__, "path": os.path.dirname(os.path.realpath(found.origin)), "isWheel": False}
else:
    bundled = importlib.util.find_spec("ensurepip")
    folders = ["/usr/share/python-wheels"] + ([os.path.join(os.path.dirname(bundled.origin), "_bundled")] if bundled and bundled.origin else [])
    wheels = [wheel for folder in folders for wheel in sorted(glob.glob(os.path.join(folder, "pip-*.whl")))]
    if wheels:
        pip = {"version": os.path.basename(wheels[0]).split("-")[1], "path": os.path.realpath(wheels[0]), "isWheel": True}
platform = f'{sysconfig.get_config_var("SOABI")} {sysconfig.get_platform()}'
print(json.dumps({"version": "%d.%d" % sys.version_info[:2], "platform": platform, "pip": pip}))
`;

/** Asks the Python of this machine. Takes 20 ms. */
export async function askHostPython(): Promise<HostPython> {
  const { stdout } = await run(PYTHON, ['-I', '-c', ASK], { env: {}, cwd: '/' });
  return JSON.parse(stdout) as HostPython;
}

/** The Python and pip of the root that we built. Null when sandboxes use this machine's. */
export function ownPython(runtimeDir: string): HostPython | null {
  const own = currentRoot(runtimeDir);
  return own === null ? null : { version: own.python, platform: own.platform, pip: { ...own.pip, isWheel: true } };
}
