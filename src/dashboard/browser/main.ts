import { openBell } from "./bell.ts";
import { followBrowserAlerts, offerBrowserAlerts } from "./browser-alerts.ts";
import { readCharts } from "./charts.ts";
import { copyButtons } from "./copy.ts";
import { keepDrafts } from "./drafts.ts";
import { dragAndDrop } from "./drag.ts";
import { filterInPlace } from "./filter.ts";
import { offerDurations } from "./form-times.ts";
import { askBeforeLeaving, followChoices, guardForms, submitByEnter, submitOnChange, unmarkChanged } from "./forms.ts";
import { keepForOffline } from "./install.ts";
import { followChanges } from "./live.ts";
import { followResult } from "./live-result.ts";
import { closeMenus } from "./menus.ts";
import { offerWithinPage, showFieldsOfType } from "./monitor-form.ts";
import { endNotice } from "./notice.ts";
import { showResultsAtOnce } from "./optimistic.ts";
import { offerCommands } from "./palette.ts";
import { offerPasskeys } from "./passkeys.ts";
import { followForm } from "./preview.ts";
import { showFieldsOfProvider } from "./provider-form.ts";
import { keepButtonsInSight } from "./save-bar.ts";
import { countSelected } from "./selection.ts";
import { showOpenTabs } from "./tabs.ts";
import { toggleTheme } from "./theme.ts";
import { chooseByTile } from "./tiles.ts";
import { keepTimesCurrent, tellZone, translateEnteredTimes } from "./times.ts";
import { holdUpdates } from "./undo.ts";

/**
 * What the signed-in views gain with a script. Each function finds what it concerns in the document and does nothing
 * where there is none; everything that they add also works, with a reload, without them.
 */
toggleTheme();
showOpenTabs();
showResultsAtOnce();
guardForms();
askBeforeLeaving();
unmarkChanged();
endNotice();
keepDrafts();
holdUpdates();
submitOnChange();
submitByEnter();
followChoices();
offerDurations();
showFieldsOfType();
offerWithinPage();
showFieldsOfProvider();
chooseByTile();
// Takes the document as the server sent it, so it comes before what changes it.
followChanges();
filterInPlace();
tellZone();
keepTimesCurrent();
translateEnteredTimes();
copyButtons();
closeMenus();
readCharts();
dragAndDrop();
countSelected();
followForm();
followResult();
keepButtonsInSight();
offerCommands();
openBell();
offerPasskeys();
offerBrowserAlerts();
followBrowserAlerts();
keepForOffline();
