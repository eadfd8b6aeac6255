/** Every reason to refuse a workflow file. The names are for programs and do not change. */
const problemCodes = [
  // The document
  'NOT_XML',
  'TOO_LARGE',
  'DOCTYPE',
  'ENCODING',
  'NOT_BPMN',
  'INVALID_ID',
  'DUPLICATE_ID',
  'DANGLING_REFERENCE',
  'UNKNOWN_CONTENT',
  'NO_EXECUTABLE_PROCESS',
  // Elements that do not run
  'UNSUPPORTED_ELEMENT',
  'UNSUPPORTED_EVENT',
  'UNSUPPORTED_EXTENSION',
  // Structure
  'START_EVENT',
  'END_EVENT',
  'SEQUENCE_FLOW',
  'GATEWAY',
  'BOUNDARY_EVENT',
  'EVENT_SUB_PROCESS',
  'DUPLICATE_CATCHER',
  'STRAIGHT_THROUGH_LOOP',
  // Settings of elements
  'EXPRESSION',
  'CONDITION',
  'MAPPING',
  'TIMER',
  'MESSAGE',
  'SIGNAL',
  'ERROR_CODE',
  'SERVICE',
  'CALLED_ELEMENT',
  'SCRIPT',
  'MULTI_INSTANCE',
  'REQUEST_SCHEMA',
  'PAYLOAD_VARIABLE',
  'SECRET',
  /** Named by the specification. */
  'ReservedOutputVariableException',
] as const;

export type ProblemCode = (typeof problemCodes)[number];
