/** The same object but for some members. */
export function override<Target extends object>(target: Target, members: Record<string, unknown>): Target {
  return new Proxy(target, {
    get(original, name) {
      if (typeof name === "string" && Object.hasOwn(members, name)) return members[name];
      const member = Reflect.get(original, name);
      return typeof member === "function" ? member.bind(original) : member;
    },
  });
}
