/** Begins the reason of a test that the kernel or the container does not permit: no package would bring what it lacks. */
export const NOT_POSSIBLE_HERE = "not possible on this machine";
