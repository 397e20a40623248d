import { isRecord } from '@devs/core';
import { judge, refusedBefore, type Attack, type AttackGroup, type Expected, type Finding } from './attack.ts';
import { askForCall } from './call-attacks.ts';
import type { LineClient } from './line-client.ts';
import type { Stage } from './stage.ts';

/** A tool that the hostile server offers, and what must become of a call of it. */
type Row = readonly [string, string, Expected['code']];

const CALLS: readonly Row[] = [
  ['answer with one line of 50 MB', 'floods', 'UPSTREAM_ANSWER_REFUSED'],
  ['answer others, write log lines, then answer with no result', 'answers_nonsense', 'UPSTREAM_ANSWER_REFUSED'],
];

const HIDDEN: readonly Row[] = [
  ['whisper to the model in characters that nobody sees', 'whispers', 'UNKNOWN_TOOL'],
  ['offer a schema that is to be fetched from elsewhere', 'bad_schema', 'UNKNOWN_TOOL'],
  ['offer a tool whose name breaks out', 'bad name; rm -rf', 'UNKNOWN_TOOL'],
];

const neverAnswers: Attack = {
  title: 'never answer',
  run: async (stage) => {
    await using agent = await stage.impatientVictim();
    return await judge(stage, await callTool(agent, 'never_answers'), { code: 'TOOL_TIMEOUT' });
  },
};

const dies: Attack = {
  title: 'die in an answer, come back with other descriptions',
  run: async (stage) => {
    const agent = await stage.victim();
    const lost = await judge(stage, await callTool(agent, 'dies'), { code: 'UPSTREAM_LOST' });
    if (!lost.held) return lost;
    await untilBack(stage, agent);
    const changed = await judge(stage, await callTool(agent, 'changes'), { code: 'TOOL_NOT_APPROVED' });
    return { ...changed, stoppedBy: `${lost.stoppedBy}, then ${changed.stoppedBy}` };
  },
};

const asksBack: Attack = {
  title: 'ask the client to think for the server',
  run: async (stage) => {
    const [answer, ...more] = await callTool(await stage.victim(), 'asks_back');
    const entry = await stage.newestCall();
    const isHeld = more.length === 0 && isRecord(answer) && answer['id'] === 1;
    return { held: isHeld, stoppedBy: isHeld ? 'not handed on' : 'nothing', callId: entry?.id ?? null };
  },
};

export const upstreamAttacks: readonly AttackGroup[] = [
  {
    title: 'A hostile server behind devs run',
    attacks: [...HIDDEN.map(notOffered), ...CALLS.map(stopped), neverAnswers, asksBack, dies],
  },
];

function stopped([title, tool, code]: Row): Attack {
  return { title, run: async (stage) => judge(stage, await callTool(await stage.victim(), tool), { code }) };
}

/** Neither in the list, nor callable by whoever knows the name. */
function notOffered([title, tool, code]: Row): Attack {
  return {
    title,
    run: async (stage): Promise<Finding> => {
      const agent = await stage.victim();
      const list = await agent.ask(['{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{}}']);
      const isOffered = JSON.stringify(list).includes(JSON.stringify(tool)) || !JSON.stringify(list).includes('"honest"');
      if (isOffered) return refusedBefore(false, 'the tool is offered');
      return judge(stage, await callTool(agent, tool), { code });
    },
  };
}

async function callTool(agent: LineClient, name: string): Promise<readonly unknown[]> {
  return askForCall(agent, JSON.stringify({ name, arguments: {} }));
}

/** Calls are answered at once while the server is started again; they are part of the log, not of the attack. */
async function untilBack(stage: Stage, agent: LineClient): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const text = JSON.stringify(await callTool(agent, 'honest'));
    await stage.newestCall();
    if (text.includes('an honest answer')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
