ALTER TABLE `events` ADD `held_until` integer;--> statement-breakpoint
CREATE INDEX `events_held` ON `events` (`owner_id`,`status_page_id`) WHERE held_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_overdue` ON `events` (`held_until`) WHERE held_until IS NOT NULL;--> statement-breakpoint
ALTER TABLE `status_pages` ADD `notify_team` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `preferences` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `bundled_into` text;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `bundle_size` integer;--> statement-breakpoint
CREATE INDEX `deliveries_bundle` ON `deliveries` (`bundled_into`) WHERE bundled_into IS NOT NULL;