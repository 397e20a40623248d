import { PortablePlaces } from '../files/portable-places.ts';
import { createFsRoot, openFsRoot } from '../open-fs-root.ts';
import { describeFsRootContract } from './contract.ts';

describeFsRootContract(`openFsRoot on ${process.platform}`, openFsRoot);
describeFsRootContract('the portable fallback', (options) => createFsRoot(new PortablePlaces(options.root), options));
