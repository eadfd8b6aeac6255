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
    python: '3.11',
    left: [
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
  ['python=3.12', '3.12'],
  ['python==3.10.4', '3.10'],
  ['conda-forge::python=3.13.*', '3.13'],
  ['python=3.11=h123', '3.11'],
  ['python=3.8', null],
  ['python=3.14', null],
  ['python>=3.10', null],
  ['python', null],
])('%s asks for Python %s', async (entry, python) => {
  const folder = await folderWith({ 'environment.yml': `dependencies:\n  - ${entry}\n` });
  const translation = await translateConda(folder);
  expect(translation?.python).toBe(python);
  expect(translation?.left).toHaveLength(python === null ? 1 : 0);
});

test.each([
  ['YAML that is none', 'a: [', /not valid YAML/],
  ['dependencies that are no list', 'dependencies: numpy', /must be a list/],
])('%s is refused with the name of the file', async (_what, text, message) => {
  await expect(translateConda(await folderWith({ 'environment.yml': text }))).rejects.toThrow(message);
});
