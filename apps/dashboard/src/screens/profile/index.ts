export { ProfilePage } from './profile-page.tsx';
export { Profile } from './profile.tsx';
export { Tokens } from './tokens.tsx';
