/**
 * A file of a public registry that holds a whole interpreter. Its hash is fixed, so it is the same on every machine.
 */
export interface PythonRelease {
  /** The version that a service asks for, for example `3.12`. */
  version: string;
  /** For example `3.12.1`. */
  release: string;
  url: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  sha256: string;
  /** Length of the file. */
  bytes: number;
  /** Prefix of the interpreter's files in the archive, which is a ZIP. */
  prefix: string;
}

const MAVEN = 'https://repo1.maven.org/maven2/org/bytedeco/cpython';
const GO = 'https://proxy.golang.org/github.com/kluctl/go-embed-python/@v';

/**
 * CPython for x86-64, from Maven Central (JavaCPP presets) and from Go's module proxy (python-build-standalone). These
 * registries never change a published file.
 */
const RELEASES: readonly PythonRelease[] = [
  {
    version: '3.10',
    release: '3.10.16',
    url: `${GO}/v0.0.0-3.10.16-20241219-1.zip`,
    sha256: 'b51a1325f4aef595562ba4cff37550a53d9da7f5936175234b515b92b0f72fe3',
    bytes: 69_999_383,
    prefix: 'github.com/kluctl/go-embed-python@v0.0.0-3.10.16-20241219-1/python/internal/data/linux-amd64/',
  },
  {
    version: '3.11',
    release: '3.11.11',
    url: `${GO}/v0.0.0-3.11.11-20241219-1.zip`,
    sha256: 'c8e9a1131021c54e2add690ce413f3d59b38f698e33cf21e4a2c5579360fabe4',
    bytes: 75_118_465,
    prefix: 'github.com/kluctl/go-embed-python@v0.0.0-3.11.11-20241219-1/python/internal/data/linux-amd64/',
  },
  {
    version: '3.12',
    release: '3.12.1',
    url: `${MAVEN}/3.12.1-1.5.10/cpython-3.12.1-1.5.10-linux-x86_64.jar`,
    sha256: 'a135fcf4dc01adebf7ea439252276fc3196db80f7e0dd3da0b61f1ec489b68bd',
    bytes: 26_004_965,
    prefix: 'org/bytedeco/cpython/linux-x86_64/',
  },
  {
    version: '3.13',
    release: '3.13.5',
    url: `${MAVEN}/3.13.5-1.5.12/cpython-3.13.5-1.5.12-linux-x86_64.jar`,
    sha256: '50ad91aa0baa57f0235bb666b87d8bf2a44e215d28c250de1030502906af143b',
    bytes: 25_724_411,
    prefix: 'org/bytedeco/cpython/linux-x86_64/',
  },
];

/** Versions of Python that can be installed on this machine, besides the one of its sandboxes. */
export function pythonReleases(architecture: string = process.arch): readonly PythonRelease[] {
  return architecture === 'x64' ? RELEASES : [];
}

/** Orders versions such as `3.9` and `3.12`. */
export function byVersion(one: string, other: string): number {
  return (
    Number(one.split('.')[0]) - Number(other.split('.')[0]) || Number(one.split('.')[1]) - Number(other.split('.')[1])
  );
}
