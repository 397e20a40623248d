import { readMarkdown, sectionOf } from './markdown.mjs';
import { finding } from './source.mjs';

/** What the requirements quote word for word, and where it stands. Line ends and repeated spaces do not count. */
const QUOTED = [
  {
    file: '.devs/memory/phase_3_decisions.md',
    texts: [
      'Non-UTF8 mitigation: all tool outputs routed through `OutputSanitizer.sanitize()` in `ToolProxy` before JSON serialization; ' +
        'uses `TextDecoder { fatal: false }` for replacement; outputs exceeding `maxToolOutputBytes` are truncated with a sentinel.',
      'ToolProxy is the single chokepoint for all agent tool calls; no tool may bypass it. SandboxExecutor is injected, not imported directly.',
    ],
  },
  {
    file: 'packages/core/src/protocol/output-sanitizer.agent.md',
    texts: ['isSafeForJSON', 'config.mcp.maxToolOutputBytes', '[OUTPUT TRUNCATED - exceeded maxToolOutputBytes limit]', 'In `agent_logs`'],
    // The order of the steps.
    inOrder: ['invalid UTF-8', 'Remove NULs', 'Cut at a character'],
  },
  { file: 'packages/core/src/tool-proxy/tool-proxy.agent.md', texts: ['Injection point of the sanitizer', 'tool_name', 'task_id', 'turn_index'] },
  { file: 'packages/core/README.md', section: 'ToolProxy', texts: ['execute', 'ToolResult'] },
  {
    file: 'docs/architecture/mcp-tool-registry.md',
    section: 'ToolProxy & Execution Flow',
    texts: ['[2_TAS-REQ-032]', '[TAS-072]'],
    /** The first lines of the diagram's participants, in the order of the call. */
    diagram: { kind: 'sequenceDiagram', participants: ['Agent', 'OrchestratorServer', 'ToolProxy', 'validateToolArgs', 'SandboxExecutor', 'AgentLogRepository'] },
  },
];

/** The docs hold what the requirements quote: headings, captions, the diagram and the entries of the memory. */
export function checkQuoted(files, quoted = QUOTED) {
  return quoted.flatMap((entry) => missingIn(files.get(entry.file), entry).map((message) => finding(entry.file, 1, message)));
}

function missingIn(whole, { section, texts, inOrder = [], diagram }) {
  if (whole === undefined) return ['The file is missing; the requirements quote it.'];
  const lines = section === undefined ? readMarkdown(whole).lines : sectionOf(whole, section);
  if (lines === undefined) return [`The section "${section}" is missing.`];
  const text = toOneLine(section === undefined ? whole : lines.map(({ line }) => line).join('\n'));
  return [
    ...texts.filter((wanted) => !text.includes(wanted)).map((wanted) => `It does not say: ${wanted}`),
    ...outOfOrder(text, inOrder),
    ...(diagram === undefined ? [] : diagramFindings(whole, diagram)),
  ];
}

function toOneLine(text) {
  return text.replace(/\s+/g, ' ');
}

function outOfOrder(text, wanted) {
  const places = wanted.map((words) => text.indexOf(words));
  const isOrdered = places.every((place, index) => place >= 0 && (index === 0 || place > places[index - 1]));
  return isOrdered ? [] : [`It does not say in this order: ${wanted.join(', ')}`];
}

/** Each participant is declared, and the first arrows go from one to the next. */
function diagramFindings(whole, { kind, participants }) {
  const fence = readMarkdown(whole).fences.find(({ info, lines }) => info[0] === 'mermaid' && lines[0]?.trim() === kind);
  if (fence === undefined) return [`There is no Mermaid ${kind}.`];
  const names = fence.lines.flatMap((line) => /^\s*participant \w+ as (.+)$/.exec(line)?.[1]?.trim() ?? []);
  const missing = participants.filter((name) => !names.includes(name));
  if (missing.length > 0) return missing.map((name) => `The diagram has no participant ${name}.`);
  return outOfOrder(names.join('\n'), participants);
}
