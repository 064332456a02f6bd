// The surroundings of the table of the packages.
import { createMock, type Mock } from '@service/mock';
import { body } from './common.ts';

export * from './common.ts';
export const mock: Mock = createMock({ clock: 'manual' });
export const order = body;
export const secrets = 'a secret of the tests';
export const ship = (): void => {};
export const stop = (): void => {};
