// Workflows in BPMN: from a file to a validated graph (`parse`), and from an instance and an event to the next state
// (`step`). See types.ts for how the two sides of the engine meet, and docs/bpmn.md for what of BPMN runs.
export { ExactNumber, jsonText, largeJson, parseExact, textOnly } from '@kethub/feel';
export { parse } from './parse.ts';
export { requirements, firstStart, nextStart } from './requirements.ts';
export { firstDue } from './start-timer.ts';
export { resume, start, step } from './engine/step.ts';
export { fromStored, headOf, toStored } from './state/stored.ts';
export { changedParts, PartsReader } from './state/parts.ts';
export { rootOf, type State } from './state/state.ts';
export { platformFaultOf } from './engine/events.ts';
export { isTooDeep } from './engine/depth.ts';
export { Runaway } from './engine/failure.ts';
export { childErrorsOf, errorsOf, resultOf, statusOf } from './engine/status.ts';
export { variablesAt } from './engine/variables.ts';
export { rebuild } from './engine/journal.ts';
export { OtherJournal, Replay, type EventEntry } from './engine/replay.ts';
export type * from './types.ts';
export type { StepResult } from './engine/step-result.ts';
export type { Node, ProcessGraph } from './graph.ts';
