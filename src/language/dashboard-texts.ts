import type { Language } from "../contract/status-page.ts";
import { lazy } from "../lib/lazy.ts";
import { ENGLISH as ACCOUNT, type DashboardAccountMessages } from "./dashboard-account/messages.ts";
import { ENGLISH as ALERTS, type DashboardAlertsMessages } from "./dashboard-alerts/messages.ts";
import { type DashboardFrameMessages, ENGLISH as FRAME } from "./dashboard-frame/messages.ts";
import { type DashboardIncidentsMessages, ENGLISH as INCIDENTS } from "./dashboard-incidents/messages.ts";
import { type DashboardInstallationMessages, ENGLISH as INSTALLATION } from "./dashboard-installation/messages.ts";
import { type DashboardMonitorsMessages, ENGLISH as MONITORS } from "./dashboard-monitors/messages.ts";
import { type DashboardPagesMessages, ENGLISH as PAGES } from "./dashboard-pages/messages.ts";
import { LANGUAGE_FACTS } from "./languages.ts";
import { speak, type Tree } from "./message.ts";

/** What the signed-in pages say, by area; apart from texts.ts, so that the first reader of a public page waits for none. */
interface DashboardAreas {
  "dashboard-frame": DashboardFrameMessages;
  "dashboard-monitors": DashboardMonitorsMessages;
  "dashboard-incidents": DashboardIncidentsMessages;
  "dashboard-pages": DashboardPagesMessages;
  "dashboard-alerts": DashboardAlertsMessages;
  "dashboard-account": DashboardAccountMessages;
  "dashboard-installation": DashboardInstallationMessages;
}
export type DashboardArea = keyof DashboardAreas;

export const DASHBOARD_ENGLISH: Readonly<Record<DashboardArea, Tree>> = {
  "dashboard-frame": FRAME,
  "dashboard-monitors": MONITORS,
  "dashboard-incidents": INCIDENTS,
  "dashboard-pages": PAGES,
  "dashboard-alerts": ALERTS,
  "dashboard-account": ACCOUNT,
  "dashboard-installation": INSTALLATION,
};

/** The texts of an area, in one language. */
export type DashboardTexts = <Name extends DashboardArea>(area: Name) => DashboardAreas[Name];

/** A view reads few areas, so each is made of its messages when it is first read. */
export function createDashboardTexts(trees: Readonly<Record<DashboardArea, Tree>>, language: Language): DashboardTexts {
  const spoken = new Map<DashboardArea, unknown>();
  return <Name extends DashboardArea>(area: Name) => {
    const known = spoken.get(area) ?? speak<DashboardAreas[Name]>(trees[area], LANGUAGE_FACTS[language].locale);
    spoken.set(area, known);
    // Only texts of this area are kept under its name.
    return known as DashboardAreas[Name];
  };
}

export const englishDashboardTexts = lazy(() => createDashboardTexts(DASHBOARD_ENGLISH, "en"));
