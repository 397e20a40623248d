import process from 'node:process';
import { openSigningKey } from '../signing-key.ts';

// Opens each of some keys, all processes at about the same time, and prints which it got.
const [, , folder, count] = process.argv;
for (let number = 0; number < Number(count); number += 1) process.stdout.write(`${openSigningKey(`${folder}/${number}/devs/log-signing.key`).id}\n`);
