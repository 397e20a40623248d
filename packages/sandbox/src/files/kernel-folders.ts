import { isWithin } from './is-within.ts';

/** Not folders of a disk: what the kernel says there is of the whole machine. A box has its own, or none. */
const KERNEL = ['/proc', '/sys', '/dev'];

/** Whether a mount would bring the machine's into a box: it lies in one of them, or holds all. @param place absolute, real */
export function showsKernel(place: string): boolean {
  return place === '/' || KERNEL.some((folder) => isWithin(place, folder));
}
