import { Tabs } from "../components/pieces.tsx";
import { words } from "../words.ts";

const TABS = [
  { href: "/app/account", name: "account", isForOperators: false },
  { href: "/app/account/sign-ins", name: "sign_ins", isForOperators: false },
  { href: "/app/notifications", name: "notifications", isForOperators: false },
  { href: "/app/account/contacts", name: "contacts", isForOperators: false },
  { href: "/app/account/secrets", name: "secrets", isForOperators: false },
  { href: "/app/account/walls", name: "walls", isForOperators: false },
  { href: "/app/audit", name: "audit", isForOperators: false },
  { href: "/app/installation", name: "installation", isForOperators: true },
] as const;

export function AccountTabs({ open, isOperator }: { open: (typeof TABS)[number]["href"]; isOperator: boolean }) {
  const tabs = TABS.filter(({ isForOperators }) => isOperator || !isForOperators);
  const { tabs: text } = words("dashboard-account");
  return (
    <Tabs
      label={text.account}
      tabs={tabs.map(({ href, name }) => ({ href, text: text[name], isOpen: href === open }))}
    />
  );
}
