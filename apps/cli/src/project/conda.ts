import path from 'node:path';
import { usageFailure } from '../failures.ts';
import { readIfThere } from './manifest-content.ts';

const condaFiles = ['environment.yml', 'environment.yaml'] as const;

/** Packages with the same name and content in conda and PyPI. Only these are translated. */
const sameOnPyPI = new Set(
  `numpy scipy pandas matplotlib networkx sympy scikit-learn scikit-image statsmodels numba jax jaxlib xarray dask
  pydantic pyyaml requests httpx tqdm loguru click rich pillow joblib seaborn plotly h5py cython
  qiskit qiskit-aer qiskit-ibm-runtime pennylane cirq dimod dwave-ocean-sdk dwave-system dwave-neal
  openqaoa pyquil strawberryfields qutip cvxpy pulp ortools pyomo pytest ipykernel`
    .split(/\s+/)
    .filter(Boolean),
);

/** The translation of a conda environment to pip requirements. */
export interface CondaTranslation {
  /** Name of the file in the folder. */
  readonly file: string;
  /** Lines for `requirements.txt`. */
  readonly requirements: readonly string[];
  /** The Python that it demands, for example `3.12`. Null when it demands none, or a range. */
  readonly python: string | null;
  /** Entries that cannot be translated faithfully, with the reason. */
  readonly left: readonly string[];
}

/** Translates `environment.yml` as far as that is faithful. Null when the folder has none. */
export async function translateConda(folder: string): Promise<CondaTranslation | null> {
  for (const file of condaFiles) {
    const text = await readIfThere(path.join(folder, file));
    if (text !== null) return translate(text, file, path.join(folder, file));
  }
  return null;
}

async function translate(text: string, file: string, place: string): Promise<CondaTranslation> {
  // Imported here, as no other command needs it.
  const { parse, YAMLParseError } = await import('yaml');
  const { pythonVersions } = await import('@kethub/contract');
  let environment: unknown;
  try {
    environment = parse(text, { maxAliasCount: 10 });
  } catch (error) {
    if (error instanceof YAMLParseError) throw usageFailure(`${place} is not valid YAML: ${error.message}.`);
    throw error;
  }
  const entries =
    typeof environment === 'object' && environment !== null && 'dependencies' in environment
      ? environment.dependencies
      : [];
  if (!Array.isArray(entries)) throw usageFailure(`${place}: "dependencies" must be a list.`);
  const requirements: string[] = [];
  const left: string[] = [];
  let python: string | null = null;
  for (const entry of entries as unknown[]) {
    const version = typeof entry === 'string' ? pythonOf(entry) : null;
    if (version !== null && pythonVersions.some((one) => one === version)) python = version;
    else if (version !== null) left.push(`${String(entry)}: services can have Python ${pythonVersions.join(', ')}`);
    else if (typeof entry === 'string') translateEntry(entry, requirements, left);
    else if (typeof entry === 'object' && entry !== null && 'pip' in entry && Array.isArray(entry.pip))
      for (const line of entry.pip as unknown[]) translatePipLine(String(line), requirements, left);
    else left.push(`${JSON.stringify(entry)}: not a package`);
  }
  return { file, requirements, python, left };
}

/** `python=3.12`, `python==3.12.4`, `conda-forge::python=3.12.*`. */
function pythonOf(entry: string): string | null {
  return /^(?:[^:\s]+::)?python\s*={1,2}\s*(\d+\.\d+)(?:\.[\d*]+)?(?:=.*)?$/.exec(entry.trim())?.[1] ?? null;
}

/** `channel::name=1.2=build`, `name>=1,<2`, `name`. */
function translateEntry(entry: string, requirements: string[], left: string[]): void {
  const [, name = '', version = ''] = /^(?:[^:\s]+::)?([A-Za-z0-9._-]+)\s*(.*)$/.exec(entry.trim()) ?? [];
  const known = name.toLowerCase();
  if (known === 'python')
    left.push(`${entry}: write the version in .python-version, or as requires-python in pyproject.toml`);
  else if (known === 'pip' || known === 'setuptools' || known === 'wheel') return;
  else if (!sameOnPyPI.has(known)) left.push(`${entry}: conda only, or under another name on PyPI`);
  else requirements.push(`${known}${pipVersion(version)}`);
}

/** In conda `=1.2` means any 1.2.x. A second `=` names a build, which PyPI does not have. */
function pipVersion(version: string): string {
  const [, exact, fuzzy] = /^(?:==\s*([\w.*+!-]+)|=\s*([\w.+!-]+?)(?:\.\*)?)(?:=.*)?$/.exec(version) ?? [];
  if (exact !== undefined) return `==${exact}`;
  if (fuzzy !== undefined) return `==${fuzzy}.*`;
  return version.replace(/\s+/g, '');
}

function translatePipLine(line: string, requirements: string[], left: string[]): void {
  if (/^(-r|--requirement|-e|--editable|\.)/.test(line)) left.push(`pip: ${line}: refers to another file or folder`);
  else requirements.push(line);
}
