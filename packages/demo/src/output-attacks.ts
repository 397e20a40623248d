import { isRecord, type AgentLogEntry } from '@devs/core';
import type { Attack, AttackGroup, Finding } from './attack.ts';
import { askForCall } from './call-attacks.ts';
import { HOSTILE_MARKS, WRITTEN } from './hostile-outputs.ts';
import type { Stage } from './stage.ts';

/** Title, the tool that the hostile server offers, the step that has to have changed its output, and what has to be left of it. */
type Row = readonly [title: string, tool: string, step: string, kept?: string];

const CLEANED: readonly Row[] = [
  ['rewrite the screen and the clipboard by escape sequences', 'clears_screen', 'terminal-controls:'],
  ['whisper to the model in its answer', 'whispers_in_tags', 'invisibles:'],
  ['hide words between letters, in a text that needs such characters', 'hides_in_writing', 'invisibles:', WRITTEN],
  ['show code in another order than it runs', 'shows_another_order', 'invisibles:'],
  ['hand a token to the model', 'leaks_token', 'secrets:'],
  ['the same, cut by what nobody sees', 'leaks_in_pieces', 'secrets:'],
  ['hand over a private key that has no end', 'leaks_key', 'secrets:'],
  ['hand over keys in the forms of their providers', 'leaks_provider_keys', 'secrets:'],
  ['hand over secrets that only their place tells', 'leaks_by_place', 'secrets:'],
  ['close the boundary and speak as the user', 'closes_boundary', 'tags:'],
  ['the same in letters of full width, and in entities', 'closes_in_disguise', 'tags:'],
  ['the same with other signs, in brackets, and with a prefix', 'closes_by_other_signs', 'tags:'],
  ['the same, half in one text and half in the next', 'closes_over_two_texts', 'tags:'],
  ['pull the trigger of another program', 'pulls_trigger', 'triggers:'],
  ['the same in look-alikes, and by the name of devs', 'pulls_in_disguise', 'triggers:'],
  ['leak by the keys of structured content', 'leaks_in_structure', 'secrets:'],
  ['hide an escape sequence in the escapes of JSON', 'hides_in_json', 'terminal-controls:'],
  ['pass a script for an image', 'calls_it_image', 'content:'],
  ['link to a script', 'links_to_script', 'links:'],
  ['leak in the words of an error', 'fails_with_token', 'secrets:'],
];

/** Clients show the structured part of a result alone. */
const outsideBoundary: Attack = {
  title: 'speak in structured content, outside the boundary of the text',
  run: async (stage) => {
    const { text, structured, entry } = await answerOf(stage, 'speaks_in_structure');
    const [first] = Object.entries(structured);
    const id = /<external-content-(?<id>[0-9a-f]{12}) /.exec(text)?.groups?.['id'];
    const isHeld = first?.[0] === 'devs/boundary' && id !== undefined && String(first[1]).includes(id);
    return { held: isHeld, stoppedBy: isHeld ? 'fenced by devs/boundary' : 'nothing', callId: entry?.id ?? null };
  },
};

const forgedFence: Attack = {
  title: 'forge that fence with a name that reads alike',
  run: async (stage) => {
    const { structured, entry } = await answerOf(stage, 'forges_fence');
    const [fence, forged] = Object.keys(structured);
    const isHeld = fence === 'devs/boundary' && forged?.endsWith(' (from server)') === true;
    return { held: isHeld, stoppedBy: isHeld ? 'said to be from the server' : 'nothing', callId: entry?.id ?? null };
  },
};

const binary: Attack = {
  title: 'pass a program for text',
  run: async (stage) => {
    const { entry } = await answerOf(stage, 'gives_binary');
    return { held: entry?.code === 'BINARY_CONTENT', stoppedBy: entry?.code ?? 'nothing', callId: entry?.id ?? null };
  },
};

const flood: Attack = {
  title: 'drown the model in 800 KB of text',
  run: async (stage) => {
    const { text, entry } = await answerOf(stage, 'talks_without_end');
    const isHeld = entry?.sanitization.truncated === true && text.length < 120_000 && text.includes('read_more');
    return { held: isHeld, stoppedBy: isHeld ? 'cut, the rest kept for read_more' : 'nothing', callId: entry?.id ?? null };
  },
};

const overwrite: Attack = {
  title: 'have the agent write the mark over the secret that it stands for',
  run: async (stage) => {
    const agent = await stage.agent();
    const [read] = await askForCall(agent, call('read_file', { path: 'settings.env' }));
    await stage.newestCall();
    const mark = /\[REDACTED:secret:[a-z0-9-]+\]/.exec(JSON.stringify(read))?.[0];
    if (mark === undefined) return { held: false, stoppedBy: 'the secret was not masked', callId: null };
    const answers = await askForCall(agent, call('write_file', { path: 'settings.env', content: `TOKEN=${mark}\n` }));
    const entry = await stage.newestCall();
    const isHeld = answers.length === 1 && entry?.code === 'REDACTED_IN_WRITE';
    return { held: isHeld, stoppedBy: entry?.code ?? 'nothing', callId: entry?.id ?? null };
  },
};

export const outputAttacks: readonly AttackGroup[] = [
  { title: 'What a tool gives back', attacks: [...CLEANED.map(cleaned), outsideBoundary, forgedFence, binary, flood, overwrite] },
];

/** Held when nothing hostile is in the answer, nor in the log, and the step that has to see it has counted. */
function cleaned([title, tool, step, kept = '']: Row): Attack {
  return {
    title,
    run: async (stage): Promise<Finding> => {
      const { text, entry } = await answerOf(stage, tool);
      if (entry === undefined) return { held: false, stoppedBy: 'it is not in the log', callId: null };
      const all = `${text}${JSON.stringify(entry)}`;
      const left = HOSTILE_MARKS.find((mark) => all.includes(mark));
      if (left !== undefined) return { held: false, stoppedBy: 'it is in the answer or in the log', callId: entry.id };
      if (!text.includes(kept)) return { held: false, stoppedBy: 'it has destroyed what people write', callId: entry.id };
      const counted = Object.keys(entry.sanitization.counts ?? {}).filter((key) => key.startsWith(step));
      // Words of devs alone stand outside a boundary.
      const isBounded = text.includes('<external-content-') || !/"text":"(?!\[devs \d{8}: )/.test(text);
      return { held: counted.length > 0 && isBounded, stoppedBy: counted.join(', ') || 'nothing', callId: entry.id };
    },
  };
}

interface Answered {
  /** The result as its client gets it, JSON and all. */
  readonly text: string;
  readonly structured: object;
  readonly entry: AgentLogEntry | undefined;
}

async function answerOf(stage: Stage, tool: string): Promise<Answered> {
  const [answer] = await askForCall(await stage.victim(), call(tool, {}));
  const result = isRecord(answer) && isRecord(answer['result']) ? answer['result'] : {};
  const { structuredContent: structured } = result;
  return { text: JSON.stringify(result), structured: isRecord(structured) ? structured : {}, entry: await stage.newestCall() };
}

function call(name: string, args: object): string {
  return JSON.stringify({ name, arguments: args });
}
