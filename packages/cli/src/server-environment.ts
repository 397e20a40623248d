/** What a program needs to start and to write where its user reads; nothing that could be a secret. */
const SAFE = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];

/** What servers of the configuration get of devs's own environment. What else they need stands in their entries, where it can be seen. */
export function safeEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(SAFE.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));
}
