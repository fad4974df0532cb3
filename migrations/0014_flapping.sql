CREATE TABLE `flapping_monitors` (
	`monitor_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`held_routing` text,
	`revision` integer NOT NULL,
	`wake_at` integer NOT NULL,
	FOREIGN KEY (`monitor_id`) REFERENCES `monitors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `flapping_monitors_wake` ON `flapping_monitors` (`wake_at`);--> statement-breakpoint
ALTER TABLE `monitors` ADD `flapping` integer DEFAULT false NOT NULL;