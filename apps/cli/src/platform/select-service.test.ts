import { expect, test } from 'vitest';
import { slugOf, subscriptionsTo } from './select-service.ts';

const subscription = (serviceName: string, version: string, slug: string) => ({
  id: `${slug} ${version}`,
  serviceId: `id of ${slug}`,
  serviceName,
  version,
  endpoint: `http://gateway/owner/${slug}/${version}/`,
  basis: 'INTERNAL' as const,
  limits: { requestsPerMinute: null, executionsPerDay: null, executionsPerMonth: null },
  usage: { executionsToday: null, executionsThisMonth: null },
  createdAt: '',
});
const all = [
  subscription('Max Cut', '1.0.0', 'max-cut'),
  subscription('Max Cut', '1.10.0', 'max-cut'),
  subscription('ghz', '1.0.0', 'ghz'),
];

test.each([
  ['max-cut', ['max-cut 1.0.0', 'max-cut 1.10.0']],
  ['max cut', ['max-cut 1.0.0', 'max-cut 1.10.0']],
  ['Max Cut@1.10.0', ['max-cut 1.10.0']],
  ['id of ghz', ['ghz 1.0.0']],
  ['http://gateway/owner/ghz/1.0.0', ['ghz 1.0.0']],
  ['http://gateway/owner/max-cut/1.10.0/', ['max-cut 1.10.0']],
  ['ghz@2.0.0', []],
  ['gh', []],
])('%s means %j', (wanted, ids) => {
  expect(subscriptionsTo(all, wanted).map(({ id }) => id)).toEqual(ids);
});

test('the slug is the part before the version', () => {
  expect(slugOf('http://gateway/owner/max-cut/1.0.0/')).toBe('max-cut');
});
