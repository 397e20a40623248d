import { isRecord } from '@devs/core';
import { judge, refusedBefore, type Attack, type AttackGroup } from './attack.ts';
import { askForCall } from './call-attacks.ts';

const READ_NOTES = '{"name":"read_file","arguments":{"path":"notes.txt"}}';
const READ_BYTES = '{"name":"read_file","arguments":{"path":"bytes.bin"}}';

const beforeInitialize: Attack = {
  title: 'call a tool before the handshake',
  run: async (stage) => {
    await using stranger = stage.stranger();
    return await judge(stage, await askForCall(stranger, READ_NOTES), { code: 'MESSAGE_REFUSED' });
  },
};

const batch: Attack = {
  title: 'hide a call in a batch',
  run: async (stage) => {
    const agent = await stage.agent();
    const answers = await agent.ask([`[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${READ_NOTES}}]`]);
    return judge(stage, answers, { code: 'MESSAGE_REFUSED' });
  },
};

const unknownVersion: Attack = {
  title: 'change to a protocol version that does not exist',
  run: async (stage) => {
    const params = READ_NOTES.replace(/}$/, ',"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}');
    return judge(stage, await askForCall(await stage.agent(), params), { code: 'MESSAGE_REFUSED' });
  },
};

const tooLarge: Attack = {
  title: 'send one message of 33 MiB',
  run: async (stage) => {
    const content = 'x'.repeat(33 * 1024 * 1024);
    const params = `{"name":"write_file","arguments":{"path":"big.txt","content":"${content}"}}`;
    return judge(stage, await askForCall(await stage.agent(), params), { code: 'MESSAGE_TOO_LARGE' });
  },
};

const manyValues: Attack = {
  title: 'fill the memory with ten million empty lists',
  run: async (stage) => {
    const lists = `[${'[],'.repeat(10_000_000)}0]`;
    const params = `{"name":"read_file","arguments":{"path":${lists}}}`;
    return judge(stage, await askForCall(await stage.agent(), params), { code: 'MESSAGE_TOO_LARGE' });
  },
};

const noJson: Attack = {
  title: 'send what is no JSON, and ask again',
  run: async (stage) => {
    const agent = await stage.agent();
    const [first, second] = await agent.ask(['{"jsonrpc":"2.0","id":3,', '{"jsonrpc":"2.0","id":4,"method":"ping"}']);
    const code = isRecord(first) && isRecord(first['error']) ? first['error']['code'] : undefined;
    const isAlive = isRecord(second) && second['id'] === 4 && isRecord(second['result']);
    return refusedBefore(code === -32_700 && isAlive, 'JSON-RPC -32700; the connection lives on');
  },
};

const badBytes: Attack = {
  title: 'read bytes that are no text: NULs and half characters',
  run: async (stage) => {
    const answers = await askForCall(await stage.agent(), READ_BYTES);
    const text = JSON.stringify(answers);
    const entry = await stage.newestCall();
    const isClean = text.isWellFormed() && text.includes('\u{fffd}') && !text.includes('\\u0000') && answers.length === 1;
    return { held: isClean, stoppedBy: isClean ? 'made well-formed text' : 'nothing', callId: entry?.id ?? null };
  },
};

export const messageAttacks: readonly AttackGroup[] = [
  { title: 'Raw messages', attacks: [beforeInitialize, batch, unknownVersion, noJson, tooLarge, manyValues] },
  { title: 'Bytes that are not text', attacks: [badBytes] },
];
