export { builtInTools } from './built-in-tools.ts';
