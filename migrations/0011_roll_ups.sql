CREATE TABLE `daily_rollups` (
	`monitor_id` text NOT NULL,
	`month` text NOT NULL,
	`timezone` text NOT NULL,
	`to_at` integer NOT NULL,
	`status` text,
	`days` text NOT NULL,
	PRIMARY KEY(`monitor_id`, `month`),
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `upkeep_rounds` (
	`name` text PRIMARY KEY NOT NULL,
	`position` text NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `monitors` ADD `history_version` integer DEFAULT 0 NOT NULL;