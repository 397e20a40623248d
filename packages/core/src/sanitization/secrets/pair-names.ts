import { ownValue } from '../../json.ts';
import { namesSecret } from './named-values.ts';

/**
 * The name that the value of a member stands under: in `{"name":"AWS_SECRET_ACCESS_KEY","value":"…"}` (Docker, Kubernetes,
 * HAR, Postman) it is the text of the member beside it.
 */
export function nameOfMember(object: object, name: string): string {
  if (name.toLowerCase() !== 'value') return name;
  for (const member of ['name', 'key', 'Name', 'Key']) {
    const other = ownValue(object, member);
    if (typeof other === 'string' && namesSecret(other)) return other;
  }
  return name;
}

/** The text before one of a list, if that names a secret: the arguments of a command, lists of pairs. */
export function nameOfItem(list: readonly unknown[], index: number): string | undefined {
  const before = list[index - 1];
  return typeof before === 'string' && namesSecret(before) ? before : undefined;
}
