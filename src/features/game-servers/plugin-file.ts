export interface PluginAccess {
  push_key: string;
  push_url: string;
  /** Seconds between pushes. */
  interval: number;
}

export type PluginFile = { name: string } & ({ text: string } | { bytes: Uint8Array });
