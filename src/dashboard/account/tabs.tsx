import { Tabs } from "../components/pieces.tsx";

const TABS = [
  { href: "/app/account", text: "Account", isForOperators: false },
  { href: "/app/account/sign-ins", text: "Linked sign-ins", isForOperators: false },
  { href: "/app/notifications", text: "Notifications", isForOperators: false },
  { href: "/app/account/contacts", text: "Contacts", isForOperators: false },
  { href: "/app/account/secrets", text: "Secrets", isForOperators: false },
  { href: "/app/account/walls", text: "Wall displays", isForOperators: false },
  { href: "/app/audit", text: "Audit log", isForOperators: false },
  { href: "/app/installation", text: "Installation", isForOperators: true },
] as const;

export function AccountTabs({ open, isOperator }: { open: (typeof TABS)[number]["href"]; isOperator: boolean }) {
  const tabs = TABS.filter(({ isForOperators }) => isOperator || !isForOperators);
  return <Tabs label="Account" tabs={tabs.map(({ href, text }) => ({ href, text, isOpen: href === open }))} />;
}
