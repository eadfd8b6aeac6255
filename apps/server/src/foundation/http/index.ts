export { ConnectionLimits } from './connections.ts';
export { contextOf, personOf } from './context.ts';
export { describeDownload, download, notModified, type Download } from './download.ts';
export { endpointsOf, mount, observeDiverted, type Answer, type Divert, type Endpoint } from './endpoint.ts';
export {
  answerPut,
  answerRevised,
  answerTagged,
  answerUnlessFresh,
  noStore,
  requireMatch,
  type Put,
  type Revised,
  type Tagged,
} from './etag.ts';
export { deleteIdempotencyRecords, once, type IdempotencyKey } from './idempotency.ts';
export { createReadiness, serveHealth, type Needs } from './health.ts';
export { platformEndpoint, platformLimits, type PlatformEndpoint } from './interface.ts';
export { limitedAdmission, type Admission } from './limited-admission.ts';
export {
  createIds,
  etag,
  isFresh,
  parseJson,
  Problem,
  readForm,
  readJson,
  readQuery,
  readText,
  requestedRange,
} from '@kethub/service-api';
export { list, ListQuery, NamePart, searchOf, type Listing } from './list.ts';
export { INERT, shownMediaType } from './shown-media-type.ts';
export { networkOf } from './network.ts';
export { escapeHtml, PAGE_ICON, pageHeaders } from './page-headers.ts';
export { beginWait, waited, wantedWait, type WantedWait } from './waits.ts';
export { leaveBodiesUnread } from './judge-request.ts';
export { releaseMemory, ReleaseSent } from './release-sent.ts';
export { closeWhenSlow } from './slow-readers.ts';
export { acceptBodies } from './read-body.ts';
export { RateLimits } from './rate-limits.ts';
export { RateLimiter } from './rate-limiter.ts';
export { createHttpServer } from './server.ts';
