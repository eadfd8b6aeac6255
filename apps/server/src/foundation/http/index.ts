export { ConnectionLimits } from './connections.ts';
export { contextOf, personOf } from './context.ts';
export { describeDownload, download, notModified, type Download } from './download.ts';
export {
  endpointsOf,
  mount,
  observeDiverted,
  pathId,
  type Answer,
  type Call,
  type Divert,
  type Endpoint,
} from './endpoint.ts';
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
export { limitedAdmission, type Admission, type Limits } from './limited-admission.ts';
export {
  createIds,
  etag,
  isFresh,
  judgeJson,
  parseJson,
  Problem,
  readForm,
  readJson,
  readQuery,
  readText,
  requestedRange,
  TokenScanner,
  type ByteRange,
  type JsonListener,
  type JudgedJson,
} from '@kethub/service-api';
export { list, ListQuery, NamePart, searchOf, type Listing } from './list.ts';
export { networkOf } from './network.ts';
export { escapeHtml, pageHeaders } from './page-headers.ts';
export { beginWait, waited, wantedWait, type WantedWait } from './waits.ts';
export { leaveBodiesUnread } from './judge-request.ts';
export { acceptBodies, tooLarge } from './read-body.ts';
export { RateLimits, type Lookup } from './rate-limits.ts';
export { RateLimiter, type Allowance, type Decision, type Quota } from './rate-limiter.ts';
export { createHttpServer, type HttpOptions } from './server.ts';
