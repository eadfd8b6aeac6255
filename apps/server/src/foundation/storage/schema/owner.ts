export type OwnerType = 'USER' | 'ORGANIZATION';
