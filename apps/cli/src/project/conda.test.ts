import { expect, test } from 'vitest';
import { folderWith } from '../testing/folder.ts';
import { translateConda } from './conda.ts';

test('what PyPI has under the same name is translated, the rest is listed with its reason', async () => {
  const folder = await folderWith({
    'environment.yml': `name: one
channels: [conda-forge]
dependencies:
  - python=3.11
  - numpy=1.26
  - conda-forge::scipy==1.11.4
  - networkx>=3, <4
  - pandas=2.1.0=py311h320fe9a_0
  - blas=*=openblas
  - pip
  - pip:
      - qiskit~=1.0
      - -r more.txt
`,
  });
  expect(await translateConda(folder)).toEqual({
    file: 'environment.yml',
    requirements: ['numpy==1.26.*', 'scipy==1.11.4', 'networkx>=3,<4', 'pandas==2.1.0.*', 'qiskit~=1.0'],
    left: [
      'python=3.11: the Python of a service is chosen by the platform',
      'blas=*=openblas: conda only, or under another name on PyPI',
      'pip: -r more.txt: refers to another file or folder',
    ],
  });
});

test('without dependencies nothing is translated, and without a file there is nothing', async () => {
  expect(await translateConda(await folderWith({ 'environment.yaml': 'name: one' }))).toMatchObject({
    requirements: [],
  });
  expect(await translateConda(await folderWith())).toBeNull();
});

test.each([
  ['YAML that is none', 'a: [', /not valid YAML/],
  ['dependencies that are no list', 'dependencies: numpy', /must be a list/],
])('%s is refused with the name of the file', async (_what, text, message) => {
  await expect(translateConda(await folderWith({ 'environment.yml': text }))).rejects.toThrow(message);
});
