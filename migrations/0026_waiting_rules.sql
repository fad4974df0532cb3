ALTER TABLE `events` ADD `rules_wake_at` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `rules_check` text;--> statement-breakpoint
CREATE INDEX `events_rules_to_wake` ON `events` (`rules_wake_at`) WHERE rules_wake_at IS NOT NULL;