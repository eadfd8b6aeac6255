import { expect, test } from 'vitest';
import { folderWith } from '../testing/folder.ts';
import { translateConda } from './conda.ts';

test('names are kept, but for those that are known to be something else, which are listed with the reason', async () => {
  const folder = await folderWith({
    'environment.yml': `name: one
channels: [conda-forge]
dependencies:
  - python=3.11
  - numpy=1.26
  - conda-forge::scipy==1.11.4
  - networkx>=3, <4
  - pandas=2.1.0=py311h320fe9a_0
  - six=1.16.0
  - my-solver >=2,<3
  - blas=*=openblas
  - pytorch=2.1
  - numba[version='>=0.5']
  - pip
  - pip:
      - qiskit~=1.0
      - -r more.txt
`,
  });
  expect(await translateConda(folder)).toEqual({
    file: 'environment.yml',
    requirements: [
      'numpy==1.26.*',
      'scipy==1.11.4',
      'networkx>=3,<4',
      'pandas==2.1.0.*',
      'six==1.16.0.*',
      'my-solver>=2,<3',
      'qiskit~=1.0',
    ],
    sameName: ['numpy', 'scipy', 'networkx', 'pandas', 'six', 'my-solver'],
    python: '3.11',
    left: [
      'blas=*=openblas: a library or program of conda; PyPI does not have it, or has something else under this name',
      'pytorch=2.1: PyPI has it as torch; write that below "pip:"',
      "numba[version='>=0.5']: not a name with a version of PyPI",
      'pip: -r more.txt: refers to another file or folder',
    ],
  });
});

test.each([
  ['six', 'six'],
  ['six=*', 'six'],
  ['six=1.16.0', 'six==1.16.0.*'],
  ['six=1.16.0=pyh6c4a22f_0', 'six==1.16.0.*'],
  ['six==1.16.0', 'six==1.16.0'],
  ['six=1.16.*', 'six==1.16.*'],
  ['six 1.16.0', 'six==1.16.0'],
  ['six 1.16.*', 'six==1.16.*'],
  ['six 1.16.0 pyh6c4a22f_0', 'six==1.16.0'],
  ['six >=1.16, <2', 'six>=1.16,<2'],
  ['six~=1.16', 'six~=1.16'],
  ['Six!=1.15.*', 'six!=1.15.*'],
  ['conda-forge::librosa=0.10', 'librosa==0.10.*'],
  ['six=1.15|1.16', null],
  ['six>=1.15|<1', null],
  ['six >=', null],
  ['six[version="1.16"]', null],
  ['https://conda.example/six-1.16.0-0.tar.bz2', null],
  ['_libgcc_mutex=0.1=main', null],
  ['ld_impl_linux-64=2.38=h1181459_1', null],
  ['libffi=3.4.4', null],
  ['libstdcxx-ng=11.2.0', null],
  ['r-base', null],
  ['graphviz=2.50', null],
  ['opencv', null],
])('%s becomes %s', async (entry, requirement) => {
  const folder = await folderWith({ 'environment.yml': JSON.stringify({ dependencies: [entry] }) });
  const translation = await translateConda(folder);
  expect(translation?.requirements).toEqual(requirement === null ? [] : [requirement]);
  expect(translation?.left).toHaveLength(requirement === null ? 1 : 0);
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
