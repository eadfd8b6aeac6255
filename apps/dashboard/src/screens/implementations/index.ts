export { Code } from './code.tsx';
export { CommitPage, Commits } from './commits.tsx';
export { FilePage } from './file.tsx';
export { ImplementationPage } from './implementation-page.tsx';
export { Implementations } from './implementations.tsx';
export { Settings } from './settings.tsx';
