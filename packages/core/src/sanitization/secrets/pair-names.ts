import { ownValue } from '../../json.ts';
import { namesSecret } from './named-values.ts';

/**
 * The name that the value of a member stands under: in `{"name":"AWS_SECRET_ACCESS_KEY","value":"…"}` (Docker, Kubernetes,
 * HAR, Postman) it is the text of the member beside it.
 */
export function nameOfMember(object: object, name: string): string {
  return nameBeside(name, (member) => ownValue(object, member));
}

/** The same for who reads each member once, from left to right: `read` gives what a member said that was read before. */
export function nameBeside(name: string, read: (member: string) => unknown): string {
  if (name.toLowerCase() !== 'value') return name;
  for (const member of NAMING) {
    const other = read(member);
    if (typeof other === 'string' && namesSecret(other)) return other;
  }
  return name;
}

const NAMING: readonly string[] = ['name', 'key', 'Name', 'Key'];

/** True of the member whose text is the name of the value beside it. */
export function isNaming(member: string): boolean {
  return NAMING.includes(member);
}

const VALUE_MEMBER = /"[Vv]alue"/;
const NAMING_MEMBER = /"(?:[Nn]ame|[Kk]ey)"\s{0,16}:\s{0,16}"[^"\\]{0,64}(?:key|token|secret|password|passwd|authorization|cookie)"/i;

/** Quick: whether a text may be JSON with such a pair in it. */
export function holdsNamedPairs(text: string): boolean {
  return /^\s{0,64}[[{]/.test(text) && VALUE_MEMBER.test(text) && NAMING_MEMBER.test(text);
}

/** The text before one of a list, if that names a secret: the arguments of a command, lists of pairs. */
export function nameOfItem(list: readonly unknown[], index: number): string | undefined {
  const before = list[index - 1];
  return typeof before === 'string' && namesSecret(before) ? before : undefined;
}
