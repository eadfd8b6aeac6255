import { Layer, worded } from '@kethub/contract';
import { Type } from 'typebox';
import { personOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { changeLayer, readLayers } from './operations.ts';

const tag = 'Layers';
const path = Type.Object({
  layerId: Type.String({
    pattern: worded('^[0-9a-f]{40}$', 'must be the id of a layer: 40 hexadecimal digits'),
    description: '`id` of the layer.',
  }),
});

/** Endpoints by which administrators see, purge and rebuild layers of installed packages. */
export const layerEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/layers',
    id: 'listLayers',
    tag,
    access: 'ADMINISTRATOR',
    summary: 'List the layers of installed packages of all workers',
    description: 'Newest first, at most 10,000. Workers report their layers once a minute.',
    answers: { 200: Type.Array(Layer) },
    problems: [],
    run: () => readLayers(platform),
  }),
  endpoint({
    method: 'POST',
    path: '/layers/:layerId/rebuild',
    id: 'rebuildLayer',
    tag,
    access: 'ADMINISTRATOR',
    summary: 'Install a layer anew from the versions and hashes that it was made of',
    description:
      'Each worker that has it does so within a minute. Executions that run keep the old files. Where the package index no longer has the same files, the layer stays as it is and `problem` says why.',
    params: path,
    answers: { 202: Type.Array(Layer) },
    problems: ['invalid-request', 'not-found'],
    run: ({ caller, params }) => changeLayer(platform, personOf(caller), params.layerId, 'REBUILD'),
  }),
  endpoint({
    method: 'DELETE',
    path: '/layers/:layerId',
    id: 'purgeLayer',
    tag,
    access: 'ADMINISTRATOR',
    summary: 'Remove a layer from all workers',
    description:
      'Each worker that has it does so within a minute. Executions that run keep the files until they end. A version that needs it has it installed again, with the same hashes, when it is next executed.',
    params: path,
    answers: { 202: Type.Array(Layer) },
    problems: ['invalid-request', 'not-found'],
    run: ({ caller, params }) => changeLayer(platform, personOf(caller), params.layerId, 'PURGE'),
  }),
];
