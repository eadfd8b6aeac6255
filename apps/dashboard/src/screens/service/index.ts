export { ConfigurationPage } from './configuration-page.tsx';
export { Overview } from './overview.tsx';
export { Provided } from './provided.tsx';
export { RunPage } from './run-page.tsx';
export { ServicePage } from './service-page.tsx';
export { Sharing } from './sharing.tsx';
export { SourcePage } from './source-page.tsx';
export { Versions } from './versions.tsx';
