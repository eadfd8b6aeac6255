import './implementations.css';

export { Branches } from './branches.tsx';
export { Code } from './code.tsx';
export { CommitPage, Commits } from './commits.tsx';
export { ComparePage } from './compare.tsx';
export { EditPage } from './edit.tsx';
export { FilePage } from './file.tsx';
export { ImplementationPage } from './implementation-page.tsx';
export { Implementations, PublicImplementations } from './implementations.tsx';
export { MadeVersions } from './made-versions.tsx';
export { Settings } from './settings.tsx';
