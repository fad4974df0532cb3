CREATE TABLE `outages` (
	`id` text PRIMARY KEY NOT NULL,
	`monitor_id` text NOT NULL,
	`seq` integer NOT NULL,
	`status_page_id` text,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`cause` text NOT NULL,
	`regions` text DEFAULT '[]' NOT NULL,
	`in_maintenance` integer NOT NULL,
	`evidence` text,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outages_monitor` ON `outages` (`monitor_id`,`started_at`,`seq`);--> statement-breakpoint
CREATE INDEX `outages_page` ON `outages` (`status_page_id`,`started_at`);--> statement-breakpoint
ALTER TABLE `transitions` ADD `event` text;--> statement-breakpoint
ALTER TABLE `transitions` ADD `region` text;