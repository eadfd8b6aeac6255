import path from 'node:path';
import { usageFailure } from '../failures.ts';
import { readIfThere } from './manifest-content.ts';

const condaFiles = ['environment.yml', 'environment.yaml'] as const;

/** Packages that PyPI has under another name: their names there, by those of conda. */
const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'brotli-python': 'brotli',
    cupy: 'cupy-cuda12x',
    'dask-core': 'dask',
    'docker-py': 'docker',
    faiss: 'faiss-cpu',
    gurobi: 'gurobipy',
    'matplotlib-base': 'matplotlib',
    'msgpack-python': 'msgpack',
    'numpy-base': 'numpy',
    opencv: 'opencv-python-headless',
    'py-opencv': 'opencv-python-headless',
    'py-xgboost': 'xgboost',
    pyqt: 'pyqt5',
    pytables: 'tables',
    'python-graphviz': 'graphviz',
    'python-kaleido': 'kaleido',
    'python-symengine': 'symengine',
    'python-tzdata': 'tzdata',
    pytorch: 'torch',
    'pytorch-cpu': 'torch',
    'pytorch-gpu': 'torch',
    'redis-py': 'redis',
    ruamel_yaml: 'ruamel.yaml',
    'tensorflow-gpu': 'tensorflow',
  }),
);

/** Programs and libraries of conda. PyPI does not have them, or has something else under their name. */
const notOnPyPI = new Set(
  `anaconda arrow-cpp autoconf automake binutils bison blas boost boost-cpp bzip2 c-ares c-compiler ca-certificates
  cairo clang clangxx compilers conda cuda cudatoolkit cudnn curl cxx-compiler doxygen eigen expat ffmpeg fftw
  flex fontconfig fortran-compiler freetype gawk gcc geos gettext gfortran git glib glpk gmp go graphviz gsl gxx
  harfbuzz hdf5 highs icu igraph imagemagick ipopt jpeg jq julia keyutils krb5 lame lcms2 lerc llvm llvm-openmp
  lz4-c make mamba metis minizinc mpc mpfr mpi mysql nccl ncurses nodejs nomkl openblas openjdk openjpeg openssl
  pandoc pango perl petsc pixman pkg-config postgresql proj psi4 pthread-stubs python_abi pytorch-cuda
  pytorch-mutex qt qt-main r-base readline redis redis-server rust sage sed slepc snappy sqlite suitesparse symengine
  tar texlive-core tk tree tzdata unixodbc unzip vim wget x264 xerces-c xtb xz yaml yaml-cpp yarn z3 zeromq zip zlib
  zstd`.split(/\s+/),
);

/** Families of such names: `_libgcc_mutex`, `libffi`, `libstdcxx-ng`, `gcc_linux-64`, `cuda-nvcc`, `r-ggplot2`. */
const familiesNotOnPyPI = /^(?:_.*|lib.*|.*-ng|.*_linux-64|cuda-.*|xorg-.*|r-.*|perl-.*|font-ttf-.*|fonts-.*)$/;

/** Packages of PyPI whose names look like those of such a family. */
const inNoFamily = new Set(
  'cuda-bindings cuda-core cuda-python cuda-toolkit libarchive-c libcst libpysal librosa libsass libtmux'.split(' '),
);

/** The translation of a conda environment to pip requirements. */
interface CondaTranslation {
  /** Name of the file in the folder. */
  readonly file: string;
  /** Lines for `requirements.txt`. */
  readonly requirements: readonly string[];
  /** Names of conda that the requirements keep, although nobody has compared the packages of conda and PyPI. */
  readonly sameName: readonly string[];
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

async function translate(text: string, file: string, label: string): Promise<CondaTranslation> {
  // Imported here, as no other command needs it.
  const { parse, YAMLParseError } = await import('yaml');
  const { pythonVersions } = await import('@kethub/contract');
  let environment: unknown;
  try {
    environment = parse(text, { maxAliasCount: 10 });
  } catch (error) {
    if (error instanceof YAMLParseError) throw usageFailure(`${label} is not valid YAML: ${error.message}.`);
    throw error;
  }
  const entries =
    typeof environment === 'object' && environment !== null && 'dependencies' in environment
      ? environment.dependencies
      : [];
  if (!Array.isArray(entries)) throw usageFailure(`${label}: "dependencies" must be a list.`);
  const requirements: string[] = [];
  const sameName: string[] = [];
  const left: string[] = [];
  let python: string | null = null;
  for (const entry of entries as unknown[]) {
    const version = typeof entry === 'string' ? pythonOf(entry) : null;
    if (version !== null && pythonVersions.some((one) => one === version)) python = version;
    else if (version !== null) left.push(`${String(entry)}: services can have Python ${pythonVersions.join(', ')}`);
    else if (typeof entry === 'string') translateEntry(entry, { requirements, sameName, left });
    else if (typeof entry === 'object' && entry !== null && 'pip' in entry && Array.isArray(entry.pip))
      for (const line of entry.pip as unknown[]) translatePipLine(String(line), requirements, left);
    else left.push(`${JSON.stringify(entry)}: not a package`);
  }
  return { file, requirements, sameName, python, left };
}

/** `python=3.12`, `python==3.12.4`, `conda-forge::python=3.12.*`. */
function pythonOf(entry: string): string | null {
  return /^(?:[^:\s]+::)?python\s*={1,2}\s*(\d+\.\d+)(?:\.[\d*]+)?(?:=.*)?$/.exec(entry.trim())?.[1] ?? null;
}

/** `channel::name=1.2=build`, `name>=1,<2`, `name`. */
function translateEntry(
  entry: string,
  { requirements, sameName, left }: Record<'requirements' | 'sameName' | 'left', string[]>,
): void {
  const [, name = '', version = ''] = /^(?:[^:\s]+::)?([A-Za-z0-9._-]+)\s*(.*)$/.exec(entry.trim()) ?? [];
  const known = name.toLowerCase();
  if (known === 'python')
    left.push(`${entry}: write the version in .python-version, or as requires-python in pyproject.toml`);
  else if (known === 'pip' || known === 'setuptools' || known === 'wheel') return;
  else {
    const specifier = pipVersion(version);
    const reason = specifier === null ? 'not a name with a version of PyPI' : reasonToLeave(known);
    if (reason !== null) left.push(`${entry}: ${reason}`);
    else {
      requirements.push(`${known}${specifier}`);
      sameName.push(known);
    }
  }
}

/** The reason why a package cannot have its name on PyPI, or null where it is looked for under the same name. */
function reasonToLeave(name: string): string | null {
  const other = otherNames.get(name);
  if (other !== undefined) return `PyPI has it as ${other}; write that below "pip:"`;
  const isOther = notOnPyPI.has(name) || (familiesNotOnPyPI.test(name) && !inNoFamily.has(name));
  return isOther ? 'a library or program of conda; PyPI does not have it, or has something else under this name' : null;
}

/**
 * The specifier of pip for a version of conda, or null when there is none. In conda `=1.2` means any 1.2.x. A second
 * `=`, or a word after the version, names a build, which PyPI does not have.
 */
function pipVersion(version: string): string | null {
  if (/^(?:=*\s*\*(?:[=\s].*)?)?$/.test(version)) return '';
  const [, equals, number = '', any] = /^(={0,2})\s*(\d[\w.!+-]*?)(\.?\*)?(?:(?:=|\s+)[\w.*-]+)?$/.exec(version) ?? [];
  if (equals !== undefined) return equals === '=' || any !== undefined ? `==${number}.*` : `==${number}`;
  const clauses = version.replaceAll(/\s+/g, '');
  return /^(?:(?:[<>!=~]=|[<>])\d[\w.!+-]*(?:\.\*)?(?:,|$))+$/.test(clauses) && !clauses.endsWith(',') ? clauses : null;
}

function translatePipLine(line: string, requirements: string[], left: string[]): void {
  if (/^(-r|--requirement|-e|--editable|\.)/.test(line)) left.push(`pip: ${line}: refers to another file or folder`);
  else requirements.push(line);
}
