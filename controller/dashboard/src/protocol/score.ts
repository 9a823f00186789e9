/** A tool in the language of motion, as the server sends and accepts it. Degrees, millimetres, seconds. */

import type { components } from '../../generated-types/openapi';

type Schemas = components['schemas'];

export type Part = Schemas['Part'];
/** A constant, a parameter, a constant times a parameter, or from one to another over the rounds of a loop. */
export type Amount = Schemas['ScoreNumber'];
/** A movement of one part. Axes without a target keep their goals; without any target, the part goes to neutral. */
export type Movement = Schemas['ScoreMove'];
export type Reaction = Schemas['ScoreReaction'];
export type Step = Schemas['ScoreStep'];
export type Score = Schemas['Score'];
/** One run of a step. Steps are counted in the order of the source, outer steps before inner ones. */
export type StepRun = Schemas['StepRun'];
/** How a call without arguments runs. */
export type Plan = Schemas['ChoreographyPlan'];
export type Problem = Schemas['ChoreographyProblem'];
/** A tool as steps, as source, and in time. */
export type Choreography = Schemas['Choreography'];
/** A target that a movement can name. */
export type Target = Schemas['TargetReport'];
/** The name of a target, such as `head_left`. */
export type TargetName = Schemas['Target'];
/** What steps can contain. */
export type Targets = Schemas['Targets'];
