export { executionLinks, resultLinks } from './execution/links.ts';
export { mediaTypeOf } from './execution/media-types.ts';
export { memberStream, withMembers } from './execution/result.ts';
export { presentProgress, type Progress } from './execution/status.ts';
export { downloadHeaders, notModifiedHeaders, RESULT_FILE_POLICY, type DownloadedFile } from './http/download.ts';
export { etag, isFresh } from './http/etag.ts';
export { createIds } from './http/ids.ts';
export { preferredWait } from './http/prefer.ts';
export { Problem, type ProblemOptions } from './http/problem.ts';
export { requestedRange, type ByteRange } from './http/range.ts';
export { parseInput, requireInputSize, type ExecutionInput } from './input/input.ts';
export {
  dataPoolNames,
  isOpen,
  parametersFrom,
  unknownParameters,
  type DeclaredParameter,
  type InputParameters,
} from './input/parameters.ts';
export { LongValue, REFERENCE_BYTES } from './input/references.ts';
export { requireKnownSecrets, requireSealed } from './input/secret-names.ts';
export { checkTags, tagsIn } from './input/tags.ts';
export * from './json/index.ts';
export { ChunkCache, chunksOf, lineFormats, type Chunk, type LineFormat } from './log/formats.ts';
export { logHeaders, logMedia, resumePosition, wantedLogMedia, type LogMedia } from './log/media.ts';
