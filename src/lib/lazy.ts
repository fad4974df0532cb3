/** Makes a thing when it is first used: what a Worker makes while it starts delays the first request of each isolate. */
export function lazy<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
