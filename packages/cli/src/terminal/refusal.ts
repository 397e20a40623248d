import { describeBlock, findDecider, isRecord, REFUSAL_META_KEY, STAGES, stageOf, type AgentLogEntry, type ErrorCode, type Stage } from '@devs/core';

/** One thing that decided, in words of devs and of the caller: to be escaped before it is shown. */
export interface Deciding {
  /** An argument by its JSON Pointer, or what of the call it is. */
  readonly what: string;
  readonly value: string;
}

export interface Refusal {
  readonly stage: Stage;
  /** What is done at that stage. */
  readonly doing: string;
  readonly code: ErrorCode;
  /** The policy rule that had let the call through, where it came to the policy. */
  readonly policy: string | undefined;
  /** What a path was held to and refused by: an entry of the configuration, or what holds everywhere. Undefined of other stages. */
  readonly rule: string | undefined;
  /** What the agent was told. */
  readonly reason: string;
  readonly decidedBy: readonly Deciding[];
}

const MOST_CHARACTERS = 500;
const ERASED = 'not in the log any more: the payload is erased';

/** What no key of the configuration says, as nothing changes it. */
const BUILT_IN: Partial<Record<ErrorCode, string>> = {
  PATH_OUTSIDE_ROOT: 'the project folder, built in: no path leads out of it',
  PATH_REFUSED: 'built in: what can be no path, or cannot be followed safely',
};

/** Why devs refused a call or kept its answer, by what the log has of it. Undefined of a call that it did not refuse. */
export function explainRefusal(entry: AgentLogEntry): Refusal | undefined {
  const { status, code, rule } = entry;
  if (code === null || (status !== 'denied' && status !== 'withheld')) return undefined;
  const stage = stageOf(code);
  const decidedBy = entry.isErased && stage !== 'find' ? [{ what: 'input', value: ERASED }] : whatDecided(stage, entry);
  const reason = entry.isErased ? ERASED : reasonOf(entry);
  const shared = { stage, doing: STAGES[stage], code, policy: rule === '' ? undefined : rule };
  return { ...shared, rule: stage === 'paths' ? ruleOf(code, entry) : undefined, reason, decidedBy };
}

/** Who refused has said it in the detail, for the operator alone: an agent is not told what is hidden from it, and where. */
function ruleOf(code: ErrorCode, { detail, isErased }: AgentLogEntry): string | undefined {
  if (isErased && code !== 'PATH_OUTSIDE_ROOT') return ERASED;
  return findDecider(detail ?? '') ?? BUILT_IN[code];
}

function whatDecided(stage: Stage, entry: AgentLogEntry): readonly Deciding[] {
  switch (stage) {
    case 'find':
      return [{ what: 'tool', value: entry.toolName }, ...claimsOf(entry)];
    case 'validate':
      return toProblems(entry) ?? toDetail(entry);
    case 'paths':
      return toArgument(entry) ?? toDetail(entry);
    default:
      return toDetail(entry);
  }
}

/** What hides a tool from a caller, or shows it, is what the caller says of itself. */
function claimsOf({ agentId, phaseId, epicId, taskId, principal }: AgentLogEntry): readonly Deciding[] {
  const claims = { principal, agent: agentId, phase: phaseId, epic: epicId, task: taskId };
  return Object.entries(claims).flatMap(([what, value]) => (value === '' ? [] : [{ what, value }]));
}

/** Code, sentence and cause, as the operator is told them. */
function toDetail({ detail }: AgentLogEntry): readonly Deciding[] {
  return detail === null ? [] : [{ what: 'detail', value: detail }];
}

function refusalOf({ output }: AgentLogEntry): Readonly<Record<string, unknown>> {
  const refusal = output?._meta?.[REFUSAL_META_KEY];
  return isRecord(refusal) ? refusal : {};
}

function reasonOf(entry: AgentLogEntry): string {
  const { reason } = refusalOf(entry);
  if (typeof reason === 'string') return cut(reason);
  return cut((entry.output?.content ?? []).map(describeBlock).join(' '));
}

/** The arguments that did not fit, and what would have. */
function toProblems(entry: AgentLogEntry): readonly Deciding[] | undefined {
  const { errors } = refusalOf(entry);
  if (!Array.isArray(errors)) return undefined;
  return errors.filter(isRecord).map(({ pointer, expected, received, hint }) => {
    const given = typeof hint === 'string' ? `; ${hint}` : '';
    return { what: toSubject(pointer), value: cut(`wanted ${String(expected)}, got ${String(received)}${given}`) };
  });
}

function toSubject(pointer: unknown): string {
  return typeof pointer === 'string' && pointer !== '' ? `argument ${pointer}` : 'the arguments';
}

const NAMED = /^Argument ("(?:[^"\\]|\\.)*")/;

/** The argument that a refused path stood in: the sentence names it, or it is the one that file tools have. */
function toArgument(entry: AgentLogEntry): readonly Deciding[] | undefined {
  const named = NAMED.exec(reasonOf(entry))?.[1];
  const pointer = named === undefined ? '/path' : parsePointer(named);
  const value = pointer === undefined ? undefined : valueAt(entry.receivedInput ?? entry.input, pointer);
  return value === undefined ? undefined : [{ what: toSubject(pointer), value: cut(typeof value === 'string' ? value : JSON.stringify(value)) }];
}

function parsePointer(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

/** RFC 6901. Own members alone: the names are the caller's. */
function valueAt(value: unknown, pointer: string): unknown {
  let current = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = Object.getOwnPropertyDescriptor(current, name)?.value;
  }
  return current;
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
