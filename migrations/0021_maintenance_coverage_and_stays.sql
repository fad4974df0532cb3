CREATE TABLE `maintenance_coverage` (
	`status_page_id` text NOT NULL,
	`maintenance_id` text NOT NULL,
	`start_at` integer NOT NULL,
	`end_at` integer NOT NULL,
	`is_public` integer NOT NULL,
	`covers_page` integer NOT NULL,
	`monitor_ids` text NOT NULL,
	PRIMARY KEY(`status_page_id`, `maintenance_id`, `start_at`),
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `maintenance_coverage_page` ON `maintenance_coverage` (`status_page_id`,`end_at`);--> statement-breakpoint
CREATE INDEX `maintenance_coverage_window` ON `maintenance_coverage` (`maintenance_id`,`start_at`);--> statement-breakpoint
CREATE TABLE `monitor_stays` (
	`status_page_id` text NOT NULL,
	`monitor_id` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	`name` text NOT NULL,
	`is_member` integer NOT NULL,
	`position` integer NOT NULL,
	`target_percentage` real,
	`intervals` text,
	PRIMARY KEY(`status_page_id`, `monitor_id`, `from_at`),
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `monitor_stays_page` ON `monitor_stays` (`status_page_id`,`to_at`);--> statement-breakpoint
CREATE INDEX `monitor_stays_monitor` ON `monitor_stays` (`monitor_id`);--> statement-breakpoint
CREATE TABLE `sla_former_values` (
	`status_page_id` text NOT NULL,
	`kind` text NOT NULL,
	`monitor_id` text NOT NULL,
	`until_at` integer NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`status_page_id`, `until_at`, `kind`, `monitor_id`),
	FOREIGN KEY (`status_page_id`) REFERENCES `status_pages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `maintenance` ADD `covers_page` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `monitors` ADD `page_since` integer;--> statement-breakpoint
UPDATE `maintenance` SET `covers_page` = 1 WHERE `next_edge_at` IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM `maintenance_monitors` t WHERE t.`maintenance_id` = `maintenance`.`id`)
  AND NOT EXISTS (SELECT 1 FROM `maintenance_groups` t WHERE t.`maintenance_id` = `maintenance`.`id`);--> statement-breakpoint
INSERT INTO `maintenance_coverage` SELECT w.`status_page_id`, w.`id`, o.`start_at`, o.`end_at`, w.`is_public`, 0,
  (SELECT json_group_array(id) FROM (
    SELECT t.`monitor_id` AS id FROM `maintenance_monitors` t WHERE t.`maintenance_id` = w.`id`
    UNION SELECT m.`id` FROM `maintenance_groups` t JOIN `monitors` m ON m.`group_id` = t.`group_id` WHERE t.`maintenance_id` = w.`id`))
  FROM `maintenance_occurrences` o JOIN `maintenance` w ON w.`id` = o.`maintenance_id`;--> statement-breakpoint
UPDATE `monitors` SET `history_version` = `history_version` + 1
  WHERE `status_page_id` IN (SELECT `status_page_id` FROM `maintenance_coverage`);--> statement-breakpoint
DELETE FROM `daily_rollups` WHERE `monitor_id` IN (SELECT m.`id` FROM `monitors` m
  WHERE m.`status_page_id` IN (SELECT `status_page_id` FROM `maintenance_coverage`));
