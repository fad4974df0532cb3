CREATE TABLE `monitor_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`created_by` text NOT NULL,
	`status_page_id` text NOT NULL,
	`name` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `monitor_groups_page` ON `monitor_groups` (`status_page_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `monitor_groups_owner` ON `monitor_groups` (`owner_id`,`position`,`id`);--> statement-breakpoint
ALTER TABLE `monitors` ADD `group_id` text REFERENCES monitor_groups(id) ON DELETE set null;--> statement-breakpoint
ALTER TABLE `monitors` ADD `parent_monitor_id` text REFERENCES monitors(id) ON DELETE set null;--> statement-breakpoint
ALTER TABLE `monitors` ADD `agent_id` text;--> statement-breakpoint
ALTER TABLE `monitors` ADD `is_internal` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `monitors` ADD `external_key` text;--> statement-breakpoint
ALTER TABLE `monitors` ADD `tags` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
CREATE INDEX `monitors_parent` ON `monitors` (`parent_monitor_id`);--> statement-breakpoint
CREATE INDEX `monitors_group` ON `monitors` (`group_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `monitors_external_key` ON `monitors` (`owner_id`,`external_key`);