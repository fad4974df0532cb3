/** What a push service carries to a browser, and the service worker of the dashboard shows. Addresses are paths. */
export type BrowserMessage = BrowserAlert | BrowserCode;

export interface BrowserAlert {
  kind: "alert";
  title: string;
  /** Since when, and the reason. */
  body: string;
  /** A later message of the same tag takes the place of the notification. */
  tag: string;
  /** Stays until somebody closes it. */
  is_urgent: boolean;
  /** Epoch ms. */
  sent_at: number;
  open: string;
  /** Acknowledges by a POST, without signing in. */
  acknowledge?: string;
  /** What each location saw. */
  evidence?: string;
}

/** The test on set-up: the code in it proves that messages reach this browser. */
export interface BrowserCode {
  kind: "code";
  title: string;
  body: string;
  /** Takes the code. */
  verify: string;
  code: string;
}
