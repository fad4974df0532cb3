ALTER TABLE `monitors` ADD `credential_version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `monitors_unchecked` ON `monitors` (`id`) WHERE check_group_id = '' AND agent_id IS NULL AND paused = 0;--> statement-breakpoint
ALTER TABLE `planned_minutes` ADD `visited_to` text;