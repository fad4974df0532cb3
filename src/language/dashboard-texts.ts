import type { Language } from "../contract/status-page.ts";
import type { DashboardAccountMessages } from "./dashboard-account/messages.ts";
import type { DashboardAlertsMessages } from "./dashboard-alerts/messages.ts";
import type { DashboardBrowserMessages } from "./dashboard-browser/messages.ts";
import type { DashboardFrameMessages } from "./dashboard-frame/messages.ts";
import type { DashboardIncidentsMessages } from "./dashboard-incidents/messages.ts";
import type { DashboardInstallationMessages } from "./dashboard-installation/messages.ts";
import type { DashboardMonitorsMessages } from "./dashboard-monitors/messages.ts";
import type { DashboardPagesMessages } from "./dashboard-pages/messages.ts";
import type { DashboardRegistriesMessages } from "./dashboard-registries/messages.ts";
import { LANGUAGE_FACTS } from "./languages.ts";
import { speak, type Tree } from "./message.ts";
import type { WithAssets } from "./texts.ts";

/** What the signed-in pages say, by area; apart from texts.ts, so that the first reader of a public page waits for none. */
export interface DashboardAreas {
  "dashboard-frame": DashboardFrameMessages;
  /** Of scripts, into which scripts/dashboard.ts puts it. */
  "dashboard-browser": DashboardBrowserMessages;
  "dashboard-monitors": DashboardMonitorsMessages;
  "dashboard-incidents": DashboardIncidentsMessages;
  "dashboard-pages": DashboardPagesMessages;
  "dashboard-alerts": DashboardAlertsMessages;
  "dashboard-account": DashboardAccountMessages;
  "dashboard-installation": DashboardInstallationMessages;
  /** Made of the registries: scripts/language/registries.ts. */
  "dashboard-registries": DashboardRegistriesMessages;
}
export type DashboardArea = keyof DashboardAreas;

/** The messages of all areas, as their asset has them. */
export type DashboardTrees = Readonly<Record<DashboardArea, Tree>>;

/** The texts of an area, in one language. */
export interface DashboardTexts {
  <Name extends DashboardArea>(area: Name): DashboardAreas[Name];
  readonly language: Language;
}

/** A view reads few areas, so each is made of its messages when it is first read. */
export function createDashboardTexts(trees: DashboardTrees, language: Language): DashboardTexts {
  const spoken = new Map<DashboardArea, unknown>();
  const { locale } = LANGUAGE_FACTS[language];
  const speakArea = <Name extends DashboardArea>(area: Name) => {
    const known = spoken.get(area) ?? speak<DashboardAreas[Name]>(trees[area], locale);
    spoken.set(area, known);
    // Only texts of this area are kept under its name.
    return known as DashboardAreas[Name];
  };
  return Object.assign(speakArea, { language });
}

/** Languages are a closed list, so this is bounded. */
const known = new Map<Language, DashboardTexts>();

/** From the static assets, once for as long as the isolate lives. */
export async function loadDashboardTexts({ ASSETS }: WithAssets, language: Language): Promise<DashboardTexts> {
  const texts = known.get(language) ?? createDashboardTexts(await readTrees(ASSETS, language), language);
  known.set(language, texts);
  return texts;
}

async function readTrees(assets: WithAssets["ASSETS"], language: Language): Promise<DashboardTrees> {
  const response = await assets.fetch(`https://assets.invalid/language/dashboard/${language}.json`);
  if (!response.ok) throw new Error(`the texts of the dashboard in ${language} answer ${response.status}`);
  return response.json<DashboardTrees>();
}
