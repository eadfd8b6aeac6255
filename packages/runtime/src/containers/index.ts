export { BUSYBOX } from './check.ts';
export { Container } from './container.ts';
export { describeContainer, LABELS, USER, type ImageConfig } from './description.ts';
export { Engine } from './engine.ts';
export { handover } from './handover.ts';
export { installationOf } from './installation.ts';
export { seccompProfile } from './seccomp-profile.ts';
