import { expect, test } from 'vitest';
import { pathFrom } from './relative-path.ts';

test.each([
  ['README.md', 'src/program.py', 'src/program.py'],
  ['docs/a/README.md', '../img/cut%20one.svg?raw=1#top', 'docs/img/cut one.svg'],
  ['docs/README.md', '/LICENSE', 'LICENSE'],
  ['docs/README.md', './', 'docs'],
  ['docs/README.md', '..', ''],
  ['README.md', '../outside', null],
  ['README.md', '#section', null],
  ['README.md', '%', null],
  ['README.md', 'a%00b', null],
])('in %s, %s leads to %j', (from, address, path) => expect(pathFrom(from, address)).toBe(path));
