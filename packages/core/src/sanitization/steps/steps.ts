import type { OutputConfig } from '../../config/output-config.ts';
import { boundaryTags } from './boundary-tags.ts';
import { htmlToText } from '../html/html-text.ts';
import { invisibles } from '../terminal/invisibles.ts';
import { markdownLinks } from '../markdown/markdown-links.ts';
import type { SecretDetector } from '../secrets/secret-detector.ts';
import { noticeForgeries } from './notice-forgeries.ts';
import { secrets } from '../secrets/secrets-step.ts';
import { terminalControls } from '../terminal/terminal-controls.ts';
import type { TextStep } from '../pipeline/text-step.ts';
import { triggers } from './triggers.ts';

export interface StepSettings {
  readonly toolName: string;
  readonly output: OutputConfig;
  readonly detector: SecretDetector;
  /** Whether boundary tags and triggers are redacted: for every result that stands inside a boundary. */
  readonly isBounded: boolean;
  readonly triggers: readonly string[];
  /** Of devs's own notices. Absent: there are none. */
  readonly noticeId?: string;
}

/**
 * The pipeline of a text. What deletes comes before what replaces: a zero-width space taken out of
 * `gh\u200bp_…` after secrets were looked for would put the token together again. After these a text is only cut
 * and wrapped.
 */
export function createSteps({ toolName, output, detector, isBounded, triggers: words, noticeId }: StepSettings): readonly TextStep[] {
  return [
    ...(output.html === 'text' ? [htmlToText] : []),
    terminalControls(output),
    invisibles,
    secrets(detector, toolName),
    ...(noticeId === undefined ? [] : [noticeForgeries(noticeId)]),
    ...(isBounded ? [boundaryTags, triggers(words)] : []),
    ...(output.links === 'mark' ? [markdownLinks] : []),
  ];
}
