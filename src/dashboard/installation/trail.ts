import { trail } from "../account/shown-once.tsx";
import { words } from "../words.ts";

/** What leads to the views of the installation. */
export const installationTrail = () => [
  ...trail(),
  { href: "/app/installation", text: words("dashboard-installation").title },
];
