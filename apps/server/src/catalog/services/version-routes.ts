import {
  AddOnPremiseVersionRequest,
  AddVersionForm,
  Build,
  Bytes,
  limits,
  PublicationRequest,
  RetirementRequest,
  RuntimeConfiguration,
  ServiceVersion,
  SourceFile,
  TargetRequest,
  VersionNumber,
  WorkflowApplicationRequest,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerRevised,
  answerUnlessFresh,
  contextOf,
  list,
  ListQuery,
  platformEndpoint as endpoint,
  waited,
  wantedWait,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import { logContent, logProblems } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { addVersion } from './add-version.ts';
import { configure, replaceSource } from './change-versions.ts';
import { change, found, refOf, repeat, servicePath, tag, upload, versionPath } from './endpoint-parts.ts';
import { cancelBuild, deleteDraft, restartBuild } from './draft-builds.ts';
import { setTarget } from './on-premise.ts';
import { publish } from './publish-version.ts';
import { listSourceFiles, readSourceFile } from './source-files.ts';
import { readBuild, readBuildLog, readSource, readVersion, readVersions } from './read-services.ts';
import { withNewVersion } from './read-upload.ts';
import { retire, withdrawRetirement } from './retirement.ts';
import { uploadOf, zipMedia } from './upload.ts';
import { requireService } from './versions.ts';
import { bpmnOf, replaceWorkflow, setWorkflowApplication } from './workflow-versions.ts';
import { bpmnMedia } from './workflow/index.ts';

const versionForm = Type.Object(
  { ...AddVersionForm.properties, source: Bytes },
  {
    additionalProperties: false,
    description:
      'As of `POST /services`. Name and description are those of the service: another `name` is refused, and `description` changes nothing.',
  },
);

/** Endpoints for versions: source, configuration, build, publication and retirement. */
export const versionEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/services/:serviceId/versions',
    id: 'addServiceVersion',
    tag,
    access: 'service:change',
    consumes: {
      [zipMedia]: Bytes,
      [bpmnMedia[0]]: Bytes,
      'multipart/form-data': versionForm,
      'application/json': AddOnPremiseVersionRequest,
    },
    summary: 'Add the next version as a draft',
    description:
      'The body is the ZIP for a managed service, the BPMN file for a workflow service, or the same form as of `POST /services`. For a service that runs elsewhere it is the target. A draft whose build has failed, or whose workflow has problems, is replaced; any other draft has to be published first, or changed.',
    params: servicePath,
    query: Type.Object({ version: Type.Optional(VersionNumber) }),
    answers: { 201: ServiceVersion },
    problems: [...found, 'malformed-json', 'conflict', ...upload, ...repeat, 'resource-unavailable', 'too-many-builds'],
    handle: ({ params: { serviceId }, query, caller, request }) => {
      const owner = contextOf(caller);
      return withNewVersion(platform, owner, { serviceId, wanted: query.version }, request, async (added) => {
        const version = await addVersion(platform, owner, serviceId, added, request.headers['idempotency-key']);
        const location = `${platform.addresses.api}/services/${serviceId}/versions/${version.version}`;
        return { status: 201, body: version, headers: { location } };
      });
    },
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions',
    id: 'listServiceVersions',
    tag,
    access: 'service:read',
    summary: 'List the versions of a service, newest first',
    params: servicePath,
    query: ListQuery,
    answers: { 200: Type.Array(ServiceVersion) },
    problems: [...found],
    handle: async ({ params, query, caller }) =>
      list(query, await readVersions(platform, contextOf(caller), params.serviceId)),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version',
    id: 'getServiceVersion',
    tag,
    access: 'service:read',
    summary: 'Read a version',
    params: versionPath,
    answers: { 200: ServiceVersion },
    problems: [...found],
    handle: async ({ params, caller }) => answerRevised(await readVersion(platform, refOf(caller, params))),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/source',
    id: 'downloadSource',
    tag,
    access: 'service:read',
    summary: 'Download the source as it was uploaded',
    params: versionPath,
    answers: { 200: { media: ['application/zip', 'application/xml'] } },
    problems: [...found],
    handle: ({ params, caller }) => readSource(platform, refOf(caller, params)),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/source/tree',
    id: 'listSourceFiles',
    tag,
    access: 'service:read',
    summary: 'List the files of the source',
    params: versionPath,
    answers: { 200: Type.Array(SourceFile) },
    problems: [...found, 'invalid-archive'],
    handle: async ({ params, caller }) => ({
      status: 200,
      body: await listSourceFiles(platform, refOf(caller, params)),
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/source/file',
    id: 'readSourceFile',
    tag,
    access: 'service:read',
    summary: 'Read a file of the source',
    description: 'Text is sent as plain text, whatever it is written in.',
    params: versionPath,
    query: Type.Object({ path: Type.String({ minLength: 1, maxLength: limits.repositoryPathLength }) }),
    answers: { 200: { media: ['*/*'] }, 304: null },
    problems: [...found, 'too-large'],
    handle: ({ params, query, caller, request }) =>
      readSourceFile(platform, refOf(caller, params), query.path, request),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/source',
    id: 'replaceSource',
    tag,
    access: 'service:change',
    consumes: { [zipMedia]: Bytes, [bpmnMedia[0]]: Bytes },
    summary: 'Replace the source of a draft and build it',
    description: 'The ZIP of a managed service; or the BPMN file of a workflow service, which is answered with 200.',
    params: versionPath,
    answers: { 200: ServiceVersion, 202: Build },
    problems: [...change, 'version-published', ...upload, 'too-many-builds'],
    handle: async ({ params, caller, request }) => {
      const at = refOf(caller, params);
      const ifMatch = request.headers['if-match'];
      const { type } = await requireService(platform.database.read, at.owner, at.serviceId);
      if (type === 'WORKFLOW')
        return answerRevised(await replaceWorkflow(platform, at, () => bpmnOf(request), ifMatch));
      const build = await replaceSource(platform, at, () => uploadOf(request), ifMatch);
      const location = `${platform.addresses.api}/services/${at.serviceId}/versions/${at.version}/build`;
      return { status: 202, body: build, headers: { location } };
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/workflow/application',
    id: 'setWorkflowApplication',
    tag,
    access: 'service:change',
    summary: 'Set as which application the tasks of a workflow draft call services',
    params: versionPath,
    body: WorkflowApplicationRequest,
    answers: { 200: ServiceVersion },
    problems: [...change, 'version-published'],
    handle: async ({ params, body, caller, request }) =>
      answerRevised(
        await setWorkflowApplication(platform, refOf(caller, params), body.applicationId, request.headers['if-match']),
      ),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/configuration',
    id: 'configureServiceVersion',
    tag,
    access: 'service:change',
    summary: 'Change resources, limits and environment variables of a draft',
    params: versionPath,
    body: RuntimeConfiguration,
    answers: { 200: ServiceVersion },
    problems: [...change, 'version-published', 'resource-unavailable', 'too-many-builds'],
    handle: async ({ params, body, caller, request }) =>
      answerRevised(await configure(platform, refOf(caller, params), body, request.headers['if-match'])),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/target',
    id: 'setTarget',
    tag,
    access: 'service:change',
    summary: 'Change where a version of an on-premise service runs',
    description:
      'Works for a draft and a published version: a host that moves takes its subscribers along. Recorded in the audit log.',
    params: versionPath,
    body: TargetRequest,
    answers: { 200: ServiceVersion },
    problems: [...change, 'version-published'],
    handle: async ({ params, body, caller, request }) =>
      answerRevised(await setTarget(platform, refOf(caller, params), body, request.headers['if-match'])),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/build',
    id: 'getBuild',
    waits: true,
    tag,
    access: 'service:read',
    summary: 'Read the build of a version',
    description: '`Prefer: wait=N` waits for its status to change.',
    params: versionPath,
    answers: { 200: Build, 304: null },
    problems: [...found],
    handle: async ({ params, caller, request }) => {
      const { build, seconds } = await readBuild(platform, refOf(caller, params), wantedWait(request));
      return answerUnlessFresh(request, build, waited(seconds));
    },
  }),
  endpoint({
    method: 'POST',
    path: '/services/:serviceId/versions/:version/build',
    id: 'restartBuild',
    tag,
    access: 'service:change',
    summary: 'Build the source of a draft again',
    params: versionPath,
    answers: { 200: Build },
    problems: [...found, 'conflict', 'version-published', 'too-many-builds'],
    run: ({ params, caller }) => restartBuild(platform, refOf(caller, params)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId/versions/:version/build',
    id: 'cancelBuild',
    tag,
    access: 'service:change',
    summary: 'Cancel a build that waits or runs',
    description: 'It ends as FAILED. One that has ended stays as it is.',
    params: versionPath,
    answers: { 200: Build },
    problems: [...found],
    run: ({ params, caller }) => cancelBuild(platform, refOf(caller, params)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId/versions/:version',
    id: 'deleteServiceVersion',
    tag,
    access: 'service:change',
    summary: 'Delete a draft',
    description: 'A published version is retired instead, and the only version goes with its service.',
    params: versionPath,
    answers: { 204: null },
    problems: [...change, 'version-published', 'conflict'],
    run: ({ params, caller, request }) => deleteDraft(platform, refOf(caller, params), request.headers['if-match']),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/versions/:version/build/log',
    id: 'getBuildLog',
    tag,
    access: 'service:read',
    summary: 'Read or follow the log of the build',
    params: versionPath,
    answers: { 200: logContent },
    problems: [...found, ...logProblems],
    handle: ({ params, caller, request, reply }) => readBuildLog(platform, refOf(caller, params), request, reply),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/publication',
    id: 'publishServiceVersion',
    tag,
    access: 'service:publish',
    summary: 'Publish a version, or change the visibility of a published one',
    description:
      'From then on the version cannot be changed. `INTERNAL`: applications of its owner, and of those it is shared with, can subscribe. `SHARED`: no application can; those it is shared with run it as a job, and it may be offered in the marketplace. Whoever changes `INTERNAL` to `SHARED` ends the calls of internal subscriptions. A workflow is deployed with this: `errors` of a refusal names the elements.',
    params: versionPath,
    body: PublicationRequest,
    answers: { 200: ServiceVersion },
    problems: [...change, 'build-not-succeeded', 'resource-unavailable', 'conflict', 'invalid-workflow'],
    handle: async ({ params, body, caller, request }) =>
      answerRevised(await publish(platform, refOf(caller, params), body.visibility, request.headers['if-match'])),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/versions/:version/retirement',
    id: 'retireServiceVersion',
    tag,
    access: 'service:retire',
    summary: 'Announce from when on a version cannot be started any more',
    description:
      'Until the sunset its answers carry Deprecation (RFC 9745) and Sunset (RFC 8594), and no new subscription is taken. Afterwards a start is answered with 410. Executions that run go on; what has been started stays readable.',
    params: versionPath,
    body: RetirementRequest,
    answers: { 200: ServiceVersion },
    problems: [...change, 'conflict'],
    handle: async ({ params, body, caller, request }) =>
      answerRevised(await retire(platform, refOf(caller, params), body.sunset, request.headers['if-match'])),
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId/versions/:version/retirement',
    id: 'withdrawRetirement',
    tag,
    access: 'service:retire',
    summary: 'Take the announcement back, before the sunset',
    params: versionPath,
    answers: { 200: ServiceVersion },
    problems: [...change, 'conflict'],
    handle: async ({ params, caller, request }) =>
      answerRevised(await withdrawRetirement(platform, refOf(caller, params), request.headers['if-match'])),
  }),
];
