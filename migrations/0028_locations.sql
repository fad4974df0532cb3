CREATE TABLE `monitor_locations` (
	`agent_id` text NOT NULL,
	`monitor_id` text NOT NULL,
	PRIMARY KEY(`agent_id`, `monitor_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `monitor_locations_monitor` ON `monitor_locations` (`monitor_id`);--> statement-breakpoint
ALTER TABLE `agents` ADD `is_location` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `monitors` ADD `locations` text DEFAULT '[]' NOT NULL;