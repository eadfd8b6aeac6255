import { expect, test } from 'vitest';
import { complaintsOf, configurationOf, differencesOf, draftOf } from './configuration.ts';

const present = {
  runtime: 'DOCKER' as const,
  cpus: 2,
  memoryGb: 4,
  runTimeSeconds: 60,
  gpu: { count: 1 },
  hosts: ['a.example.org', 'b.example.org:8443'],
  environment: { MODE: 'fast' },
  providerAccessTokens: true,
  sourcePackages: false,
  warmStart: true,
  warmPods: 2,
};

test('a form that nobody has changed asks for the same configuration', () =>
  expect(configurationOf(present, draftOf(present))).toEqual(present));

test('what is emptied goes; what has no input stays', () => {
  const draft = { ...draftOf(present), hosts: ' \n', variables: [{ name: '', value: '' }], memoryGb: '0.5' };
  const { hosts: _, environment: _environment, ...others } = present;
  expect(configurationOf(present, draft)).toEqual({ ...others, memoryGb: 0.5 });
});

test('numbers and names are looked at before the platform is asked', () => {
  const variables = [
    { name: 'A', value: '1' },
    { name: 'A', value: '2' },
    { name: '', value: '3' },
  ];
  const complaints = complaintsOf({ ...draftOf(present), cpus: 'two', variables });
  expect([...complaints.keys()]).toEqual(['/cpus', '/environment/A', '/environment/']);
});

test('both versions of a configuration are compared in words', () => {
  const mine = { ...draftOf(present), cpus: '4', providerAccessTokens: false };
  const differences = differencesOf(mine, draftOf({ ...present, environment: { MODE: 'slow' } }));
  expect(differences.filter(({ mine, theirs }) => mine !== theirs)).toEqual([
    { label: 'CPU cores', mine: '4', theirs: '2' },
    { label: 'Environment variables', mine: 'MODE=fast', theirs: 'MODE=slow' },
    { label: 'Provider access tokens', mine: 'off', theirs: 'on' },
  ]);
});
