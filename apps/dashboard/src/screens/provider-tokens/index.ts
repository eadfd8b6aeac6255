export { ProviderTokens } from './provider-tokens.tsx';
