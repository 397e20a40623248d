/*
 * Runs in a box, before the command: listens where the command's programs look for a proxy, and on the ports of the machine
 * that they may reach, hands each of their connections to devs over the one descriptor that leads out, and then starts the
 * command. It is as much in the hands of the command as anything else in the box: who is reached is decided by devs.
 */
const { spawn } = process.getBuiltinModule('node:child_process');
const http2 = process.getBuiltinModule('node:http2');
const net = process.getBuiltinModule('node:net');
const os = process.getBuiltinModule('node:os');

/** `CHANNEL_FD` of core. */
const CHANNEL = 3;
/** As a shell says that a program cannot be run. */
const NOT_FOUND = 127;
const SIGNAL_BASE = 128;

/** The port of the proxy, 0 for none; ports of the machine, with commas between them; the command. */
const [proxyPort = '0', ports = '', program = '', ...words] = process.argv.slice(2);
// The stream is HTTP/2, of which only streams are used: each is one connection, byte by byte.
const outside = http2.connect('http://devs', { createConnection: () => new net.Socket({ fd: CHANNEL }) });
// Without devs there is no network; the command goes on without.
outside.on('error', () => undefined);
outside.unref();

function listen(port: number, path: string): Promise<void> {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    if (outside.destroyed) {
      socket.destroy();
      return;
    }
    const stream = outside.request({ ':method': 'POST', ':path': path }, { endStream: false });
    stream.on('error', () => socket.destroy());
    stream.on('close', () => socket.end());
    // Whoever breaks off says so: devs must not keep what leads on.
    socket.on('close', (isBroken) => isBroken && stream.close(http2.constants.NGHTTP2_CANCEL));
    socket.pipe(stream).pipe(socket);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.unref();
      resolve();
    });
  });
}

function start(): void {
  const child = spawn(program, words, { stdio: ['inherit', 'inherit', 'inherit'] });
  child.on('error', ({ message }) => {
    process.stderr.write(`${message}\n`);
    process.exit(NOT_FOUND);
  });
  child.on('exit', (code, signal) => process.exit(code ?? SIGNAL_BASE + (signal === null ? 0 : os.constants.signals[signal])));
  // What is asked to end is the command, which is in the same group: it may take its time, and needs its connections.
  process.on('SIGTERM', () => undefined);
}

const ways = [...(proxyPort === '0' ? [] : [listen(Number(proxyPort), '/')]), ...ports.split(',').filter(Boolean).map((port) => listen(Number(port), `/${port}`))];
Promise.all(ways).then(start, ({ message }: Error) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
