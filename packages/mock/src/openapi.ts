export type { components } from '@service/contract';
import control from '../sandbox.openapi.json' with { type: 'json' };

/** The OpenAPI document of the control API. An entry, so that the builds of the package load one file. */
export const document: object = control;
