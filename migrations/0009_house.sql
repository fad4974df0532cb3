CREATE TABLE `installation` (
	`id` integer PRIMARY KEY NOT NULL,
	`epoch` text NOT NULL,
	`ticks` integer NOT NULL,
	`known_until` integer NOT NULL,
	`ticked_at` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `monitors_unsynced`;--> statement-breakpoint
ALTER TABLE `monitors` ADD `synced_epoch` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `monitors_synced_epoch` ON `monitors` (`synced_epoch`);--> statement-breakpoint
CREATE INDEX `monitors_unsynced` ON `monitors` (`updated_at`) WHERE config_version <> synced_version;