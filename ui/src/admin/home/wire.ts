/** Shapes of the JSON the first page asks for. */
import type * as api from '../../api-types.d.ts';

export type Upkeep = api.Upkeep;
