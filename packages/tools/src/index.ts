export { builtInTools } from './built-in-tools.ts';
export { readMoreTool } from './read-more/read-more.ts';
