/** Codes of the problems that end a build. Stable: programs may compare them. */
export type BuildProblemCode =
  | 'archive-invalid'
  | 'archive-too-large'
  | 'archive-unsafe'
  | 'archive-nested'
  | 'program-missing'
  | 'program-syntax'
  | 'program-raised'
  | 'import-failed'
  | 'run-missing'
  | 'run-positional-only'
  | 'inspection-failed'
  | 'requirements-invalid'
  | 'package-not-found'
  | 'packages-conflict'
  | 'index-unreachable'
  | 'install-failed'
  | 'pip-missing'
  | 'python-unavailable'
  | 'dockerfile-missing'
  | 'dockerfile-refused'
  | 'image-build-failed'
  | 'image-limit-exceeded'
  | 'image-without-command';

/** The reason why a build ended, for the person who uploaded the code. `detail` names the place and the remedy. */
export interface BuildProblem {
  code: BuildProblemCode;
  title: string;
  detail: string;
}

const TITLES: Record<BuildProblemCode, string> = {
  'archive-invalid': 'The upload is not a usable ZIP',
  'archive-too-large': 'The ZIP holds too much',
  'archive-unsafe': 'The ZIP holds a forbidden entry',
  'archive-nested': 'The ZIP holds a folder around the project',
  'program-missing': 'No src/program.py',
  'program-syntax': 'Syntax error',
  'program-raised': 'The program fails at import',
  'import-failed': 'Failing import',
  'run-missing': 'No run function',
  'run-positional-only': 'Parameter without a name',
  'inspection-failed': 'The program could not be inspected',
  'requirements-invalid': 'Invalid requirements.txt',
  'package-not-found': 'Package not found',
  'packages-conflict': 'Packages do not fit together',
  'index-unreachable': 'The package index cannot be reached',
  'install-failed': 'The packages could not be installed',
  'pip-missing': 'pip is not installed on this machine',
  'python-unavailable': 'This Python is not to be had',
  'dockerfile-missing': 'No Dockerfile',
  'dockerfile-refused': 'The Dockerfile asks for what builds do not have',
  'image-build-failed': 'The image could not be built',
  'image-limit-exceeded': 'The build reached its limit',
  'image-without-command': 'The image runs nothing',
};

/** Thrown by the steps of a build. Any other exception is a fault of the platform, not of the upload. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
  readonly code: BuildProblemCode;
  readonly title: string;

  constructor(code: BuildProblemCode, detail: string, title: string = TITLES[code]) {
    super(detail);
    this.code = code;
    this.title = title;
  }

  get problem(): BuildProblem {
    return { code: this.code, title: this.title, detail: this.message };
  }
}

/** Returns whether a text is one of the codes, for reports that cross a process boundary. */
export function isBuildProblemCode(text: string): text is BuildProblemCode {
  return Object.hasOwn(TITLES, text);
}
