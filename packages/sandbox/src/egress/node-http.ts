import process from 'node:process';

/**
 * Node's HTTP, loaded when something is asked or served over it. As an `import` it brings Node's own fetch client along, and
 * a start that speaks stdio alone would take a tenth longer.
 */
export const nodeHttp = () => process.getBuiltinModule('node:http');
