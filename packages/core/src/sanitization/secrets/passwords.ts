import type { SecretSpans } from './secret-spans.ts';

/** A name, which may be empty, and a password in front of a host. No look across a mark of devs. */
const CREDENTIALS = /:\/\/[^\s:/?#@"'<>`\\[\]]{0,128}:((?:(?!\[REDACTED:)[^\s/?#"'<>`]){1,256})@(?=[A-Za-z0-9._[%$-])/y;

/** What stands for a password in documentation and templates. */
const PLACEHOLDER =
  /^(?:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[A-Z_]*%|%s|[{[(].*[}\])]|[*\u2022.]+|x+|-+|(?:your|my|the|some)?[_-]?(?:db[_-]?)?(?:pass|passwd|password|pwd|pw|secret|token|key)(?:[_-]?here)?)$/i;

/** The password in the `scheme://user:password@host` whose `://` stands here. */
export function passwordInUrl(text: string, at: number): { start: number; end: number } | undefined {
  if (!/[A-Za-z0-9]/.test(text[at - 1] ?? '')) return undefined;
  CREDENTIALS.lastIndex = at;
  const password = CREDENTIALS.exec(text)?.[1];
  if (password === undefined || isPlaceholder(password)) return undefined;
  return { start: CREDENTIALS.lastIndex - 1 - password.length, end: CREDENTIALS.lastIndex - 1 };
}

export function isPlaceholder(password: string): boolean {
  return PLACEHOLDER.test(password) || /\$\{|\{\{/.test(password);
}

const SIGNATURE = /[&?](?:amp;)?sig=([A-Za-z0-9%+/]{40,200}={0,2})/y;

/** `sig` of an Azure shared access signature: whoever holds the URL may use it. */
export function signatureInUrl(text: string, at: number): { start: number; end: number } | undefined {
  SIGNATURE.lastIndex = at;
  const signature = SIGNATURE.exec(text)?.[1];
  return signature === undefined ? undefined : { start: SIGNATURE.lastIndex - signature.length, end: SIGNATURE.lastIndex };
}

const NETRC_PASSWORD = /(?<=\slogin\s{1,8}\S{1,256}\s{1,64}password\s{1,8})\S{1,4096}/g;

/** Passwords of a text that begins as a netrc file does; elsewhere the word `password` says nothing. */
export function findNetrcPasswords(text: string, spans: SecretSpans): void {
  if (!text.startsWith('machine ') && !text.startsWith('default ') && !(text.startsWith('#') && text.includes('\nmachine '))) return;
  for (const { 0: password, index } of text.matchAll(NETRC_PASSWORD)) {
    // What stands behind a mark was beyond the reach of the first look: a second must not find more.
    if (!password.startsWith('[REDACTED:') && !isPlaceholder(password)) spans.add(index, index + password.length, 'netrc-password');
  }
}
