import { DevsError, isTextType, isToldType } from '@devs/core';
import type { FetchedPage, RawContent, ToolHandler, ToolOfKind, ValidatedArgs } from '@devs/core';
import { stringArgument } from '../arguments.ts';
import { isHtml, textOf } from './page-text.ts';

/** Bytes of a page that are read. What becomes of them is longer than one answer anyway. */
const MAX_BYTES = 5_000_000;
const MAX_URL_CHARACTERS = 8_192;
/** Characters of an address that a notice shows: it is the word of a server. */
const MOST_SHOWN = 300;

/** Answers the text of a page, or the page as it is; what there is to say about it in a second block. */
const webFetch: ToolHandler<'network'> = async (args, { egress, signal }) => {
  const url = stringArgument(args, 'url');
  const page = await egress.fetch({ url, maxBytes: MAX_BYTES }, signal);
  refuseNoText(page);
  return { content: [toBlock(page, args), ...toNotice(page, url)], isError: page.status >= 400 };
};

/** A type that devs does not know is the word of a server, and could be a sentence. */
function refuseNoText({ mediaType }: FetchedPage): void {
  if (mediaType === '' || isTextType(mediaType)) return;
  const type = isToldType(mediaType) ? `of type ${mediaType}` : 'of a type that devs does not know';
  throw new DevsError('FETCH_FAILED', { sentence: `The page is no text, but ${type}.`, suggestion: 'Look for a page with the same content as text.' });
}

/** HTML becomes text behind the gate, which knows what stood apart before: a secret must not begin inside a word. */
function toBlock(page: FetchedPage, args: ValidatedArgs): RawContent {
  const isShownAsText = args['format'] !== 'html' && isHtml(page);
  return { type: 'text', text: textOf(page), ...(isShownAsText && { markup: 'html' }) };
}

function toNotice({ url, status, body, truncated }: FetchedPage, asked: string): RawContent[] {
  const said = [
    ...(status < 200 || status >= 300 ? [`The server answered with status ${String(status)}.`] : []),
    ...(isElsewhere(url, asked) ? [`The page is at ${shown(url)}.`] : []),
    ...(truncated ? [`Only its first ${String(body.length)} bytes were read.`] : []),
    ...(body.length === 0 ? ['There is nothing on the page.'] : []),
  ];
  return said.length === 0 ? [] : [{ type: 'notice', text: `[${said.join(' ')}]` }];
}

/** The egress has read the address that was asked for: the same one comes back where nothing redirected. */
function isElsewhere(url: string, asked: string): boolean {
  const own = new URL(asked);
  own.hash = '';
  return own.href !== url;
}

function shown(url: string): string {
  return JSON.stringify(url.length <= MOST_SHOWN ? url : `${url.slice(0, MOST_SHOWN)}...`);
}

export const webFetchTool: ToolOfKind<'network'> = {
  definition: {
    name: 'web_fetch',
    title: 'Fetch a web page',
    description:
      'Returns the text of one page by its http or https URL: of HTML what a reader would see, links behind their words. ' +
      'Only hosts that the operator has allowed are reached. Sends no cookies, follows redirects, and takes text alone.',
    inputSchema: {
      type: 'object',
      properties: {
        url: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_URL_CHARACTERS,
          description: 'Whole URL, as https://example.com/page. Ports 80 and 443; no user name or password.',
        },
        format: {
          type: 'string',
          enum: ['text', 'html'],
          description: '"html": HTML as the server sends it. Default: "text".',
        },
      },
      required: ['url'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  },
  kind: 'network',
  handler: webFetch,
  effects: true,
  labels: ['untrusted', 'external'],
  source: 'built-in',
};
