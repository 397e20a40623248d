import { CONFIGURATIONS, ServerScene } from './server-scene.ts';

/** A devs that starts one server, says when it is there, and waits to be killed. */
const [, , , name = '', code = ''] = process.argv;

async function runServer(): Promise<void> {
  const configuration = CONFIGURATIONS.find((each) => each.name === name);
  if (configuration === undefined) throw new Error(`There is no configuration ${name}.`);
  const scene = new ServerScene(configuration);
  const { ask } = await scene.start();
  process.stdout.write(`${JSON.stringify({ base: scene.base, answer: await ask(code) })}\n`);
}

void runServer();
