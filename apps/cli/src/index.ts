export { createProgram } from './program.ts';
export { reference } from './reference.ts';
export { shellOfProcess } from './shell.ts';
