ALTER TABLE `maintenance` ADD `external_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `maintenance_external_key` ON `maintenance` (`owner_id`,`external_key`);--> statement-breakpoint
ALTER TABLE `monitor_groups` ADD `external_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `monitor_groups_external_key` ON `monitor_groups` (`owner_id`,`external_key`);--> statement-breakpoint
ALTER TABLE `status_pages` ADD `external_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_external_key` ON `status_pages` (`owner_id`,`external_key`);--> statement-breakpoint
ALTER TABLE `webhooks` ADD `external_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_external_key` ON `webhooks` (`owner_id`,`external_key`);